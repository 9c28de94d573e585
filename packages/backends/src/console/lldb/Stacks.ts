/**
 * Stacks on LLDB's command line: lldb-dap counts all frames of a stack before it gives the first page, up to 19, which
 * takes seconds where recursion is deep. The command line unwinds what was asked for.
 */
import { Frames } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** lldb-dap makes a frame's id from LLDB's number of the thread and the number of the frame. */
const threadShift = 2 ** 19

/** The thread, by LLDB's number, and the frame of a handle. */
export const placeOf = (handle: number): { readonly thread: number; readonly frame: number } => ({
  thread: Math.floor(handle / threadShift),
  frame: handle % threadShift
})

/** A frame with the handle that lldb-dap would give it. */
export const frameOf = (frame: Frames.FrameRecord): Backend.StackFrame => ({
  handle: frame.thread * threadShift + frame.index,
  function: frame.function ?? frame.address,
  ...(frame.file === undefined || frame.line === undefined ? {} : { file: frame.file, line: frame.line }),
  ...(frame.line === undefined || frame.column === undefined ? {} : { column: frame.column }),
  ...(frame.module === undefined ? {} : { module: frame.module }),
  address: frame.address,
  ...(frame.stackPointer === undefined ? {} : { activation: frame.stackPointer })
})

/** Pages of stacks; nothing when LLDB's answer is not what was expected, so that the adapter has to be asked. */
export const make = (formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>) => {
  /** LLDB's own numbers of threads, by the system's. */
  let numbers: ReadonlyMap<number, number> = new Map()

  const numberOf = Effect.fnUntraced(function* (thread: number) {
    const known = numbers.get(thread)
    if (known !== undefined) return known
    numbers = new Map(Frames.threadList(yield* formatted(Frames.threads)).map(({ index, tid }) => [tid, index]))
    return numbers.get(thread)
  })

  return Effect.fnUntraced(function* (thread: number, start: number, count: number) {
    const number = yield* numberOf(thread)
    if (number === undefined) return undefined
    const frames = Frames.frames(yield* formatted(Frames.stack(number, start, count)))
    const exact = frames.every((frame, i) => frame.tid === thread && frame.index === start + i)
    if (!exact) numbers = new Map()
    if (!exact || (frames.length === 0 && start === 0)) return undefined
    const ends = frames.length < count && (frames.length > 0 || start === 0)
    const stack: Backend.Stack = {
      frames: frames.map(frameOf),
      ...(ends ? { total: start + frames.length } : {})
    }
    return stack
  })
}
