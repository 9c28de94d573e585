// When launch and breakpoints of a session are stored, and when they are not.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Manager } from "../../../src/index.ts"
import { call, fakeWith, ledger, over } from "../../support.ts"
import { MemoryStore } from "./memoryStore.ts"

it.effect("what an answer shows is stored before it, and the session is stored before its program runs", () => {
  const store = new MemoryStore()
  const fake = fakeWith({})
  const kept = ledger()
  const stored = () => store.intents.get("default")
  const order: Array<string> = []
  store.creating = () => order.push(kept.entries.get("default")?.adapter === undefined ? "no process" : "process")
  return over(
    fake,
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      assert.deepStrictEqual(order, ["process"], "the ledger has the debugger before the intent is stored")
      assert.strictEqual(stored()?.stop, 1)
      assert.strictEqual(stored()?.breakpoints.get(1)?.model.hit_count, 1)
      yield* call.break("work", { condition: "n > 2", pending: true })
      assert.strictEqual(stored()?.breakpoints.get(2)?.model.condition, "n > 2")
      yield* call.edit(2, { condition: "n > 3" })
      assert.strictEqual(stored()?.breakpoints.get(2)?.model.condition, "n > 3")
      yield* call.disable([1])
      assert.isFalse(stored()?.breakpoints.get(1)?.model.enabled)
      yield* call.remove([2])
      assert.isFalse(stored()?.breakpoints.has(2))
      yield* call.rename("default", "other")
      assert.deepStrictEqual([...store.intents.keys()], ["other"])
      yield* call.next()
      assert.strictEqual(store.intents.get("other")?.stop, 2)
      yield* call.stop()
      assert.deepStrictEqual([...store.intents.keys(), ...store.events.keys()], [])
    }),
    kept.layer,
    store.layer
  )
})

it.effect("with intent.store = false nothing is stored, and recover says so", () => {
  const store = new MemoryStore()
  const kept = ledger()
  const before = over(
    fakeWith({}),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"], settings: { "intent.store": "false" } })
      yield* call.break("work", { pending: true })
      assert.isFalse((yield* call.status()).data.durable)
      assert.deepStrictEqual([...store.intents.keys(), ...store.events.keys()], [])
      return [...kept.entries.values()]
    }),
    kept.layer,
    store.layer
  )
  return Effect.flatMap(before, (entries) =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        const problem = "intent.store is false, so the session was not stored; start the program again"
        assert.strictEqual((yield* call.recover()).data.plan?.[0]?.problem, problem)
        const error = yield* Effect.flip(call.recover({ yes: true }))
        assert.strictEqual(error._tag, "LaunchFailed")
        assert.include(error.message, problem)
        assert.include(JSON.stringify(error.hints), "/src/app")
      }),
      ledger(entries).layer,
      new MemoryStore().layer
    )
  )
})

describe("a session", () => {
  it.effect("is reported as not stored while writes fail, and is stored again afterwards", () => {
    const store = new MemoryStore()
    return over(
      fakeWith({}),
      Effect.gen(function* () {
        const started = yield* call.start({ break: ["main"] })
        assert.notProperty(started, "durable")
        store.isFull = true
        const set = yield* call.break("work", { pending: true })
        assert.isFalse(set.durable)
        const [warning] = set.warnings
        assert.strictEqual(warning?.code, "NOT_DURABLE")
        assert.strictEqual(
          warning?.message,
          "launch and breakpoints are not stored, so a killed daemon loses them: no space left on device"
        )
        assert.isFalse((yield* call.status()).data.durable)
        store.isFull = false
        const after = yield* call.status()
        assert.notProperty(after, "durable")
        assert.isTrue(after.data.durable)
        assert.deepStrictEqual(after.warnings, [])
        assert.isTrue(store.intents.get("default")?.breakpoints.has(2))
      }),
      undefined,
      store.layer
    )
  })

  it.effect("keeps its record when the daemon ends because of a failure", () => {
    const store = new MemoryStore()
    return over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const { endAll, keepRecords, sessions } = yield* Manager.Manager
        yield* keepRecords
        yield* endAll
        assert.deepStrictEqual(yield* sessions, [])
        const [found] = store.lose()
        assert.deepInclude(found?.intent, { stop: 1 })
        assert.notProperty(found?.intent, "ended")
        assert.isAbove(found?.events.length ?? 0, 0)
      }),
      undefined,
      store.layer
    )
  })
})
