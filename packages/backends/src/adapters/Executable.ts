/**
 * What a program file says of itself: whether it is a Go binary, or a script and for which interpreter.
 *
 * Reads a few hundred bytes at known places, never the whole file.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/** What kind of program a file is, as far as it matters for choosing a debugger. */
export type Kind = "go" | "python" | "node" | "other"

/** Section of Go binaries with the version they were built with; kept when symbols are stripped. */
const section = { elf: ".go.buildinfo", machO: "__go_buildinfo" }

/** Largest table of section names or of load commands that is read, in bytes. */
const most = 65_536

/** What a script's first line says of its interpreter. */
const script = (head: string): Kind =>
  /^#!.*\bpython[\d.]*[^\S\n]*(?:\n| -|$)/.test(head)
    ? "python"
    : /^#!.*\bnode(?:js)?[^\S\n]*(?:\n| -|$)/.test(head)
      ? "node"
      : "other"

const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes)

/** Where a 64-bit little-endian ELF file has its section names, in bytes from its start. */
const elfSectionNames = (header: DataView, entry: (index: number, count: number) => readonly [number, number]) => {
  const offset = Number(header.getBigUint64(40, true))
  return entry(offset + header.getUint16(62, true) * header.getUint16(58, true), header.getUint16(58, true))
}

/** Says what a file is; `other` for everything that cannot be read. */
export const kind = Effect.fnUntraced(
  function* (path: string) {
    const fs = yield* FileSystem.FileSystem
    const file = yield* fs.open(path, { flag: "r" })
    const read = Effect.fnUntraced(function* (offset: number, size: number) {
      yield* file.seek(BigInt(offset), "start")
      return Option.getOrElse(yield* file.readAlloc(Math.min(size, most)), () => new Uint8Array(0))
    })
    const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const start = yield* read(0, 256)
    const head = text(start)
    if (start.length < 64 || head.startsWith("#!")) return script(head)
    if (head.startsWith("\x7fELF\x02\x01")) {
      const [offset, size] = elfSectionNames(view(start), (at, length) => [at, length])
      const table = yield* read(offset, size)
      if (table.length < 40) return "other"
      const names = yield* read(Number(view(table).getBigUint64(24, true)), Number(view(table).getBigUint64(32, true)))
      return text(names).includes(section.elf) ? "go" : "other"
    }
    // Mach-O, 64 bits, little-endian: the names of its sections stand in the load commands.
    if (head.startsWith("\xcf\xfa\xed\xfe")) return text(yield* read(0, most)).includes(section.machO) ? "go" : "other"
    return "other"
  },
  Effect.scoped,
  Effect.orElseSucceed((): Kind => "other")
) satisfies (path: string) => Effect.Effect<Kind, never, FileSystem.FileSystem>
