// A logpoint whose location and message are one text, as `start` and `trace` take it.
import { assert, it } from "@effect/vitest"
import { Client, Operations, Payload } from "@sigtrap/protocol"
import { Effect } from "effect"
import { FakeBackend } from "../../../src/testing/index.ts"
import { call, over } from "../../support.ts"

const logpoint = (input: object) =>
  Effect.gen(function* () {
    const operation = Operations.byTag("logpoint")
    const client = yield* Client.Client
    return yield* client.callAny(operation, yield* Payload.decode(operation, { directory: "/src", ...input }))
  })

it.effect("logpoint takes LOCATION [if EXPR] :: MESSAGE as one text", () =>
  over(
    FakeBackend.make(),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      const { data } = yield* logpoint({ at: "app.c:11 if n > 2 :: total={total} :: {n}" })
      assert.deepInclude(data, { log: "total={total} :: {n}", condition: "n > 2" })
    })
  )
)

it.effect.each(["app.c:11", "app.c:11 ::", "app.c:11 ::text", ":: text"])(
  "logpoint %s has no message, and the hint shows where it goes",
  (at) =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const client = yield* Client.Client
        const error = yield* Effect.flip(logpoint({ at }))
        assert.include(error.message, "MESSAGE is missing")
        assert.lengthOf((yield* client.call("breakpoint.list", { kind: [] })).data.breakpoints, 1)
      })
    )
)
