import { assert, it } from "@effect/vitest"
import { WaitingTime } from "@sigtrap/manager"
import { type Answer, Caller, Client, Errors, Operations } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as SlowCalls from "../../src/daemon/SlowCalls.ts"

const caller: Caller.Caller = { actor: { kind: "mcp", name: "agent" }, allowance: Caller.everything }

const measured = (
  work: Effect.Effect<Answer.Answer<unknown>, Errors.SigtrapError>,
  tag: Operations.Tag,
  payload: object = {}
) =>
  Effect.gen(function* () {
    const slow = yield* SlowCalls.SlowCalls
    const client = Client.Client.of({ call: () => Effect.die("not called"), callAny: () => work })
    const call = slow.measured(client).callAny(Operations.byTag(tag), payload)
    const fiber = yield* Effect.forkChild(Effect.exit(Effect.provideService(call, Caller.Current, caller)), {
      startImmediately: true
    })
    yield* TestClock.adjust("1 hour")
    yield* Fiber.await(fiber)
  })

const answer = { ...Recorder.answer({ sessions: [] }), session: "default" }

it.effect("calls are ordered by their work; the time in which they waited for the program is apart", () =>
  Effect.gen(function* () {
    const waits = WaitingTime.during(Effect.sleep("20 seconds"))
    yield* measured(Effect.as(Effect.andThen(Effect.sleep("3 millis"), waits), answer), "continue")
    yield* measured(Effect.andThen(Effect.sleep("40 millis"), Effect.fail(new Errors.NotStopped({}))), "print", {
      session: "web",
      expressions: ["secret"]
    })
    // Waits at the same time count once.
    yield* measured(Effect.as(Effect.all([waits, waits], { concurrency: 2 }), answer), "wait")
    const slow = yield* SlowCalls.SlowCalls
    const list = slow.list(10).map(({ started: _, ...call }) => call)
    assert.deepStrictEqual(list, [
      { operation: "print", session: "web", client: "mcp:agent", work_ms: 40, waited_ms: 0, result: "NOT_STOPPED" },
      { operation: "continue", session: "default", client: "mcp:agent", work_ms: 3, waited_ms: 20_000, result: "OK" },
      { operation: "wait", session: "default", client: "mcp:agent", work_ms: 0, waited_ms: 20_000, result: "OK" }
    ])
    assert.strictEqual(slow.list(1).length, 1)
  }).pipe(Effect.provide(SlowCalls.SlowCalls.layer))
)

it.effect("the list is bounded and keeps the slowest", () =>
  Effect.gen(function* () {
    for (let millis = 1; millis <= SlowCalls.maxKept + 5; millis++) {
      yield* measured(Effect.as(Effect.sleep(millis), answer), "sessions")
    }
    const all = (yield* SlowCalls.SlowCalls).list(1000)
    assert.strictEqual(all.length, SlowCalls.maxKept)
    assert.strictEqual(all[0]?.work_ms, SlowCalls.maxKept + 5)
    assert.strictEqual(all.at(-1)?.work_ms, 6)
  }).pipe(Effect.provide(SlowCalls.SlowCalls.layer))
)
