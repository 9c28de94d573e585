/**
 * The system calls that the kernel continues after a stop. It names such a call `restart_syscall`; the instructions that made it say
 * which one it is.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as SystemCalls from "../../model/waits/SystemCalls.ts"
import type { KernelThread } from "../../ports/Processes.ts"
import type { StopView } from "../../session/values/StopView.ts"

/** Functions that wait on a futex by a general function for system calls. */
const futexFunction = /\bfutex(?:::|_wait)/

/** Returns the number of the call by the functions of the libraries on the stack: only that of `futex` is known so. */
const numberByName = (frames: ReadonlyArray<Frame.Frame>, arch: string): number | undefined => {
  const end = frames.findIndex(RuntimeFrames.isUserFrame)
  const library = end === -1 ? frames : frames.slice(0, end)
  return library.some(({ function: name }) => futexFunction.test(name)) ? SystemCalls.futexNumber(arch) : undefined
}

/** Makes a function that returns a thread with the call that it continues. A call that is not found stays as it is. */
export const make = (view: StopView, arch: string) => {
  /** Numbers by the program counter: most threads wait in the same function. */
  const numbers = new Map<string, number | undefined>()

  const numberAt = (address: string) =>
    view.connection.inspection.memory(BigInt(address) - BigInt(SystemCalls.entrySize), SystemCalls.entrySize).pipe(
      Effect.map(({ bytes, unreadable }) => (unreadable.length > 0 ? undefined : SystemCalls.numberAt(bytes, arch))),
      Effect.orElseSucceed(() => undefined)
    )

  return Effect.fnUntraced(function* (frames: ReadonlyArray<Frame.Frame>, thread: KernelThread | undefined) {
    const call = thread?.call
    if (thread === undefined || call === undefined || !SystemCalls.isRestart(call, arch)) return thread
    const address = frames[0]?.address
    if (address !== undefined && !numbers.has(address)) numbers.set(address, yield* numberAt(address))
    const number = (address === undefined ? undefined : numbers.get(address)) ?? numberByName(frames, arch)
    return number === undefined ? thread : { ...thread, call: { ...call, number } }
  })
}
