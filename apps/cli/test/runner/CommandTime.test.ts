// `--timeout` of commands whose operations have no time of their own.
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { run } from "../fakes.ts"

it.effect("a command that only reads ends at its --timeout under a debugger that does not answer", () =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const reply = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
    const reading = yield* Effect.forkChild(run(["locals", "--timeout", "2s"], { reply }))
    yield* Deferred.await(asked)
    yield* Effect.yieldNow
    yield* TestClock.adjust("2 seconds")
    const { code, stderr } = yield* Fiber.join(reading)
    assert.strictEqual(code, 5)
    assert.include(stderr, "the debugger did not answer locals within 2 s [REQUEST_TIMEOUT]")
  })
)

it.effect("a --timeout in another form is a usage error, and nothing is called", () =>
  Effect.gen(function* () {
    const { calls, code, stderr } = yield* run(["locals", "--timeout", "banana"])
    assert.strictEqual(code, 2)
    assert.include(stderr, "--timeout banana is not a duration: write it as 30s, 500ms, 2m or 1h")
    assert.lengthOf(calls, 0)
  })
)
