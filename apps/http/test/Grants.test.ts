// Granted tokens over HTTP: each with its actor, tiers and session; refused once they have ended, with their streams.
import { assert, describe, it } from "@effect/vitest"
import { Refusals } from "@sigtrap/host"
import { Grants } from "@sigtrap/host/http/Grants"
import { Caller, Effects, Errors, Feed } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import { Context, Deferred, Effect, Fiber, Logger, Redacted, Stream } from "effect"
import { HttpEffect } from "effect/http"
import * as Api from "../src/Api.ts"

const own = "0123456789abcdef".repeat(4)
const authority = "127.0.0.1:4711"

/** A server with its own token, the granted token `review`, and a token that the daemon does not know. */
const served = Effect.gen(function* () {
  const callers: Array<Caller.Caller> = []
  const refusals: Array<Refusals.Report> = []
  const ended = yield* Deferred.make<void>()
  const recorder = Recorder.make((operation) =>
    Effect.flatMap(Caller.Current, (caller) => {
      callers.push(caller)
      const { allowance } = caller
      const missing = Caller.missing(allowance, [{ effect: operation._tag === "next" ? "control" : "observe" }])
      return operation._tag === "wait"
        ? Effect.never
        : missing.length > 0
          ? Effect.fail(
              new Errors.TierRequired({ operation: "next", missing: [{ effect: "control", tier: "control" }] })
            )
          : Effect.succeed(Recorder.answer({ sessions: [] }))
    })
  )
  const grants = {
    verify: (token: string) =>
      Effect.sync(() =>
        token === "review" && !Deferred.isDoneUnsafe(ended)
          ? { id: "g1", tiers: ["observe"] as const, session: "web" }
          : undefined
      ),
    ended: () => Deferred.await(ended)
  }
  const api = yield* Api.make({
    version: "1.2.3",
    authority,
    token: Redacted.make(own),
    caller: { directory: "/src", environment: {} }
  }).pipe(
    Effect.provideService(Feed.Feed, {
      lines: () =>
        Stream.concat(
          Stream.succeed({ type: "hello" as const, version: "1.2.3", sessions: [], requests: [] }),
          Stream.never
        )
    }),
    Effect.provide(recorder.layer),
    Effect.provideService(Grants, grants),
    Effect.provideService(Refusals.Refusals, (report) => Effect.sync(() => void refusals.push(report)))
  )
  const handle = HttpEffect.toWebHandler(api)
  const send = (token: string, path: string, fields: { readonly [name: string]: string } = {}) =>
    Effect.promise(() =>
      handle(
        new Request(`http://${authority}${path}`, {
          method: "POST",
          headers: {
            host: authority,
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            ...fields
          },
          body: "{}"
        }),
        Context.make(Logger.CurrentLoggers, new Set())
      )
    )
  return { callers, end: Deferred.succeed(ended, undefined), refusals, send }
})

describe("a granted token", () => {
  it.effect("calls with the actor, the tiers and the session of its grant, whatever the request says", () =>
    Effect.gen(function* () {
      const { callers, send } = yield* served
      assert.strictEqual((yield* send("review", "/v1/sessions", { "sigtrap-as": "someone" })).status, 200)
      assert.deepStrictEqual(callers, [
        {
          actor: { kind: "http", name: "g1", project: "/src" },
          allowance: { effects: ["observe", "read-file"], destructive: false, uses: [], session: "web" },
          grant: "g1"
        }
      ])
    })
  )

  it.effect("without the tier of a call gets 403", () =>
    Effect.gen(function* () {
      const { send } = yield* served
      assert.strictEqual((yield* send("review", "/v1/next")).status, 403)
      assert.notStrictEqual((yield* send(own, "/v1/next")).status, 403)
    })
  )

  it.effect("that is foreign or has ended gets 401, and the refusal is reported", () =>
    Effect.gen(function* () {
      const { callers, end, refusals, send } = yield* served
      assert.strictEqual((yield* send("another", "/v1/sessions")).status, 401)
      yield* end
      assert.strictEqual((yield* send("review", "/v1/sessions")).status, 401)
      assert.lengthOf(callers, 0)
      assert.deepStrictEqual(
        refusals.map(({ operation, rule }) => [operation, rule]),
        [
          ["POST /v1/sessions", "token"],
          ["POST /v1/sessions", "token"]
        ]
      )
    })
  )

  it.effect("that ends takes its calls and its streams with it", () =>
    Effect.gen(function* () {
      const { end, send } = yield* served
      const call = yield* Effect.forkChild(send("review", "/v1/wait"), { startImmediately: true })
      const stream = yield* send("review", "/v1/stream")
      const text = yield* Effect.forkChild(
        Effect.promise(() => stream.text()),
        { startImmediately: true }
      )
      yield* end
      assert.strictEqual((yield* Fiber.join(call)).status, 401)
      assert.match(yield* Fiber.join(text), /\{"type":"end","reason":"the token has ended"\}\n$/)
    })
  )
})

it.effect("the server's own token has every tier and may name its caller", () =>
  Effect.gen(function* () {
    const { callers, send } = yield* served
    yield* send(own, "/v1/sessions", { "sigtrap-as": "ci" })
    assert.deepStrictEqual(callers[0]?.actor, { kind: "http", name: "ci", project: "/src" })
    assert.deepStrictEqual(callers[0]?.allowance.effects, Effects.names)
    assert.isUndefined(callers[0]?.grant)
  })
)
