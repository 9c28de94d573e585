/** The breakpoints of a session, and those that its debugger has, for tests. */
import { Effect } from "effect"
import type { FakeBackend } from "../../src/testing/index.ts"
import { call } from "../support.ts"

/** The file of the sample program. */
export const file = "/src/app.c"

/** Returns the breakpoints of the session. */
export const list = Effect.map(call.breakpoints(), ({ data }) => data.breakpoints)

/** Returns the numbers of the breakpoints of the session. */
export const ids = Effect.map(list, (all) => all.map(({ id }) => id))

/** Returns the breakpoints of a file that the debugger has, each as number, line and condition; `""` has those at functions. */
export const sent = (debuggee: Effect.Success<FakeBackend.Fake["newest"]>, group = file) =>
  debuggee.lists
    .get(group)
    ?.map(({ condition, id, line }) => (condition === undefined ? [id, line] : [id, line, condition]))
