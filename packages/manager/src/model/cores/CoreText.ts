/**
 * Searches the memory of a core file for a text that the program has kept.
 */
import * as Effect from "effect/Effect"
import type { FileReader } from "../../ports/FileReader.ts"
import * as CoreFile from "./CoreFile.ts"

/** The type of a segment with memory (`PT_LOAD`). */
const memory = 1

/** Bytes that are read at a time. */
const step = 4 * 1024 * 1024

/** Most bytes of memory that are searched. */
const mostSearched = 1024 * 1024 * 1024

/** Returns the place of one text in another; -1 if it is not there. Not all runtimes have `Buffer`. */
const indexOf = (bytes: Uint8Array, text: Uint8Array): number => {
  const [first = 0] = text
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (text.every((byte, index) => bytes[at + index] === byte)) return at
  }
  return -1
}

/**
 * Returns the first text in a core that begins with some characters, up to its zero byte and at most `longest` bytes; undefined if there
 * is none.
 */
export const find = (
  file: string,
  begin: string,
  longest: number,
  files: FileReader["Service"]
): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const read = yield* CoreFile.readerOf(files, file)
    const elf = yield* CoreFile.parsed(read)
    if (elf?.core !== true) return undefined
    const wanted = new TextEncoder().encode(begin)
    const overlap = BigInt(wanted.length - 1)
    let searched = 0
    for (const { offset, size } of elf.segments.filter(({ type }) => type === memory)) {
      for (let at = 0n; at < size && searched < mostSearched; at += BigInt(step)) {
        const rest = size - at
        const bytes = yield* read(offset + at, rest < BigInt(step) + overlap ? rest : BigInt(step) + overlap)
        searched += bytes.length
        const found = indexOf(bytes, wanted)
        if (found < 0) continue
        const text = yield* read(offset + at + BigInt(found), BigInt(longest))
        const end = text.indexOf(0)
        return new TextDecoder().decode(text.subarray(0, end < 0 ? text.length : end))
      }
    }
    return undefined
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )
