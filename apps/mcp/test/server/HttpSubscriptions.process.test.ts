// Subscriptions over HTTP with the revisions whose sessions have a stream from the server (GET).
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Predicate, Redacted } from "effect"
import { Recorder } from "@sigtrap/protocol/testing"
import * as HttpServer from "../../src/server/HttpServer.ts"

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

const uri = "sigtrap://sessions/a"

const listed = { name: "a", state: "stopped", program: "/a", age_s: 1, idle_s: 1, current: true }

/** A session of the debugger whose next event comes when `happens` is done. */
const debugged = Effect.gen(function* () {
  const happens = yield* Deferred.make<void>()
  const page = (next: number) => ({
    ...Recorder.answer({ events: [{}], next, dropped: 0 }),
    session: "a",
    state: "stopped" as const
  })
  const recorder = Recorder.make(({ _tag }, payload) => {
    if (_tag !== "events") return Effect.succeed(Recorder.answer({ sessions: [listed] }))
    const since = Predicate.isReadonlyObject(payload) ? payload["since"] : undefined
    if (since === undefined) return Effect.succeed(page(8))
    return Number(since) === 8 ? Effect.as(Deferred.await(happens), page(9)) : Effect.never
  })
  return { happens, recorder }
})

type Fields = { readonly [name: string]: string }

/** A server and its requests. */
const served = Effect.gen(function* () {
  const { happens, recorder } = yield* debugged
  const { url } = yield* HttpServer.start({
    port: 0,
    version: "1.2.3",
    caller: { directory: "/", environment: {} },
    profile: "default",
    allow: [],
    structured: false,
    token: Redacted.make("token")
  }).pipe(Effect.provide(recorder.layer))
  const authorization = "Bearer token"
  const accept = "application/json, text/event-stream"
  const send = (method: string, fields: Fields, body?: unknown) =>
    Effect.promise((signal) =>
      fetch(url, {
        method,
        signal,
        headers: { authorization, accept, "content-type": "application/json", ...fields },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
  const ask = (fields: Fields, ...messages: ReadonlyArray<object>) =>
    Effect.gen(function* () {
      const numbered = messages.map((message, at) => ({ jsonrpc: "2.0", id: at + 1, ...message }))
      const response = yield* send("POST", fields, numbered.length === 1 ? numbered[0] : numbered)
      const text = yield* Effect.promise(() => response.text())
      const answer: unknown = text === "" ? undefined : JSON.parse(text)
      return { status: response.status, answer, session: response.headers.get("mcp-session-id") ?? "" }
    })
  const connect = Effect.fnUntraced(function* (protocolVersion: string) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const { answer, session } = yield* ask({}, { method: "initialize", params })
    const fields: Fields = { "mcp-session-id": session, "mcp-protocol-version": protocolVersion }
    return { answer: JSON.stringify(answer), fields }
  })
  return { ask, connect, happens, send }
})

const onPlatform = <A, E>(effect: Effect.Effect<A, E, Effect.Services<typeof served>>) =>
  Effect.scoped(effect).pipe(Effect.provide([NodeHttpServer.layerHttpServices]))

const subscribe = (to: unknown) => ({ method: "resources/subscribe", params: { uri: to } })
const done = (id: number) => ({ jsonrpc: "2.0", id, result: {} })
const refused = (id: number, message: string) => ({ jsonrpc: "2.0", id, error: { code: -32602, message } })

/** Reads a stream until it has a text. */
const until = (reader: ReadableStreamDefaultReader<Uint8Array> | undefined, text: string) =>
  Effect.promise(async () => {
    const decoder = new TextDecoder()
    let seen = ""
    while (!seen.includes(text)) {
      const { done: isDone = true, value } = (await reader?.read()) ?? {}
      if (isDone) return `${seen}<end>`
      seen += decoder.decode(value, { stream: true })
    }
    return seen
  })

describe.each(revisions)("with revision %s", (revision) => {
  it.live("a session is notified of a resource that it subscribes to", () =>
    onPlatform(
      Effect.gen(function* () {
        const { ask, connect, happens, send } = yield* served
        const { answer, fields } = yield* connect(revision)
        assert.include(answer, '"subscribe":true')
        assert.deepStrictEqual((yield* ask(fields, subscribe(uri))).answer, done(1))
        const response = yield* send("GET", fields)
        assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
        const reader = response.body?.getReader()
        yield* Deferred.succeed(happens, undefined)
        const event = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } }
        assert.include(yield* until(reader, "data:"), `data: ${JSON.stringify(event)}\n\n`)
        assert.strictEqual((yield* send("DELETE", fields)).status, 204)
        assert.match(yield* until(reader, "data:"), /<end>$/)
        assert.strictEqual((yield* ask(fields, subscribe(uri))).status, 404)
      })
    )
  )
})

describe("a request", () => {
  it.live("to subscribe is refused without a URI, with one that is too long, and for too many", () =>
    onPlatform(
      Effect.gen(function* () {
        const { ask, connect } = yield* served
        const { fields } = yield* connect("2025-11-25")
        const answer = (message: object) => Effect.map(ask(fields, message), (found) => found.answer)
        assert.deepStrictEqual(yield* answer(subscribe(7)), refused(1, "uri is not a text"))
        const long = "uri has more than 8192 characters"
        assert.deepStrictEqual(yield* answer(subscribe("u".repeat(8193))), refused(1, long))
      })
    )
  )

  it.live("of a batch may subscribe with revision 2025-03-26, up to the limit", () =>
    onPlatform(
      Effect.gen(function* () {
        const { ask, connect } = yield* served
        const { fields } = yield* connect("2025-03-26")
        const all = Array.from({ length: 1000 }, (_, at) => subscribe(`u:${at}`))
        const { answer } = yield* ask(fields, ...all, { method: "ping" }, subscribe("u:1000"))
        const problem = "a client subscribes to at most 1000 resources at the same time; unsubscribe from others first"
        assert.deepStrictEqual(answer, [...all.map((_, at) => done(at + 1)), done(1001), refused(1002, problem)])
        const newer = yield* connect("2025-11-25")
        assert.strictEqual((yield* ask(newer.fields, subscribe(uri), subscribe(uri))).status, 400)
      })
    )
  )

  it.live("for a stream is answered by the rules of the specification", () =>
    onPlatform(
      Effect.gen(function* () {
        const { connect, send } = yield* served
        const { fields } = yield* connect("2025-06-18")
        const statuses = (...all: ReadonlyArray<Fields>) =>
          Effect.forEach(all, (one) => Effect.map(send("GET", one), ({ status }) => status))
        assert.deepStrictEqual(
          yield* statuses(
            {},
            { ...fields, accept: "application/json" },
            { ...fields, "mcp-session-id": "other" },
            { ...fields, "mcp-protocol-version": "1999-01-01" },
            fields,
            fields
          ),
          [405, 406, 404, 400, 200, 409]
        )
      })
    )
  )
})
