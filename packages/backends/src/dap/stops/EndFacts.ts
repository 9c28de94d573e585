/**
 * Reports what the debugger knows of a run just before its end is reported: how often the program passed the places of
 * breakpoints, which children it forked, and what a trace or
 * a path recorded.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"
import type { Breakpoints } from "../../console/Dialect.ts"

/** How long the report of the program's end waits for the facts. */
const timeout = "1 second"

/** Returns a request that reports the facts; undefined if there are none to ask for. */
export type Request = () => Effect.Effect<void> | undefined

/** Reports the breakpoints for which the debugger has found no code until the program's end, although they counted as resolved. */
export const unbound =
  (ids: Pick<BreakpointIds, "assumed">, listener: Pick<Backend.Listener, "placed">): Request =>
  () => {
    for (const id of ids.assumed)
      listener.placed({
        id,
        resolved: false,
        locations: [],
        reason: "the debugger reported no code for this line before the program ended"
      })
    return undefined
  }

/** Makes the request from those of the debugger. `records` fetch what a trace or a path has recorded. */
export const make =
  (
    breakpoints: Pick<Breakpoints, "passes" | "children"> | undefined,
    listener: Pick<Backend.Listener, "passed" | "forked">,
    follows: boolean,
    ...records: ReadonlyArray<Request | undefined>
  ): Request =>
  () => {
    const passes = breakpoints?.passes?.()
    const children = breakpoints?.children?.(follows)
    const recorded = records.flatMap((request) => request?.() ?? [])
    if ((passes ?? children) === undefined && recorded.length === 0) return undefined
    const facts = Effect.gen(function* () {
      for (const { count, id } of passes === undefined ? [] : yield* passes) listener.passed?.(id, count)
      const pids = children === undefined ? [] : yield* children
      if (pids.length > 0) listener.forked?.(pids)
    }).pipe(Effect.timeout(timeout), Effect.ignore)
    return Effect.andThen(Effect.all(recorded, { discard: true }), facts)
  }
