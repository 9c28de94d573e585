/** Parts of simulated tracers. */
import { Effect } from "effect"
import type { Logpoints } from "../../src/ports/Tracer.ts"

/** The part for logpoints of a tracer that records none. */
export const withoutLogpoints: Logpoints = {
  values: () => Effect.succeed([]),
  begin: () => Effect.succeed(false),
  take: Effect.void,
  end: Effect.void
}
