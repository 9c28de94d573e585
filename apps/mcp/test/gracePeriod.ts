/** The end of the input of a server while a call is running. */
import { assert } from "@effect/vitest"
import { type Cause, Deferred, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"

/** Ends the input, and checks that the running call is interrupted two seconds later. */
export const interruptedAfterInput = Effect.fnUntraced(function* (
  input: Queue.Queue<Uint8Array, Cause.Done>,
  interrupted: Deferred.Deferred<void>
) {
  yield* Queue.end(input)
  yield* TestClock.adjust("1 second")
  assert.isFalse(yield* Deferred.isDone(interrupted))
  yield* TestClock.adjust("1 second")
  yield* Deferred.await(interrupted)
})
