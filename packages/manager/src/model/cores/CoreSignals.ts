/**
 * Reads the signal of a thread from the notes of a core file of Linux: `NT_PRSTATUS` names the thread, and `NT_SIGINFO` after it has
 * the signal (elf.h of the kernel).
 */
import * as Effect from "effect/Effect"
import type { FileReader } from "../../ports/FileReader.ts"
import type { SignalInfo } from "../../ports/Faults.ts"
import * as CoreFile from "./CoreFile.ts"
import * as SignalData from "../signals/SignalData.ts"

const status = 1
const siginfo = 0x53494749

/** Offset of the thread's id in `NT_PRSTATUS` of a 64-bit system. */
const threadOffset = 32

/** Returns the signal of a thread; undefined if the core has none for it, or is of another kind. */
export const read = (
  file: string,
  thread: number,
  files: FileReader["Service"]
): Effect.Effect<SignalInfo | undefined> =>
  Effect.gen(function* () {
    const reader = yield* CoreFile.readerOf(files, file)
    const elf = yield* CoreFile.parsed(reader)
    if (elf?.core !== true || !elf.wide) return undefined
    const notes = yield* CoreFile.allNotes(elf, ({ offset, size }) => reader(offset, size))
    let current: number | undefined
    for (const { content, owner, type } of notes) {
      if (owner === "CORE" && type === status && content.length > threadOffset + 4) {
        const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
        current = view.getInt32(threadOffset, elf.little)
      }
      if (owner === "CORE" && type === siginfo && current === thread)
        return SignalData.parse(content, elf.little, "core")
    }
    return undefined
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )
