/**
 * What an explanation of a stop is made of: the frames that it reads, and what it finds.
 */
import type { Explanation, Location } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Instruction } from "../../ports/Faults.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"
import * as UserFrame from "../frames/UserFrame.ts"

/**
 * What was found at a stop. `line` is the finding in one line, absent if there is nothing beyond the reason of the stop. `at` is the line
 * of the instruction, if the innermost frame has another one.
 */
export interface Finding {
  readonly what: Explanation.Cause
  readonly summary: string
  readonly line?: string
  readonly facts: ReadonlyArray<Explanation.Fact>
  readonly sanitizer?: Explanation.SanitizerReport
  readonly at?: Location.Position
}

/** The code that a signal interrupted: the registers that the kernel saved, and the instruction. */
export interface Interrupted {
  readonly registers: ReadonlyMap<string, bigint>
  readonly instruction?: Instruction
}

/** Number of frames that are read to find a recursion. */
export const depth = 20

/** Returns the frames of a stop. */
export const placeOf = Effect.fnUntraced(function* (session: Session, view: StopView, thread: number) {
  const index = yield* UserFrame.indexOf(session, view, thread)
  const page = yield* view.stack(thread, 0, Math.max(depth, index + 1))
  const top = yield* view.frame(thread, 0)
  const user = yield* view.frame(thread, index)
  return { view, thread, top, user, page }
})

/** The frames of a stop. `interrupted` is set if the innermost one is not that of the stop, but what a signal interrupted. */
export interface StopPlace extends Effect.Success<ReturnType<typeof placeOf>> {
  readonly interrupted?: Interrupted
}

/** Returns the values that are not undefined. */
export const present = <A>(...values: ReadonlyArray<A | undefined>): ReadonlyArray<A> =>
  values.flatMap((one) => (one === undefined ? [] : [one]))
