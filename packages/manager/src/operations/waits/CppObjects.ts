/**
 * The objects of the library of C++ that threads wait for, where the library waits on a word elsewhere: atomics, barriers, latches and
 * semaphores of C++20, and those of libc++. The functions of its headers have the object as `this`, or its address as an argument.
 */
import { type Frame, FunctionName } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as WaitFrames from "../../model/waits/WaitFrames.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as NamedObjects from "./NamedObjects.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** Most threads of which such an object is read. */
const mostThreads = 64

/** The expressions for the address of the object in functions of the library. */
const rules: ReadonlyArray<readonly [pattern: RegExp, expression: string]> = [
  [
    /^std::(?:__\w+::)?(?:atomic|__atomic_base|atomic_flag|barrier|latch|counting_semaphore)\b[^:]*(?:<.*>)?::\w+$/,
    "this"
  ],
  [/^std::(?:__\w+::)?(?:__shared_mutex_base|shared_(?:timed_)?mutex|(?:recursive_)?timed_mutex)::\w+$/, "this"],
  [/^std::__atomic_wait_address\w*</, "__addr"],
  [/^std::(?:__\w+::)?call_once\b/, "&__flag"],
  // As far from the state as the word of libstdc++, with which a future is named.
  [/^std::(?:__\w+::)?(?:shared_)?future<.*>::\w+$/, "*(unsigned long*)this + 16"]
]

const expressionIn = ({ function: full }: Frame.Frame): string | undefined => {
  const name = FunctionName.short(full)
  return rules.find(([pattern]) => pattern.test(name))?.[1]
}

/** True if the word on which a thread waits may not be in the object. */
const isElsewhere = ({ frames, kind, lock, readable }: Waiting) =>
  WaitFrames.isAtomic(frames) ||
  (WaitFrames.isInLibcpp(frames) && readable !== true && (lock !== undefined || kind === "barrier"))

/** Makes a function that returns a wait with the address of its object, if the library waits on a word elsewhere. */
export const make = (view: StopView) => {
  let threads = 0
  return (waiting: Waiting): Effect.Effect<Waiting> =>
    Effect.gen(function* () {
      const { frames } = waiting
      if (!isElsewhere(waiting) || threads++ >= mostThreads) return waiting
      const user = frames.findIndex(RuntimeFrames.isUserFrame)
      // The outermost function of the library is the one that the user called.
      for (const frame of frames.slice(0, user === -1 ? undefined : user).toReversed()) {
        const expression = expressionIn(frame)
        if (expression === undefined) continue
        const number = NamedObjects.numbersIn(view, yield* view.frame(waiting.thread.id, frame.index))
        const address = number === undefined ? undefined : yield* number(expression)
        if (address !== undefined && address !== 0n) return { ...waiting, lock: address } satisfies Waiting
      }
      return waiting
    }).pipe(Effect.orElseSucceed(() => waiting))
}
