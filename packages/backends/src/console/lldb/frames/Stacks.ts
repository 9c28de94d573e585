/**
 * Reads stacks by LLDB commands, which unwind only the requested frames. Up to 19 lldb-dap counts all frames before it
 * returns the first page, which takes seconds for deep recursion.
 */
import { Frames } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { CallFrames } from "./CallFrames.ts"
import * as FrameHandles from "./FrameHandles.ts"

/**
 * Translates a frame, with the handle that lldb-dap would give it. An instruction that optimized code shares between lines has the line 0
 * (DWARF 5, section 6.2.2): its frame has a file and no line.
 */
export const frameOf = (frame: Frames.FrameRecord): Backend.StackFrame => ({
  handle: FrameHandles.handleOf(frame.thread, frame.index),
  function: frame.function ?? frame.address,
  ...(frame.file === undefined ? {} : { file: frame.file }),
  ...(frame.file === undefined || frame.line === undefined ? {} : { line: frame.line }),
  ...(frame.line === undefined || frame.column === undefined ? {} : { column: frame.column }),
  ...(frame.module === undefined ? {} : { module: frame.module }),
  address: frame.address,
  ...(frame.stackPointer === undefined ? {} : { activation: frame.stackPointer })
})

/** Functions in which programs, threads and contexts start (glibc, musl, dyld). */
const starts = /^(?:_start|_start_c|start|start_thread|thread_start|__start_context|_*(?:GI_*)?clone[23]?)$/

/** Matches a section of data in the output of `image lookup -a`. */
const dataSection = /^\s+Address: .*\.(?:data|bss|rodata|got)\b/m

/**
 * Marks a whole stack if callers of its last frame may be missing. LLDB ends a stack without a message if it cannot unwind
 * a frame. A last frame whose address is in a data section or in no module is false and is removed.
 */
const withEnd = Effect.fnUntraced(function* (
  frames: ReadonlyArray<Backend.StackFrame>,
  text: (command: string) => Effect.Effect<string, Backend.Failure>
) {
  const last = frames.at(-1)
  if (last === undefined || starts.test(last.function)) return { frames }
  const isFalse =
    frames.length > 1 &&
    last.file === undefined &&
    (last.module === undefined || dataSection.test(yield* text(`image lookup -a ${last.address ?? "0"}`)))
  const rest = isFalse ? frames.slice(0, -1) : frames
  return { frames: rest, ...(isFalse || last.file !== undefined ? { cut: true } : {}) }
})

/** The function whose code a frame runs, without what is inlined into it. */
const container = (name: string): string => name.split(" [inlined] ")[0] ?? name

/**
 * True if frames are missing after one of inlined code: it is in the function that contains it, whose frame LLDB 19 leaves out for some
 * functions of gcc whose inlined parts are in several ranges.
 */
const skips = (frames: ReadonlyArray<Backend.StackFrame>): boolean =>
  frames.some(({ address, function: name }, index) => {
    const caller = frames[index + 1]
    if (caller === undefined || !name.includes(" [inlined] ")) return false
    return caller.address !== address && container(caller.function) !== container(name)
  })

/**
 * Makes the function that reads a page of a stack. It returns undefined if LLDB's output is unexpected; the caller uses
 * `stackTrace` (DAP) then.
 */
export const make = (
  formatted: (commands: Frames.Formatted) => Effect.Effect<string, Backend.Failure>,
  text: (command: string) => Effect.Effect<string, Backend.Failure>,
  calls: Pick<CallFrames, "completed">
) => {
  /** LLDB's thread numbers, by the operating system's. */
  let numbers: ReadonlyMap<number, number> = new Map()

  const numberOf = Effect.fnUntraced(function* (thread: number) {
    const known = numbers.get(thread)
    if (known !== undefined) return known
    const listed = yield* Frames.threadListInSteps(yield* formatted(Frames.threads))
    numbers = new Map(listed.map(({ index, tid }) => [tid, index]))
    return numbers.get(thread)
  })

  return Effect.fnUntraced(function* (thread: number, start: number, count: number) {
    const number = yield* numberOf(thread)
    if (number === undefined) return undefined
    const frames = yield* Frames.framesInSteps(yield* formatted(Frames.stack(number, start, count)))
    const exact = frames.every((frame, i) => frame.tid === thread && frame.index === start + i)
    if (!exact) numbers = new Map()
    if (!exact || (frames.length === 0 && start === 0)) return undefined
    const listed = frames.map(frameOf)
    const completed = yield* calls.completed(number, start, count, listed)
    const { frames: shown, total } = completed ?? { frames: listed }
    const missing = skips(shown) ? { cut: true } : {}
    if (total !== undefined) return { frames: shown, ...missing, total }
    const ends = shown.length < count && (shown.length > 0 || start === 0)
    if (!ends) return { frames: shown, ...missing }
    const whole: Backend.Stack = yield* withEnd(shown, text)
    return { ...whole, ...missing, total: start + whole.frames.length }
  })
}
