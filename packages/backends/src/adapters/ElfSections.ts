/**
 * Reads sections of a 64-bit little-endian ELF file by their names.
 */
import { FileReader } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Largest section or table that is read, in bytes. */
const largest = 65_536

const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes)

/** Returns the sections with these names, each cut to 64 KiB. None if the file cannot be read. */
export const bytes = Effect.fnUntraced(
  function* (
    path: string,
    names: ReadonlyArray<string>
  ): Effect.fn.Return<ReadonlyArray<Uint8Array>, unknown, FileReader.FileReader | Scope.Scope> {
    const reader = yield* FileReader.FileReader
    const file = yield* reader.parts(path, FileReader.purposes.binary)
    const bytesAt = (offset: number, size: number) => file.read(offset, Math.min(size, largest))
    const view = (part: Uint8Array) => new DataView(part.buffer, part.byteOffset, part.byteLength)
    const start = yield* bytesAt(0, 64)
    if (start.length < 64 || !text(start).startsWith("\x7fELF\x02\x01")) return []
    const header = view(start)
    const [size, count, nameIndex] = [58, 60, 62].map((offset) => header.getUint16(offset, true))
    if (size === undefined || size < 64 || count === undefined || nameIndex === undefined) return []
    const table = view(yield* bytesAt(Number(header.getBigUint64(40, true)), size * count))
    const headers = Array.from({ length: Math.floor(table.byteLength / size) }, (_, index) => ({
      name: table.getUint32(index * size, true),
      offset: Number(table.getBigUint64(index * size + 24, true)),
      size: Number(table.getBigUint64(index * size + 32, true))
    }))
    const named = headers[nameIndex]
    if (named === undefined) return []
    const allNames = text(yield* bytesAt(named.offset, named.size))
    const found = headers.filter(({ name }) => {
      const end = allNames.indexOf("\0", name)
      return end >= 0 && names.includes(allNames.slice(name, end))
    })
    return yield* Effect.forEach(found, ({ offset, size: length }) => bytesAt(offset, length))
  },
  Effect.scoped,
  Effect.orElseSucceed((): ReadonlyArray<Uint8Array> => [])
) satisfies (
  path: string,
  names: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<Uint8Array>, never, FileReader.FileReader>

/** Returns the texts of the sections with these names, as `bytes` does. */
export const texts = (
  path: string,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, never, FileReader.FileReader> =>
  Effect.map(bytes(path, names), (found) => found.map(text))
