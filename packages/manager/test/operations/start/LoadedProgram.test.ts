// A program that is loaded and started later.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FakeBackend } from "../../../src/testing/index.ts"
import { ask, call, code, over } from "../../support.ts"

const plain = FakeBackend.make

describe("a program that is only loaded", () => {
  it.effect("is started once, by run or continue", () =>
    over(
      plain(),
      Effect.gen(function* () {
        const started = yield* call.start({ run: false, break: ["app.c:10"] })
        assert.deepStrictEqual([started.data.event, started.state], ["loaded", "starting"])
        assert.deepInclude((yield* call.status()).data, { state: "starting", loaded: true })
        assert.strictEqual(yield* code(call.next()), "NOT_STOPPED")
        assert.strictEqual(yield* code(call.wait()), "INVALID_STATE")
        assert.strictEqual(yield* code(call.pause()), "INVALID_STATE")
        yield* call.break("app.c:12")
        const run = yield* ask("run", {})
        assert.deepInclude(run.data, { event: "stopped", reason: "breakpoint" })
        assert.isUndefined((yield* call.status()).data.loaded)
        assert.strictEqual(yield* code(ask("run", {})), "INVALID_STATE")
        yield* call.start({ session: "other", run: false, break: ["app.c:10"] })
        assert.strictEqual((yield* call.continue({ session: "other" })).data.event, "stopped")
      })
    )
  )

  it.effect("is ended by stop without having run", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ run: false })
        assert.strictEqual((yield* call.stop()).data.sessions[0]?.how, "killed")
        assert.strictEqual((yield* fake.newest).count("run"), 0)
      })
    )
  })
})
