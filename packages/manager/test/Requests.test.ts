// Requests with an id are carried out once; the number and age of the kept answers are limited.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Operations } from "@sigtrap/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { FakeBackend } from "../src/testing/index.ts"
import { ask, call, code, over } from "./support.ts"
import * as Requests from "../src/Requests.ts"

const counted = Effect.gen(function* () {
  const once = yield* Requests.once
  let runs = 0
  const work = Effect.sync(() => (runs += 1))
  return (id: string) => once({ id, operation: Operations.byTag("next"), payload: {} }, work)
})

it.effect("a request with a known id gets the first answer, for ten minutes", () =>
  Effect.gen(function* () {
    const run = yield* counted
    assert.deepStrictEqual([yield* run("a"), yield* run("a"), yield* run("b")], [1, 1, 2])
    yield* TestClock.adjust("9 minutes")
    assert.strictEqual(yield* run("a"), 1)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* run("a"), 3)
  })
)

it.effect("a request of another token of the same name is another request", () =>
  Effect.gen(function* () {
    const run = yield* counted
    const by = (grant: string) =>
      Effect.provideService(run("a"), Caller.Current, {
        actor: { kind: "http", name: "review" },
        allowance: Caller.everything,
        grant
      })
    assert.deepStrictEqual([yield* by("g1"), yield* by("g2"), yield* by("g1")], [1, 2, 1])
  })
)

it.effect("at most 1000 answers are kept, the newest", () =>
  Effect.gen(function* () {
    const run = yield* counted
    for (let at = 1; at <= 1001; at += 1) assert.strictEqual(yield* run(String(at)), at)
    assert.strictEqual(yield* run("1001"), 1001)
    assert.strictEqual(yield* run("1"), 1002)
  })
)

describe("a repeated request", () => {
  it.effect("is carried out once within ten minutes, even if the first caller disconnects", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const first = yield* call.next({ request_id: "r1" })
        const again = yield* call.next({ request_id: "r1" })
        assert.deepStrictEqual(again, first)
        assert.strictEqual((yield* fake.newest).count("resume"), 1)
        yield* call.next({ request_id: "r2" })
        yield* TestClock.adjust("11 minutes")
        assert.notDeepEqual((yield* call.next({ request_id: "r1" })).stop, first.stop)
      })
    )
  })

  it.effect("repeats an error, too", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        assert.strictEqual(yield* code(ask("start", { program: "nothing", request_id: "x" })), "PROGRAM_NOT_FOUND")
        assert.strictEqual(
          yield* code(ask("start", { program: "/src/app", directory: "/src", request_id: "x" })),
          "PROGRAM_NOT_FOUND"
        )
      })
    )
  )
})
