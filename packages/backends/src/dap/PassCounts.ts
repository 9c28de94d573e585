/**
 * Reports how often the program passed the places of breakpoints, before its end is reported.
 */
import * as Effect from "effect/Effect"
import type { Breakpoints } from "../console/Dialect.ts"

/** How long the report of the program's end waits for the counts. */
const timeout = "1 second"

/** Returns a request that reports the counts; undefined if none are counted. */
export type Count = () => Effect.Effect<void> | undefined

/** Makes the request from the one of the debugger. */
export const make =
  (passes: Breakpoints["passes"], passed: (id: number, count: number) => void): Count =>
  () =>
    passes?.()?.pipe(
      Effect.timeout(timeout),
      Effect.map((all) => {
        for (const { count, id } of all) passed(id, count)
      }),
      Effect.ignore
    )
