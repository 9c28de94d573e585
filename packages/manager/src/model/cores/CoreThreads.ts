/**
 * The system calls of the threads of a core file of Linux, from the registers in its notes (`NT_PRSTATUS`, elf.h of the kernel).
 *
 * A thread was in a call if its registers are those that `syscall` leaves (AMD64 architecture, volume 3) and its result is one of the
 * codes with which the kernel interrupts a wait (linux/errno.h). With a result other than an error it had left the call. Only x86-64 keeps
 * the number and all arguments of a call.
 */
import * as Effect from "effect/Effect"
import type { FileReader } from "../../ports/FileReader.ts"
import type { KernelThread } from "../../ports/Processes.ts"
import * as CoreFile from "./CoreFile.ts"

/** Threads of a core file, and the processor that ran them as Node.js names it. */
export interface Found {
  readonly threads: ReadonlyArray<KernelThread>
  readonly arch: string
}

const none: Found = { threads: [], arch: "" }

const status = 1
const x86 = 62

/** Offsets in `NT_PRSTATUS`: the thread's id, and its registers (`user_regs_struct`). */
const threadOffset = 32
const registerOffset = 112

/** Places of registers in `user_regs_struct`. */
const places = { r10: 7, r9: 8, r8: 9, rax: 10, rcx: 11, rdx: 12, rsi: 13, rdi: 14, number: 15, rip: 16 } as const
const registerCount = 27

/** `ERESTARTSYS`, `ERESTARTNOINTR`, `ERESTARTNOHAND`, `ERESTART_RESTARTBLOCK`. */
const interrupted: ReadonlySet<bigint> = new Set([-512n, -513n, -514n, -516n])

/** Returns a thread by the content of its note; undefined if the note is too short. */
export const threadOf = (content: Uint8Array): KernelThread | undefined => {
  if (content.length < registerOffset + registerCount * 8) return undefined
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const id = view.getInt32(threadOffset, true)
  const register = (place: number) => view.getBigUint64(registerOffset + place * 8, true)
  const signed = (place: number) => BigInt.asIntN(64, register(place))
  const number = signed(places.number)
  if (number === -1n) return { id, isKnown: true }
  const isBehindCall = number >= 0n && register(places.rcx) === register(places.rip)
  // The call has returned a result: the thread runs, as one that sends itself the signal of `abort`.
  if (isBehindCall && signed(places.rax) >= 0n) return { id, isKnown: true }
  if (!isBehindCall || !interrupted.has(signed(places.rax))) return { id, isKnown: false }
  const arguments_ = [places.rdi, places.rsi, places.rdx, places.r10, places.r8, places.r9].map(register)
  return { id, isKnown: true, call: { number: Number(number), arguments: arguments_ } }
}

/** Reads the threads of a core file; none for other files and processors. */
export const read = (file: string, files: FileReader["Service"]): Effect.Effect<Found> =>
  Effect.gen(function* () {
    const reader = yield* CoreFile.readerOf(files, file)
    const elf = yield* CoreFile.parsed(reader)
    if (elf?.core !== true || !elf.wide || !elf.little || elf.machine !== x86) return none
    const notes = yield* CoreFile.allNotes(elf, ({ offset, size }) => reader(offset, size))
    const threads = notes.flatMap(({ content, owner, type }) => {
      const thread = owner === "CORE" && type === status ? threadOf(content) : undefined
      return thread === undefined ? [] : [thread]
    })
    const found: Found = { threads, arch: "x64" }
    return found
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => none)
  )
