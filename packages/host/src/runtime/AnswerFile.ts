/**
 * A file of texts by keys, for answers that are computed when a program is built: a client reads one of them without loading what
 * computes them. Plain synchronous code, because the thin client reads it before anything else.
 *
 * The file begins with the length of its index, in eight digits and a line break. The index has a line for each text: key, offset
 * after the index, and length in bytes, separated by tabs.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs"

/** Length of the first line, in bytes. */
const HEADER = 9

const encoder = new TextEncoder()

/** Returns the content of a file. Keys have no tabs and line breaks. */
export const make = (texts: ReadonlyMap<string, string>): Uint8Array => {
  const parts = [...texts].map(([key, text]) => ({ key, bytes: encoder.encode(text) }))
  let offset = 0
  const lines = parts.map(({ bytes, key }) => {
    const line = `${key}\t${offset}\t${bytes.length}\n`
    offset += bytes.length
    return line
  })
  const index = encoder.encode(`\n${lines.join("")}`)
  const header = encoder.encode(`${String(index.length).padStart(HEADER - 1, "0")}\n`)
  return Buffer.concat([header, index, ...parts.map(({ bytes }) => bytes)])
}

/** Where the content of a file is: its path, or a function that returns it, for a file inside the compiled executable. */
export type Source = string | (() => Uint8Array)

/** The paths of the files inside the compiled executable, by their names. Its entry fills them. */
export const embedded = new Map<string, string>()

/** Returns a file inside the compiled executable, of which only whole files can be read. */
export const inExecutable =
  (name: string): Source =>
  () =>
    readFileSync(embedded.get(name) ?? name)

const decoder = new TextDecoder()

/** Reads a part of a file. */
const readText = (file: number | Uint8Array, offset: number, length: number): string => {
  if (typeof file !== "number") return decoder.decode(file.subarray(offset, offset + length))
  const bytes = new Uint8Array(length)
  let read = 0
  while (read < length) {
    const count = readSync(file, bytes, read, length - read, offset + read)
    if (count === 0) break
    read += count
  }
  return decoder.decode(bytes)
}

/** Returns a function that reads texts from a file; it returns undefined if the file has none of a key or cannot be read. */
export const reader = (source: Source): ((key: string) => string | undefined) => {
  let index: string | undefined
  return (key) => {
    let file: number | Uint8Array | undefined
    try {
      file = typeof source === "string" ? openSync(source, "r") : source()
      index ??= readText(file, HEADER, Number(readText(file, 0, HEADER)))
      const start = /[\t\n]/.test(key) ? -1 : index.indexOf(`\n${key}\t`)
      if (start === -1) return undefined
      const [, offset, length] = index.slice(start + 1, index.indexOf("\n", start + 1)).split("\t")
      return readText(file, HEADER + encoder.encode(index).length + Number(offset), Number(length))
    } catch {
      return undefined
    } finally {
      if (typeof file === "number") closeSync(file)
    }
  }
}
