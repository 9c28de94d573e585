/**
 * The time limit of a command whose operation has none of its own: `--timeout` of the command line.
 */
import { CallRequests, Errors, Field, Hint, Payload } from "@sigtrap/protocol"
import type * as Commands from "@sigtrap/protocol/grammar/Commands"
import { Effect, Schema } from "effect"
import type * as OutputSettings from "../render/OutputSettings.ts"

/** Returns the call with its limit. Fails with `Usage` if the limit is not a duration. */
export const within = Effect.fnUntraced(function* <A, E, R>(
  call: Effect.Effect<A, E, R>,
  { name, operation }: Commands.Command,
  { timeout }: OutputSettings.Settings
) {
  if (timeout === undefined || Payload.hasField(operation, "timeout")) return call
  if (!Schema.is(Field.Duration)(timeout)) {
    const problem = `--timeout ${timeout} is not a duration: write it as 30s, 500ms, 2m or 1h`
    return yield* new Errors.Usage({ problem, near: [], remedies: [Hint.help(operation._tag)] })
  }
  const millis = Field.millis(timeout)
  if (!Number.isFinite(millis) || millis === 0) return call
  const requests = CallRequests.make(yield* CallRequests.Current)
  return Effect.suspend(() => {
    // Read before the call is interrupted, which ends its requests.
    let waiting: string | undefined
    const limit = Effect.sleep(millis).pipe(
      Effect.andThen(Effect.sync(() => (waiting = CallRequests.longest(requests)))),
      Effect.andThen(
        Effect.suspend(() => Effect.fail(new Errors.RequestTimeout({ command: waiting ?? name, after_ms: millis })))
      )
    )
    return Effect.raceFirst(Effect.provideService(call, CallRequests.Current, requests), limit)
  })
})
