/**
 * Encodes messages to frames: `Content-Length: N`, a blank line, N bytes of JSON.
 */
import type * as Message from "../Message.ts"

const encoder = new TextEncoder()

/** Returns the header of a body of `size` bytes. */
const headerOf = (size: number) => `Content-Length: ${size}\r\n\r\n`

/** Number of bytes before the digits of a header. */
const beforeDigits = "Content-Length: ".length

/** Writes the digits of a size into a header; returns false if it has room for another number of digits. */
const writeSize = (bytes: Uint8Array, headerSize: number, size: number): boolean => {
  const digits = String(size)
  if (beforeDigits + digits.length + 4 !== headerSize) return false
  for (let index = 0; index < digits.length; index++) bytes[beforeDigits + index] = digits.charCodeAt(index)
  return true
}

/** Characters of a body from which on its bytes are written to their place, which saves a copy of the text with its header. */
const long = 16 * 1024

/** Room for a header. */
const headerRoom = 32

/** Encodes a long text without a copy; undefined if its bytes do not fit into an eighth more. */
const encodeLong = (json: string): Uint8Array | undefined => {
  const bytes = new Uint8Array(headerRoom + json.length + (json.length >>> 3))
  const { read, written } = encoder.encodeInto(json, bytes.subarray(headerRoom))
  if (read < json.length) return undefined
  const header = headerOf(written)
  const start = headerRoom - header.length
  encoder.encodeInto(header, bytes.subarray(start, headerRoom))
  return bytes.subarray(start, headerRoom + written)
}

/**
 * Encodes a message: `Content-Length: N`, a blank line, N bytes of JSON. There is no other header and no other spelling:
 * several adapters exit on anything else.
 */
export const encode = (message: Message.Message): Uint8Array => {
  const json = JSON.stringify(message)
  if (json.length >= long) {
    const bytes = encodeLong(json)
    if (bytes !== undefined) return bytes
  }
  // The size of a text is known when it is encoded. Header and body are encoded by one call, and the header is corrected.
  const header = headerOf(json.length)
  const bytes = encoder.encode(header + json)
  const size = bytes.length - header.length
  if (size === json.length || writeSize(bytes, header.length, size)) return bytes
  return encoder.encode(headerOf(size) + json)
}
