/**
 * The process id of a core file of Linux, from its note `NT_PRPSINFO` (`struct elf_prpsinfo` of the kernel).
 */
import * as Effect from "effect/Effect"
import type { FileReader } from "../../ports/FileReader.ts"
import * as CoreFile from "./CoreFile.ts"

const information = 3

/** Offset of `pr_pid` in the structure of a 64-bit system. */
const pidOffset = 24

/** Reads the process id of a core file; undefined for other files and 32-bit systems. */
export const pid = (file: string, files: FileReader["Service"]): Effect.Effect<number | undefined> =>
  Effect.gen(function* () {
    const reader = yield* CoreFile.readerOf(files, file)
    const elf = yield* CoreFile.parsed(reader)
    if (elf?.core !== true || !elf.wide) return undefined
    const notes = yield* CoreFile.allNotes(elf, ({ offset, size }) => reader(offset, size))
    const content = notes.find(({ owner, type }) => owner === "CORE" && type === information)?.content
    if (content === undefined || content.length < pidOffset + 4) return undefined
    return new DataView(content.buffer, content.byteOffset, content.byteLength).getInt32(pidOffset, elf.little)
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )
