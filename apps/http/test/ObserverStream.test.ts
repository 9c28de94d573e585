// `POST /v1/stream`: lines as JSON or as server-sent events, continued at an id, ended with a last line.
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, Redacted, Stream } from "effect"
import { HttpEffect } from "effect/http"
import { Client, Feed } from "@sigtrap/protocol"
import * as Api from "../src/Api.ts"

const token = "0123456789abcdef".repeat(4)
const authority = "127.0.0.1:4711"

/** Sends a request to a server whose stream has these lines; it stops after them. */
const send = Effect.fnUntraced(function* (
  lines: ReadonlyArray<Feed.Line>,
  body: unknown,
  headers: { readonly [name: string]: string } = {}
) {
  const closing = yield* Deferred.make<void>()
  const requests: Array<Feed.Request> = []
  const feed = Layer.succeed(Feed.Feed, {
    lines: (request) => {
      requests.push(request)
      return Stream.concat(
        Stream.fromIterable(lines),
        Stream.fromEffect(Effect.andThen(Deferred.succeed(closing, undefined), Effect.never))
      )
    }
  })
  const api = yield* Api.make({
    version: "1",
    authority,
    token: Redacted.make(token),
    caller: { directory: "/", environment: {} },
    closing: Deferred.await(closing)
  }).pipe(Effect.provide([feed, Layer.mock(Client.Client, {})]))
  const response = yield* Effect.promise(() =>
    HttpEffect.toWebHandler(api)(
      new Request(`http://${authority}/v1/stream`, {
        method: "POST",
        headers: {
          host: authority,
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          ...headers
        },
        body: JSON.stringify(body)
      }),
      Context.make(Logger.CurrentLoggers, new Set())
    )
  )
  const text = yield* Effect.promise(() => response.text())
  return { requests, status: response.status, text, type: response.headers.get("content-type") }
})

const hello: Feed.Line = { type: "hello", version: "1", sessions: [], requests: [] }
const event: Feed.Line = {
  type: "event",
  session: "default",
  seq: 7,
  time: 1,
  stop: 1,
  event: { _tag: "Continued" }
}

describe("the stream over HTTP", () => {
  it.effect("has one JSON document per line, the last one with the reason of its end", () =>
    Effect.gen(function* () {
      const { text, type } = yield* send([hello, event], { sessions: true })
      assert.strictEqual(type, "application/x-ndjson")
      assert.deepStrictEqual(
        text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
        [hello, event, { type: "end", reason: "the server stops" }]
      )
    })
  )

  it.effect("is sent as server-sent events on request, and continues after the last one", () =>
    Effect.gen(function* () {
      const follow = [{ session: "default", since: 3, output: 3 }, { session: "web" }]
      const accept = { accept: "text/event-stream" }
      const { requests, text, type } = yield* send([hello, event], { follow }, accept)
      assert.strictEqual(type, "text/event-stream")
      assert.deepStrictEqual(requests[0]?.follow, follow)
      const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)
      assert.deepStrictEqual(ids, ["default=3", "default=8", "default=8"])
      const again = yield* send([], { follow }, { ...accept, "last-event-id": "default=8" })
      assert.deepStrictEqual(again.requests[0]?.follow, [
        { session: "default", since: 8, output: 8 },
        { session: "web" }
      ])
      const foreign = yield* send([], { follow }, { ...accept, "last-event-id": "17; drop" })
      assert.deepStrictEqual(foreign.requests[0]?.follow, follow)
    })
  )

  it.effect("has the identity of a session in the id of an event, and continues with it", () =>
    Effect.gen(function* () {
      const follow = [{ session: "default", since: 3 }]
      const accept = { accept: "text/event-stream" }
      const snapshot = { state: "running", stop: 0, resumes: 0 } as const
      const told = (id: string): Feed.Line => ({ type: "session", session: "default", id, snapshot, next: 8 })
      const greeting: Feed.Line = { ...hello, sessions: [{ session: "default", id: "k3", snapshot, next: 7 }] }
      const { text } = yield* send([greeting, event, told("k3"), told("b9")], { follow }, accept)
      const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)
      assert.deepStrictEqual(ids, ["default@k3=3", "default@k3=8", "default@k3=8", "default@b9=0", "default@b9=0"])
      const again = yield* send([], { follow }, { ...accept, "last-event-id": "default@k3=8" })
      assert.deepStrictEqual(again.requests[0]?.follow, [{ session: "default", id: "k3", since: 8 }])
    })
  )

  it.effect.each([[{ follow: [{ session: "../x" }] }], [{ follow: "default" }], [[]], ["text"]] as const)(
    "refuses a request that it cannot read: %j",
    ([body]) =>
      Effect.gen(function* () {
        const { status, text } = yield* send([], body)
        assert.strictEqual(status, 400)
        assert.strictEqual(JSON.parse(text).error.code, "USAGE")
      })
  )
})
