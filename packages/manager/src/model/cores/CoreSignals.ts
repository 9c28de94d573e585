/**
 * Reads the signal of a thread from the notes of a core file of Linux: `NT_PRSTATUS` names the thread, and `NT_SIGINFO` after it has
 * the signal (elf.h of the kernel).
 */
import * as Effect from "effect/Effect"
import type { FileReader } from "../../ports/FileReader.ts"
import type { SignalInfo } from "../../ports/Faults.ts"
import * as CoreFile from "./CoreFile.ts"
import * as SignalCodes from "../signals/SignalCodes.ts"

const status = 1
const siginfo = 0x53494749

/** Offset of the thread's id in `NT_PRSTATUS` of a 64-bit system. */
const threadOffset = 32

/** Parses `siginfo_t` of a 64-bit system. */
const parse = (content: Uint8Array, little: boolean): SignalInfo | undefined => {
  if (content.length < 24) return undefined
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const name = SignalCodes.names[view.getInt32(0, little)]
  const number = view.getInt32(8, little)
  if (name === undefined) return undefined
  const code = SignalCodes.nameOf(name, number)
  const isSent = number <= 0
  return {
    name,
    by: "core",
    ...(code === undefined ? {} : { code }),
    ...(isSent ? { sent: true, sender: view.getInt32(16, little) } : {}),
    ...(code === SignalCodes.refusedCall && content.length >= 32
      ? { call: { number: view.getInt32(24, little), architecture: view.getUint32(28, little) } }
      : {}),
    ...(isSent || !SignalCodes.hasAddress.has(name) ? {} : { address: view.getBigUint64(16, little) })
  }
}

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
      if (owner === "CORE" && type === siginfo && current === thread) return parse(content, elf.little)
    }
    return undefined
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )
