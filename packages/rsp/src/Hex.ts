/**
 * Bytes and numbers as hexadecimal digits, as packets carry them.
 */
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Returns two digits for each byte. Text is encoded as UTF-8. */
export const encode = (bytes: Uint8Array | string): string => {
  let text = ""
  for (const byte of typeof bytes === "string" ? encoder.encode(bytes) : bytes)
    text += byte.toString(16).padStart(2, "0")
  return text
}

/** Returns the bytes of digits; undefined if a character is not a digit or their number is odd. */
export const decode = (text: string): Uint8Array | undefined => {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16)
  return bytes
}

/** Returns the UTF-8 text of digits; undefined if they are malformed. */
export const text = (digits: string): string | undefined => {
  const bytes = decode(digits)
  return bytes === undefined ? undefined : decoder.decode(bytes)
}

/** Returns a number of digits with the most significant first; undefined if there is another character or none. */
export const number = (digits: string): number | undefined =>
  /^[0-9a-fA-F]{1,13}$/.test(digits) ? Number.parseInt(digits, 16) : undefined

/** The same for numbers of up to 64 bits, such as addresses. */
export const address = (digits: string): bigint | undefined =>
  /^[0-9a-fA-F]{1,16}$/.test(digits) ? BigInt(`0x${digits}`) : undefined

/** The order of the bytes of a number in memory. */
export type Endian = "little" | "big"

/** Returns the number that bytes of memory hold. */
export const toBigInt = (bytes: Uint8Array, endian: Endian = "little"): bigint => {
  const digits = encode(endian === "little" ? bytes.toReversed() : bytes)
  return digits === "" ? 0n : BigInt(`0x${digits}`)
}

/** Returns the bytes of a number in memory; higher bits are cut. */
export const fromBigInt = (value: bigint, size: number, endian: Endian = "little"): Uint8Array => {
  const bytes = new Uint8Array(size)
  let rest = value
  for (let at = 0; at < size; at++) {
    bytes[at] = Number(rest & 0xffn)
    rest >>= 8n
  }
  return endian === "little" ? bytes : bytes.toReversed()
}
