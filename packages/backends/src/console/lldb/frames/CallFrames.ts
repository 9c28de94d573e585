/**
 * The callers that LLDB 19 does not find: those of functions that gcc split into `f` and `f.cold`, and of functions between the two. They
 * are read from the call frame information of the program, by a command that needs LLDB's Python. LLDB has no values of such frames.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as FrameHandles from "./FrameHandles.ts"

/** The answer of the command. */
const Answer = Schema.fromJsonString(
  Schema.Struct({
    /** Number of frames that LLDB lists rightly; null if the frames after some of them are not judged. */
    listed: Schema.NullOr(Schema.Int),
    /** Number of these whose variables LLDB finds; null if that is all. */
    right: Schema.NullOr(Schema.Int),
    /** The names of frames that LLDB names after a split function around them, by their index. */
    names: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    /** The frames that follow those that LLDB lists rightly. */
    more: Schema.Array(
      Schema.Struct({
        function: Schema.String,
        file: Schema.optionalKey(Schema.String),
        line: Schema.optionalKey(Schema.Int),
        column: Schema.optionalKey(Schema.Int),
        address: Schema.String,
        stack: Schema.String,
        module: Schema.String
      })
    ),
    /** The last of them is the first function of the thread. */
    whole: Schema.Boolean
  })
)
const decode = Schema.decodeUnknownOption(Answer)

/** A part of a stack, with its total length if its end is known. */
interface Completed {
  readonly frames: ReadonlyArray<Backend.StackFrame>
  readonly total?: number
}

/** The frames of one connection that LLDB does not find or reads wrongly. */
export interface CallFrames {
  /**
   * Replaces what follows the frames that LLDB lists rightly. `thread` is the number of LLDB. Undefined if nothing is to be
   * replaced.
   */
  readonly completed: (
    thread: number,
    start: number,
    count: number,
    frames: ReadonlyArray<Backend.StackFrame>
  ) => Effect.Effect<Completed | undefined>
  /** Whether LLDB computes the address of a frame rightly; undefined if that is not known. */
  readonly isRight: (handle: number) => Effect.Effect<boolean | undefined>
  /** True for a frame that `completed` has added. */
  readonly isAdded: (handle: number) => boolean
  readonly forget: () => void
}

/** Makes them for one connection. `text` runs a command and returns its output. */
export const make = (text: (line: string) => Effect.Effect<string, Backend.Failure>): CallFrames => {
  let isAbsent = false
  /** The answers since the program stopped, by LLDB's thread number. */
  const known = new Map<number, { readonly answer: typeof Answer.Type; readonly most: number }>()

  const ask = Effect.fnUntraced(function* (thread: number, most: number) {
    if (isAbsent) return undefined
    const output = yield* Effect.orElseSucceed(text(`sigtrap-call-frames ${thread} ${most}`), () => "none")
    const answer = Option.getOrUndefined(decode(output.trim()))
    // LLDB without Python does not know the command.
    isAbsent = answer === undefined && !output.startsWith("later")
    if (answer === undefined) known.delete(thread)
    else known.set(thread, { answer, most })
    return answer
  })

  return {
    completed: Effect.fnUntraced(function* (thread, start, count, frames) {
      const answer = yield* ask(thread, start + count)
      if (answer === undefined) return undefined
      const { listed, more, names = {}, whole } = answer
      const named = frames.map((frame, index) => {
        const name = names[String(start + index)]
        return name === undefined ? frame : { ...frame, function: name }
      })
      const isRight = Object.keys(names).length === 0
      if (listed === null || (more.length === 0 && start + frames.length <= listed)) {
        return isRight ? undefined : { frames: named }
      }
      const added = more.map(({ address, stack, ...place }, index): Backend.StackFrame => ({
        handle: FrameHandles.handleOf(thread, listed + index),
        ...place,
        address,
        activation: stack,
        unlisted: true
      }))
      const all = [...named.slice(0, Math.max(0, listed - start)), ...added.slice(Math.max(0, start - listed))]
      const end = listed + more.length
      return { frames: all.slice(0, count), ...(whole && end <= start + count ? { total: end } : {}) }
    }),
    isRight: (handle) =>
      Effect.suspend(() => {
        const { frame, thread } = FrameHandles.placeOf(handle)
        const found = known.get(thread)
        const isAsked = found !== undefined && frame < found.most
        const answer = isAsked ? Effect.succeed(found.answer) : ask(thread, frame + 1)
        return Effect.map(answer, (one) => (one === undefined ? undefined : one.right === null || frame < one.right))
      }),
    isAdded: (handle) => {
      const { frame, thread } = FrameHandles.placeOf(handle)
      const { listed = null, more = [] } = known.get(thread)?.answer ?? {}
      return listed !== null && more.length > 0 && frame >= listed
    },
    forget: () => known.clear()
  }
}
