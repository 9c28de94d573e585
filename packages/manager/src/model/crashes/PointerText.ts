/**
 * A wrong pointer that has the bytes of a text: a string was copied over it, such as one that was too long for the array before it.
 */

/** Fewest characters of a text in a pointer to data: shorter ones are found in many addresses. */
const fewest = 6

/** The end of a text in addresses at which Linux loads programs without address randomization: `0x5555555…`. */
const loaded = /UUU?U?$/

/** Returns the bytes of an address as a text, the first one in memory first; undefined if one is not printable. */
const textIn = (address: bigint): string | undefined => {
  let text = ""
  for (let rest = address; rest > 0n; rest >>= 8n) text += String.fromCharCode(Number(rest & 0xffn))
  return /^[\x20-\x7e]{4,}$/.test(text) ? text : undefined
}

const quoted = (text: string | undefined) => (text === undefined ? "" : ` (${JSON.stringify(text)})`)

/** Returns what a sentence adds to an address without code: ` ("AAAA")`. Empty if a byte is not printable. */
export const ofCode = (address: bigint): string => quoted(textIn(address))

/** Returns where an address ends in a text; undefined if the text has it only as the beginning of another one. */
const endOf = (text: string, address: string): number | undefined => {
  for (let at = text.indexOf(address); at >= 0; at = text.indexOf(address, at + 1)) {
    const end = at + address.length
    if (!/^[0-9a-f]/.test(text.slice(end, end + 1))) return end
  }
  return undefined
}

/** Returns a text with the bytes of each of the pointers in it: `p = 0x7265676e6f6c ("longer")`. */
export const written = (text: string, pointers: ReadonlyArray<bigint>): string =>
  // The pointer and the address of the fault may be the same.
  [...new Set(pointers)].reduce((all, pointer) => {
    const found = textIn(pointer)
    if (found === undefined || found.length < fewest || loaded.test(found)) return all
    const end = endOf(all, `0x${pointer.toString(16)}`)
    return end === undefined ? all : all.slice(0, end) + quoted(found) + all.slice(end)
  }, text)
