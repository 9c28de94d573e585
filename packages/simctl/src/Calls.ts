/**
 * Timeouts of simctl calls, and parsing of their output.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Failure from "./Failure.ts"

/** Timeouts by kind of call, in milliseconds; at least ten times what a call usually takes. */
export const timeouts = {
  list: 15_000,
  boot: 60_000,
  bootstatus: 300_000,
  install: 120_000,
  launch: 60_000,
  quick: 15_000
}

/** The failure of a call whose output cannot be read. */
export const unreadable = (call: Failure.Call, excerpt: string) =>
  new Failure.GarbageOutput({ ...Failure.detailsOf(call), excerpt: excerpt.slice(0, 300) })

/** Parses the output of a call; a parser fails with an excerpt. */
export const read =
  <A>(parse: (stdout: string) => Result.Result<A, string>) =>
  (call: Failure.Call): Effect.Effect<A, Failure.GarbageOutput> =>
    Effect.fromResult(Result.mapError(parse(call.stdout), (excerpt) => unreadable(call, excerpt)))
