/**
 * Which thread runs an initialization that others wait for. Neither the guard of a static variable nor a `std::once_flag` of glibc has
 * its thread in memory, so the stacks of the threads tell: one of them is in the function that has the static variable, or in a call of
 * `call_once` or `pthread_once` with the same flag.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as NamedObjects from "./NamedObjects.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** The function of the C++ runtime that waits for a static variable of a function. */
const guardWait = /^__cxa_guard_acquire\b/

/** The functions that call an initialization. */
const onceCall = /\b_*(?:call_once|gthread_once|pthread_once)/

/** Largest size of a `std::once_flag` and of a `pthread_once_t`, in bytes: that of libc++. */
const flagSize = 8

/** A frame of the user that called the library: `between` are the frames of that call, the innermost first. */
interface Caller {
  readonly frame: Frame.Frame
  readonly between: ReadonlyArray<Frame.Frame>
}

/** Returns the frames of the user that are in a call of the library from which a further frame of the user was called. */
const callers = (frames: ReadonlyArray<Frame.Frame>): ReadonlyArray<Caller> => {
  const own = frames.flatMap((frame, at) => (RuntimeFrames.isUserFrame(frame) ? [{ frame, at }] : []))
  return own.flatMap(({ frame, at }, index) => {
    const inner = own[index - 1]
    return inner === undefined || inner.at + 1 === at ? [] : [{ frame, between: frames.slice(inner.at + 1, at) }]
  })
}

/** True if a frame is in the initialization behind the call of the runtime from which another frame of the function waits. */
const runsBehind = (waiting: Frame.Frame, frame: Frame.Frame): boolean =>
  frame.function === waiting.function &&
  frame.file === waiting.file &&
  frame.line === waiting.line &&
  frame.address !== undefined &&
  waiting.address !== undefined &&
  BigInt(frame.address) > BigInt(waiting.address)

/** Returns the threads that run the initialization of the static variable that a thread waits for. */
const inFunction = (all: ReadonlyArray<Waiting>, { frames }: Waiting): ReadonlyArray<Frame.Thread> => {
  const guard = frames.findIndex((frame) => guardWait.test(frame.function))
  const caller = guard === -1 ? undefined : frames[guard + 1]
  if (caller?.line === undefined || !RuntimeFrames.isUserFrame(caller)) return []
  return all.filter((one) => one.frames.slice(1).some((frame) => runsBehind(caller, frame))).map(({ thread }) => thread)
}

/** True if the library's frames below a frame of the user are those of a call of an initialization. */
const callsOnce = Effect.fnUntraced(function* (view: StopView, { between, frame }: Caller) {
  if (between.some(({ function: name }) => onceCall.test(name))) return true
  const { lookup } = view.connection.inspection
  if (lookup === undefined || frame.address === undefined) return false
  const name = yield* lookup.called(BigInt(frame.address))
  return name !== undefined && onceCall.test(name)
})

/** Returns the threads in a call with the flag at an address. */
const inCall = Effect.fnUntraced(function* (view: StopView, all: ReadonlyArray<Waiting>, flag: bigint) {
  const found: Array<Frame.Thread> = []
  for (const { frames, thread } of all) {
    for (const caller of callers(frames)) {
      if (!(yield* callsOnce(view, caller))) continue
      const place = { address: flag, size: flagSize }
      const named = yield* NamedObjects.at(view, thread.id, caller.frame.index, place)
      if (named !== undefined && !found.includes(thread)) found.push(thread)
    }
  }
  return found
})

/**
 * Returns the thread that runs the initialization that a thread waits for; undefined if the stacks that were read do not show exactly
 * one.
 */
export const of = Effect.fnUntraced(
  function* (view: StopView, all: ReadonlyArray<Waiting>, waiting: Waiting) {
    const { lock } = waiting
    const isGuard = waiting.frames.some((frame) => guardWait.test(frame.function))
    const found = isGuard ? inFunction(all, waiting) : lock === undefined ? [] : yield* inCall(view, all, lock)
    const [only] = found
    return found.length === 1 ? only : undefined
  },
  Effect.orElseSucceed(() => undefined)
)
