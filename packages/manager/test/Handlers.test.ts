// The code of most handlers is loaded by the first call of one of them, once.
import { assert, it } from "@effect/vitest"
import { Client } from "@sigtrap/protocol"
import { Effect, Exit, Layer } from "effect"
import { CodeLoading } from "../src/index.ts"
import { FakeBackend } from "../src/testing/index.ts"
import * as support from "./support.ts"

it.effect("handlers are loaded by the first call that needs them, and again after they could not be loaded", () => {
  let loads = 0
  const loading = Layer.succeed(CodeLoading.CodeLoading, async <A>(part: () => Promise<A>) => {
    loads += 1
    if (loads === 1) throw new Error("no such file")
    return part()
  })
  return Effect.gen(function* () {
    const { call } = yield* Client.Client
    assert.deepStrictEqual((yield* call("sessions", {})).data.sessions, [])
    assert.strictEqual((yield* call("status", {})).state, "none")
    assert.strictEqual(loads, 0)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(call("ask.list", {}))))
    assert.strictEqual((yield* call("ask.list", {})).state, "none")
    assert.strictEqual((yield* call("ask.list", {})).state, "none")
    assert.strictEqual(loads, 2)
  }).pipe(Effect.provide(support.manager(FakeBackend.make()).pipe(Layer.provide(loading))))
})
