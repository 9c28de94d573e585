/**
 * The header of a frame: its bytes, the length in it, and text that shows bytes in an error.
 */
import type * as Errors from "../Errors.ts"

/** Maximum size of a body, in bytes. A larger one ends the stream. */
export const maxBody = 64 * 1024 * 1024

/** The byte that ends a line of a header. */
export const LF = 10

/** The byte before the end of a line. */
export const CR = 13

/** The byte between the name and the value of a field. */
export const COLON = 58

/** The name of the header, in lower case. */
export const contentLength = new TextEncoder().encode("content-length")

/** Returns an ASCII letter in lower case, and any other byte as it is. */
export const lower = (byte: number) => (byte >= 65 && byte <= 90 ? byte + 32 : byte)

/** Returns bytes as text in which every byte that is not printable ASCII is escaped. */
export const escape = (bytes: Uint8Array) => {
  let out = ""
  for (const byte of bytes) {
    if (byte === 92) out += "\\\\"
    else if (byte >= 32 && byte < 127) out += String.fromCharCode(byte)
    else if (byte === LF) out += "\\n"
    else if (byte === CR) out += "\\r"
    else if (byte === 9) out += "\\t"
    else out += `\\x${byte.toString(16).padStart(2, "0")}`
  }
  return out
}

/** Parses a Content-Length value; returns what is wrong with it otherwise. */
const readLength = (bytes: Uint8Array, from: number, to: number): number | Errors.FramingReason => {
  let start = from
  let end = to
  while (start < end && (bytes[start] === 32 || bytes[start] === 9)) start++
  while (end > start && (bytes[end - 1] === 32 || bytes[end - 1] === 9)) end--
  if (start === end) return "empty"
  const negative = bytes[start] === 45
  if (negative) start++
  if (start === end) return "notDecimal"
  let length = 0
  for (let index = start; index < end; index++) {
    const digit = (bytes[index] ?? 0) - 48
    if (digit < 0 || digit > 9) return "notDecimal"
    length = Math.min(length * 10 + digit, maxBody + 1)
  }
  if (negative) return "negative"
  return length > maxBody ? "tooLarge" : length
}

/** Returns the length of the body from a complete, well-formed header block. */
export const readHeader = (bytes: Uint8Array, size: number): number | Errors.FramingReason => {
  let found: number | Errors.FramingReason = "missing"
  let line = 0
  while (bytes[line] !== CR) {
    let colon = line
    let same = true
    while (bytes[colon] !== COLON) {
      if (lower(bytes[colon] ?? 0) !== contentLength[colon - line]) same = false
      colon++
    }
    let end = colon + 1
    while (end < size && bytes[end] !== CR) end++
    if (same && colon - line === contentLength.length) {
      if (found !== "missing") return "repeated"
      found = readLength(bytes, colon + 1, end)
      if (typeof found !== "number") return found
    }
    line = end + 2
  }
  return found
}
