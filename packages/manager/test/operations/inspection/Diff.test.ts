import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@sigtrap/protocol"
import { Effect } from "effect"
import { call, code, fakeWith, over } from "../../support.ts"

describe("diff", () => {
  it.effect("compares the current stop with the one before, as far as that was read", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.strictEqual(yield* code(call.diff()), "INVALID_STATE")
        yield* call.next()
        yield* call.next()
        const { a, b, frames, left_out, values } = (yield* call.diff({ a: "1", b: "3" })).data
        assert.deepInclude(a, { session: "default", stop: 1, from: "record" })
        assert.deepInclude(b, { session: "default", stop: 3, from: "program" })
        assert.isAbove(values, 0)
        assert.isNotEmpty(frames.flatMap(({ vars }) => vars))
        assert.include(left_out.at(-1) ?? "", "globals")
        // A stop does not differ from itself.
        const same = (yield* call.diff({ a: "default#3", b: "default" })).data
        assert.deepStrictEqual([same.a.stop, same.frames], [3, []])
        assert.strictEqual(yield* code(call.diff({ a: "77" })), "STOP_NOT_FOUND")
        assert.strictEqual(yield* code(call.diff({ a: "nobody" })), "SESSION_NOT_FOUND")
      })
    )
  )

  it.effect("reads no session that the caller may not see", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({ session: "web", break: ["main"] })
        yield* call.start({ session: "other", break: ["main"] })
        assert.lengthOf((yield* call.diff({ a: "web", b: "other" })).data.frames, 0)
        const confined = Effect.provideService(Caller.Current, {
          actor: { kind: "http", name: "token" },
          allowance: { ...Caller.everything, session: "web" }
        })
        assert.strictEqual(yield* code(confined(call.diff({ a: "other", b: "web", session: "web" }))), "POLICY")
      })
    )
  )
})
