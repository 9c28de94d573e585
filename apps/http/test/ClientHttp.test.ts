// The client over HTTP answers as any other client: the same answers, and the same errors with their fields.
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { FetchHttpClient, HttpEffect } from "effect/http"
import { Client, ClientHttp, Errors, Operations } from "@sigtrap/protocol"
import { ErrorSamples, Recorder } from "@sigtrap/protocol/testing"
import * as Api from "../src/Api.ts"

const token = Redacted.make("0123456789abcdef".repeat(4))
const authority = "127.0.0.1:4711"

/** Returns the client of a server over this recorder; requests go to its handler without a port. */
const clientOf = Effect.fnUntraced(function* (recorder: Recorder.Recorder, sent: Redacted.Redacted = token) {
  const api = yield* Api.make({
    version: "1",
    authority,
    token,
    caller: { directory: "/src", environment: {} }
  }).pipe(Effect.provide(recorder.layer))
  const handle = HttpEffect.toWebHandler(api)
  const answered = (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    request.headers.set("host", authority)
    return handle(request, Context.make(Logger.CurrentLoggers, new Set()))
  }
  // Bun's type of `fetch` has another member.
  const fetch: typeof globalThis.fetch = Object.assign(answered, { preconnect: () => undefined })
  return yield* Client.Client.pipe(
    Effect.provide(ClientHttp.layer({ url: `http://${authority}`, token: sent, name: "review" })),
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.Fetch, fetch)
  )
})

describe("the client over HTTP", () => {
  it.effect("returns the answer of an operation, with its warnings and hints", () =>
    Effect.gen(function* () {
      const answer = {
        ...Recorder.answer({ breakpoints: [] }),
        session: "web",
        state: "stopped" as const,
        stop: 3,
        warnings: [{ code: "SOURCE_NEWER", message: "app.c is newer than the program" }]
      }
      const recorder = Recorder.make(() => Effect.succeed(answer))
      const client = yield* clientOf(recorder)
      const found = yield* client.call("breakpoint.list", { session: "web", kind: [] })
      assert.deepStrictEqual(found, { ...answer, data: { breakpoints: [] } })
      assert.deepInclude(recorder.calls[0]?.payload, { session: "web" })
    })
  )

  it.effect("fails with the error of the operation and its fields", () =>
    Effect.gen(function* () {
      for (const error of ErrorSamples.all) {
        const client = yield* clientOf(Recorder.make(() => Effect.fail(error)))
        const found = yield* Effect.flip(client.callAny(Operations.byTag("status"), {}))
        assert.strictEqual(found._tag, error._tag)
        assert.strictEqual(found.message, error.message)
      }
    })
  )

  it.effect("fails with a refusal of the server as such", () =>
    Effect.gen(function* () {
      const recorder = Recorder.make(() => Effect.succeed(Recorder.answer({})))
      const client = yield* clientOf(recorder, Redacted.make("wrong"))
      const error = yield* Effect.flip(client.callAny(Operations.byTag("status"), {}))
      assert.instanceOf(error, Errors.AccessDenied)
      assert.match(error.message, /token/)
      assert.lengthOf(recorder.calls, 0)
    })
  )

  it.live("fails as unreachable if no server answers", () =>
    Effect.gen(function* () {
      const client = yield* Client.Client
      const error = yield* Effect.flip(client.callAny(Operations.byTag("status"), {}))
      assert.strictEqual(error._tag, "DaemonUnreachable")
    }).pipe(
      Effect.provide(Layer.provide(ClientHttp.layer({ url: "http://127.0.0.1:1", token }), FetchHttpClient.layer))
    )
  )
})
