/**
 * Asks for the children that the program forked before a stop is reported.
 *
 * LLDB continues the program at a fork, which the adapter reports as one more event `continued` (DAP) than the resume has. False
 * conditions have such events too, so the debugger is asked then, and only then.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Breakpoints } from "../console/Dialect.ts"
import type * as Stops from "./Stops.ts"

/** How long the report of a stop waits for the children. */
const timeout = "1 second"

/** The events `continued` of a resume without a fork: two at the start of the program, one later. */
const usual = (resumed: Backend.Resume | undefined) => (resumed === undefined ? 2 : 1)

/** Makes a correction of stops that first reports the children, and then corrects the stop as before. */
export const make =
  (
    children: Breakpoints["children"],
    { forked }: Pick<Backend.Listener, "forked">,
    correct: Stops.Correction | undefined
  ): Stops.Correction =>
  (body, resumed, continues) => {
    const corrected = correct?.(body, resumed, continues)
    const asked = continues > usual(resumed) ? children?.() : undefined
    if (asked === undefined || forked === undefined) return corrected
    return asked.pipe(
      Effect.timeout(timeout),
      Effect.map((pids) => (pids.length === 0 ? undefined : forked(pids))),
      Effect.ignore,
      Effect.andThen(corrected ?? Effect.succeed(body))
    )
  }
