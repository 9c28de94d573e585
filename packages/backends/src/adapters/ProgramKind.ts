/**
 * Reads what shows the language of a program file: the first line of a script, the section names of a binary. Reads a few hundred
 * bytes at known offsets, never the whole file.
 */
import { FileReader } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** What was read of a program file. */
export type Contents =
  /** The head of a script or of a file too short to be a binary. */
  | { readonly kind: "script"; readonly head: string }
  /** A 64-bit little-endian binary; `sections` is a text that contains their names. */
  | { readonly kind: "elf" | "macho"; readonly sections: string }
  | { readonly kind: "other" }

/** Largest table of section names or of load commands that is read, in bytes. */
const largestTable = 65_536

const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes)

/** True if a script's first line names an interpreter; `interpreter` is the source of a regular expression. */
export const isScriptOf = (contents: Contents, interpreter: string): boolean =>
  contents.kind === "script" && new RegExp(`^#!.*\\b${interpreter}[^\\S\\n]*(?:\\n| -|$)`).test(contents.head)

/** Offset and size of a section's header in a 64-bit little-endian ELF file: the section of the section names. */
const elfSectionNames = (header: DataView): readonly [offset: number, size: number] => {
  const offset = Number(header.getBigUint64(40, true))
  return [offset + header.getUint16(62, true) * header.getUint16(58, true), header.getUint16(58, true)]
}

/** Reads the beginning of a script or the section names of a binary; `other` if the file cannot be read. */
export const read = Effect.fnUntraced(
  function* (path: string): Effect.fn.Return<Contents, unknown, FileReader.FileReader | Scope.Scope> {
    const reader = yield* FileReader.FileReader
    const file = yield* reader.parts(path, FileReader.purposes.binary)
    const bytesAt = (offset: number, size: number) => file.read(offset, Math.min(size, largestTable))
    const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const start = yield* bytesAt(0, 256)
    const head = text(start)
    if (start.length < 64 || head.startsWith("#!")) return { kind: "script", head }
    if (head.startsWith("\x7fELF\x02\x01")) {
      const table = yield* bytesAt(...elfSectionNames(view(start)))
      if (table.length < 40) return { kind: "other" }
      const names = view(table)
      const sections = yield* bytesAt(Number(names.getBigUint64(24, true)), Number(names.getBigUint64(32, true)))
      return { kind: "elf", sections: text(sections) }
    }
    // Mach-O, 64 bits, little-endian: the load commands contain the section names.
    if (head.startsWith("\xcf\xfa\xed\xfe")) return { kind: "macho", sections: text(yield* bytesAt(0, largestTable)) }
    return { kind: "other" }
  },
  Effect.scoped,
  Effect.orElseSucceed((): Contents => ({ kind: "other" }))
) satisfies (path: string) => Effect.Effect<Contents, never, FileReader.FileReader>
