import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ReadingTime from "../../../src/operations/waits/ReadingTime.ts"

it.effect("reads within the time, and then nothing more", () =>
  Effect.gen(function* () {
    const time = yield* ReadingTime.make(1000)
    assert.strictEqual(yield* time.within(Effect.succeed("read")), "read")
    assert.isFalse(time.isOver())
    const slow = yield* Effect.forkChild(time.within(Effect.never))
    yield* TestClock.adjust(1000)
    assert.isUndefined(yield* Fiber.join(slow))
    assert.isTrue(time.isOver())
    assert.isUndefined(yield* time.within(Effect.die("a read after the time")))
  })
)

it.effect("has no end without a limit", () =>
  Effect.gen(function* () {
    const time = yield* ReadingTime.make(Number.POSITIVE_INFINITY)
    yield* TestClock.adjust("1 day")
    assert.strictEqual(yield* time.within(Effect.succeed(1)), 1)
    assert.isFalse(time.isOver())
  })
)
