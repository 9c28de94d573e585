/**
 * Converts bytes to words and words to bytes, little-endian as all supported targets are.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Result from "effect/Result"

/** Word sizes in bytes. */
export const sizes = [1, 2, 4, 8] as const
/** A word size in bytes. */
export type Size = (typeof sizes)[number]

/** Returns the number as a size, if it is one. */
export const sizeOf = (size: number): Size | undefined => sizes.find((one) => one === size)

/** Formats by GDB's letter and by name. */
export const letters: { readonly [letter: string]: Operations.WordFormat } = {
  x: "hex",
  d: "decimal",
  u: "unsigned",
  o: "octal",
  t: "binary",
  b: "binary",
  c: "character",
  f: "float",
  a: "address",
  s: "string",
  hex: "hex",
  decimal: "decimal",
  unsigned: "unsigned",
  octal: "octal",
  binary: "binary",
  character: "character",
  float: "float",
  address: "address",
  string: "string"
}

/** Returns a format by its letter or name. */
export const formatOf = (text: string): Operations.WordFormat | undefined =>
  Object.hasOwn(letters, text) ? letters[text] : undefined

/** Returns the default size of a format. */
export const naturalSize = (format: Operations.WordFormat): Size =>
  format === "address" || format === "float" ? 8 : format === "character" || format === "string" ? 1 : 4

const character = (code: number) =>
  code >= 0x20 && code < 0x7f ? `'${String.fromCharCode(code)}'` : `'\\x${code.toString(16).padStart(2, "0")}'`

/** Writes a number of `size` bytes as text. */
export const written = (
  value: bigint,
  size: Size,
  format: Exclude<Operations.WordFormat, "float" | "string">
): string => {
  const bits = size * 8
  const unsigned = BigInt.asUintN(bits, value)
  switch (format) {
    case "hex":
      return `0x${unsigned.toString(16).padStart(size * 2, "0")}`
    case "address":
      return `0x${unsigned.toString(16)}`
    case "decimal":
      return BigInt.asIntN(bits, value).toString()
    case "unsigned":
      return unsigned.toString()
    case "octal":
      return `0${unsigned.toString(8)}`
    case "binary":
      return `0b${unsigned.toString(2).padStart(bits, "0")}`
    case "character":
      return character(Number(BigInt.asUintN(8, value)))
  }
}

const float = (bytes: Uint8Array, size: Size): string => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return String(size === 4 ? Math.fround(view.getFloat32(0, true)) : view.getFloat64(0, true))
}

const number = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

/** Reads zero-terminated strings; the last one may be cut. */
const strings = (bytes: Uint8Array): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let from = 0
  while (from < bytes.length) {
    const zero = bytes.indexOf(0, from)
    const end = zero < 0 ? bytes.length : zero
    parts.push(JSON.stringify(new TextDecoder().decode(bytes.subarray(from, end))) + (zero < 0 ? "…" : ""))
    from = end + 1
    // Further zeros are padding.
    while (bytes[from] === 0) from++
  }
  return parts
}

/** Splits bytes into words; `??` for a word with an unreadable byte. An incomplete word at the end is dropped. */
export const words = (
  bytes: Uint8Array,
  size: Size,
  format: Operations.WordFormat,
  unreadable: ReadonlyArray<readonly [number, number]>
): ReadonlyArray<string> => {
  if (format === "string") return strings(bytes)
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => {
    const from = index * size
    if (unreadable.some(([a, b]) => a < from + size && b > from)) return "??"
    const word = bytes.subarray(from, from + size)
    return format === "float" ? float(word, size) : written(number(word), size, format)
  })
}

const literal = /^(-?)(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*)$/

/** Returns the bytes of a number, or why it does not fit the size. */
export const encoded = (text: string, size: Size): Result.Result<Uint8Array, string> => {
  const [, sign, digits] = literal.exec(text) ?? []
  if (digits === undefined) return Result.fail(`${text} is not a whole number; use --hex for bytes`)
  const value = BigInt(digits.replaceAll("_", "")) * (sign === "-" ? -1n : 1n)
  const bits = BigInt(size * 8)
  if (value >= 1n << bits || value < -(1n << (bits - 1n))) {
    return Result.fail(`${text} does not fit into ${size} byte${size === 1 ? "" : "s"}; use --size`)
  }
  const unsigned = BigInt.asUintN(size * 8, value)
  return Result.succeed(Uint8Array.from({ length: size }, (_, i) => Number((unsigned >> BigInt(8 * i)) & 0xffn)))
}
