/**
 * Spans of requests. `Effect.fn` and `Effect.withSpan` make a span, a stack trace and two contexts also where no tracer gets the span.
 */
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"

/** Returns a function that runs a request in a span with its command, if the caller of the effect has set a tracer. */
export const within =
  (name: string, command: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.tracer, (tracer) =>
      tracer === Tracer.nativeTracer ? work : Effect.withSpan(work, name, { attributes: { command } })
    )
