/**
 * Breakpoints that end with a resume: where a function returns, for `until --same-frame` and for `finish` to a caller that the
 * debugger does not find.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Selection from "../frames/Selection.ts"
import type { Session } from "../../session/Session.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"

/**
 * Returns the condition that the frame `own` has returned to its caller. Of a caller that the debugger does not find the stack pointer is known, so
 * neither a deeper call nor another thread meets the condition.
 */
const hasReturned = Effect.fnUntraced(function* (view: StopView, own: Located, caller: Located) {
  if (caller.frame.unlisted === true && caller.activation !== undefined) {
    return { condition: `(unsigned long)$sp == ${caller.activation}` }
  }
  const stack = yield* view.evaluate("(unsigned long)$sp", own, "read").pipe(Effect.option)
  return Option.isNone(stack) ? {} : { condition: `(unsigned long)$sp > ${stack.value.value}` }
})

/**
 * Sets an internal breakpoint at the return address of a thread's innermost frame, whose condition is that the frame has returned. Returns its
 * id; undefined if there is no caller.
 */
export const atReturn = Effect.fnUntraced(function* (session: Session, thread: number | undefined) {
  const view = yield* session.view
  const { id } = yield* Selection.threadOf(session, view, thread)
  const own = Option.getOrUndefined(yield* Effect.option(view.frame(id, 0)))
  if (own === undefined) return undefined
  const caller = Option.getOrUndefined(yield* Effect.option(view.frame(id, 1)))
  const address = caller?.frame.address
  if (caller === undefined || address === undefined) return undefined
  return yield* session.breakpoints.addInternal({
    text: `the end of ${own.frame.function}`,
    place: { kind: "special", at: { kind: "address", expression: address } },
    pending: false,
    temporary: false,
    ...(yield* hasReturned(view, own, caller))
  })
})

/**
 * Removes a breakpoint: now, or at the stop of the resume `pending`, which is not awaited, by a fiber in the scope of the session. One that
 * was hit may be removed already.
 */
export const remove = (session: Session, id: number, pending: number | undefined) =>
  Effect.suspend(() => {
    const removal = Effect.ignore(session.breakpoints.remove([id]))
    if (pending === undefined) return removal
    const later = Effect.andThen(session.outcome(pending, Infinity), removal)
    return Effect.asVoid(Effect.forkIn(later, session.scope, { startImmediately: true }))
  })
