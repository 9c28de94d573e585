// The time that a call loses to requests that a debugger leaves unanswered.
import { assert, it } from "@effect/vitest"
import { CallRequests } from "@sigtrap/protocol"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const late = (name: string) => (millis: number) => `${name} after ${millis}`

/** A debugger with a time limit of 30 s that answers only some requests. */
const debuggerOf = (answered: ReadonlySet<string>) => {
  const connection = {}
  const limits: Array<readonly [name: string, millis: number]> = []
  const ask = (name: string) =>
    CallRequests.limited(
      { connection, name, millis: 30_000, isLate: (error: string) => error.includes("after"), late: late(name) },
      (millis) => {
        limits.push([name, millis])
        return answered.has(name)
          ? Effect.succeed(name)
          : Effect.andThen(Effect.sleep(millis), Effect.fail(late(name)(millis)))
      }
    ).pipe(Effect.catch((error) => Effect.succeed(error)))
  return { ask, limits }
}

const inCall = <A, E, R>(work: Effect.Effect<A, E, R>, requests = CallRequests.make(undefined)) =>
  Effect.provideService(work, CallRequests.Current, requests)

it.effect("a call waits once for a debugger that does not answer, and gets the answers to other requests", () =>
  Effect.gen(function* () {
    const { ask, limits } = debuggerOf(new Set(["threads"]))
    const call = yield* Effect.forkChild(inCall(Effect.forEach(["scopes", "scopes", "threads", "modules"], ask)))
    yield* TestClock.adjust("31 seconds")
    assert.deepStrictEqual(yield* Fiber.join(call), [
      "scopes after 30000",
      "scopes after 30000",
      "threads",
      "modules after 1000"
    ])
    assert.deepStrictEqual(limits, [
      ["scopes", 30_000],
      ["threads", 1000],
      ["modules", 1000]
    ])
  })
)

it.effect("the next call, another debugger and a call that lasts long get the whole limit again", () =>
  Effect.gen(function* () {
    const { ask, limits } = debuggerOf(new Set())
    const other = debuggerOf(new Set())
    const call = inCall(Effect.andThen(Effect.andThen(ask("scopes"), other.ask("scopes")), ask("scopes")))
    const fiber = yield* Effect.forkChild(Effect.andThen(call, inCall(ask("scopes"))))
    yield* TestClock.adjust("120 seconds")
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(
      [...limits, ...other.limits].map(([, millis]) => millis),
      [30_000, 30_000, 30_000, 30_000]
    )
  })
)

it.effect("the request that waits longest has a name, also if another call has sent it", () =>
  Effect.gen(function* () {
    const { ask } = debuggerOf(new Set())
    const requests = CallRequests.make(undefined)
    const sentAhead = CallRequests.make(undefined)
    assert.isUndefined(CallRequests.longest(requests))
    yield* Effect.forkChild(inCall(CallRequests.noted(sentAhead, Effect.never), requests), { startImmediately: true })
    assert.isUndefined(CallRequests.longest(requests))
    const sent = yield* Effect.forkChild(inCall(ask("stackTrace"), sentAhead), { startImmediately: true })
    yield* Effect.forkChild(inCall(ask("scopes"), CallRequests.make(requests)), { startImmediately: true })
    assert.strictEqual(CallRequests.longest(requests), "stackTrace")
    yield* Fiber.interrupt(sent)
    assert.strictEqual(CallRequests.longest(requests), "scopes")
  })
)
