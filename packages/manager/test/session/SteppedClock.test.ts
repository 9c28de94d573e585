// Deadlines and the order of events hold while the wall clock steps back.
import { Errors, Operations } from "@sigtrap/protocol"
import { SteppedClock } from "@sigtrap/protocol/testing"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ConnectRetry from "../../src/launch/ConnectRetry.ts"
import * as Requests from "../../src/Requests.ts"
import { EventLog } from "../../src/session/events/EventLog.ts"
import * as IdleTimeout from "../../src/session/IdleTimeout.ts"

it.effect("an unused session ends after its idle timeout", () =>
  Effect.gen(function* () {
    const idle = IdleTimeout.make(60_000, 0)
    const stepped = yield* SteppedClock.make
    const expired = yield* Effect.forkChild(stepped(idle.expired), { startImmediately: true })
    yield* TestClock.adjust("59 seconds")
    assert.isUndefined(expired.pollUnsafe())
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(expired)
  })
)

it.effect("a connection is retried until its timeout", () =>
  Effect.gen(function* () {
    const refused = new Errors.AttachFailed({ target: "x", detail: "refused", reason: "connection-refused" })
    const stepped = yield* SteppedClock.make
    const retried = yield* Effect.forkChild(stepped(Effect.flip(ConnectRetry.retry(Effect.fail(refused), 1000))), {
      startImmediately: true
    })
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(retried))._tag, "AttachFailed")
  })
)

it.effect("an answer is repeated for ten minutes and no longer", () =>
  Effect.gen(function* () {
    const stepped = yield* SteppedClock.make
    const around = yield* Requests.once
    let runs = 0
    const call = stepped(
      around(
        { operation: Operations.byTag("next"), payload: {}, id: "a" },
        Effect.sync(() => ++runs)
      )
    )
    yield* call
    yield* TestClock.adjust("9 minutes")
    assert.strictEqual(yield* call, 1)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* call, 2)
  })
)

it.effect("the timestamps of events stay in order", () =>
  Effect.gen(function* () {
    const stepped = yield* SteppedClock.make
    const log = new EventLog(yield* stepped(Clock.Clock), () => {})
    for (let pid = 1; pid < 5; pid++) log.emit({ _tag: "Process", pid, name: "app" })
    const times = log.journal.since(0).entries.map(({ time }) => time)
    assert.lengthOf(times, 4)
    assert.deepStrictEqual(
      times,
      times.toSorted((a, b) => a - b)
    )
  })
)
