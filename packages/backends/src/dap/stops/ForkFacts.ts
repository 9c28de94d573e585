/**
 * Asks for the children that the program forked before a stop is reported.
 *
 * LLDB continues the program at a fork, which the adapter reports as one more event `continued` (DAP) than the resume has. False
 * conditions have such events too, so the debugger is asked then, and only then.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Breakpoints } from "../../console/Dialect.ts"

/** How long the report of a stop waits for the children. */
const timeout = "1 second"

/** The events `continued` of a resume without a fork: two at the start of the program, one later. */
const usual = (resumed: Backend.Resume | undefined) => (resumed === undefined ? 2 : 1)

/** A request for the children of a stop: it gets how the program was last resumed, and the number of `continued` events since. */
export type Request = (
  resumed: Backend.Resume | undefined,
  latest: { readonly continues: number }
) => Effect.Effect<void> | undefined

/** Makes the request for the children of a stop. A debugger that `follows` children is asked at each stop: the newest is the process. */
export const make =
  (children: Breakpoints["children"], { forked }: Pick<Backend.Listener, "forked">, follows: boolean): Request =>
  (resumed, { continues }) => {
    const asked = follows || continues > usual(resumed) ? children?.(follows) : undefined
    if (asked === undefined || forked === undefined) return undefined
    return asked.pipe(
      Effect.timeout(timeout),
      Effect.map((pids) => (pids.length === 0 ? undefined : forked(pids))),
      Effect.ignore
    )
  }
