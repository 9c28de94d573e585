/**
 * The mutex of a thread whose lock the kernel has refused. A mutex with priority inheritance that would end in a deadlock, or whose owner
 * has ended, is refused, and the C library delays the thread forever on a word of its own. The address of the mutex is in registers
 * of the library's function then, not in the system call.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as LockWords from "../../model/waits/LockWords.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { StopView } from "../../session/values/StopView.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** Registers of x86-64 that a function keeps for its caller. */
const kept = ["rbx", "rbp", "r12", "r13", "r14", "r15"]

/** Distances between the start of a mutex and an address that glibc has in a register: the mutex, and the word of its kind. */
const distances = [0n, 16n]

/** Returns the mutex that a thread tried to lock, if the registers of its innermost functions show exactly one. */
const mutexOf = Effect.fnUntraced(function* (view: StopView, { frames, thread }: Waiting) {
  const user = frames.findIndex((frame) => RuntimeFrames.runtimeOf(frame) !== "libc")
  const [inner, caller] = [frames[0], frames[user]]
  if (user < 1 || inner === undefined || caller === undefined) return undefined
  const valuesOf = Effect.fnUntraced(function* ({ index }: Frame.Frame) {
    const groups = yield* view.registers(yield* view.frame(thread.id, index))
    const values = groups.flatMap(({ registers }) => registers)
    return new Map(
      kept.map((name) => {
        const text = values.find((one) => one.name === name)?.value ?? ""
        return [name, /^0x[0-9a-fA-F]+/.exec(text)?.[0]]
      })
    )
  })
  const [now, before] = [yield* valuesOf(inner), yield* valuesOf(caller)]
  const found = new Set<bigint>()
  for (const [name, value] of now) {
    // A value of the caller says nothing of this call.
    if (value === undefined || value === before.get(name)) continue
    for (const distance of distances) {
      const address = BigInt(value) - distance
      if (address <= 0n || address % 8n !== 0n) continue
      const words = yield* view.connection.inspection.memory(address, LockWords.mutexSize).pipe(
        Effect.map(({ bytes, unreadable }) => (unreadable.length > 0 ? undefined : { address, bytes })),
        Effect.orElseSucceed(() => undefined)
      )
      if (words !== undefined && LockWords.isInheriting(words)) found.add(address)
    }
  }
  const [address] = found
  return found.size === 1 ? address : undefined
})

/** Returns the wait of a thread whose lock was refused as one for its mutex, if that is known. */
export const find = Effect.fnUntraced(function* (view: StopView, waiting: Waiting) {
  const { refused } = waiting
  if (refused === undefined) return waiting
  const address = yield* mutexOf(view, waiting)
  if (address === undefined) return waiting
  const mutex: Waiting = {
    ...waiting,
    by: [...waiting.by, "registers"],
    lock: address,
    futex: { ...refused, address, inherits: true },
    readable: true
  }
  return mutex
})
