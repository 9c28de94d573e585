import { assert, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber } from "effect"
import { Client, Requests } from "../src/index.ts"
import { ScriptedAdapter } from "../src/testing/index.ts"

/** A clock whose sleeps the test ends, with any delay. */
const stoppable = Effect.gen(function* () {
  const real = yield* Clock.Clock
  let now = 0
  let sleeping: { readonly millis: number; readonly done: Deferred.Deferred<void> } | undefined
  let asleep = yield* Deferred.make<number>()
  const clock: Clock.Clock = {
    ...real,
    monotonicTimeNanosUnsafe: () => BigInt(Math.round(now * 1e6)),
    sleep: (duration) =>
      Effect.suspend(() => {
        const millis = Duration.toMillis(duration)
        const done = Deferred.makeUnsafe<void>()
        sleeping = { millis, done }
        return Effect.andThen(Deferred.succeed(asleep, millis), Deferred.await(done))
      })
  }
  return {
    clock,
    /** Waits for the next sleep and returns its duration. */
    asleep: Effect.suspend(() => Deferred.await(asleep)),
    /** Ends the sleep with a delay in milliseconds. */
    wake: (late: number) =>
      Effect.gen(function* () {
        const ending = sleeping
        assert(ending !== undefined)
        asleep = yield* Deferred.make<number>()
        now += ending.millis + late
        yield* Deferred.succeed(ending.done, undefined)
      })
  }
})

it.effect(
  "a deadline that passes while the process is paused is extended, so that responses in the pipe are read first",
  () =>
    Effect.gen(function* () {
      const time = yield* stoppable
      const adapter = yield* ScriptedAdapter.make((adapter) => adapter.silence)
      yield* Effect.gen(function* () {
        const client = yield* Client.make({ transport: adapter.transport, onEvent: () => {} })
        const fiber = yield* Effect.forkChild(Effect.flip(client.request(Requests.Threads)))
        assert.strictEqual(yield* time.asleep, 30_000)
        yield* time.wake(3_600_000)
        assert.strictEqual(yield* time.asleep, 1_000)
        assert.strictEqual(fiber.pollUnsafe(), undefined)
        yield* time.wake(0)
        const error = yield* Fiber.join(fiber)
        assert(error instanceof Object && error.message.includes("did not answer threads within 30s"), error.message)
      }).pipe(Effect.provideService(Clock.Clock, time.clock))
    })
)
