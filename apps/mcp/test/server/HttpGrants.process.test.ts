// MCP over HTTP with granted tokens: who calls, with which tiers, and that a session belongs to its token.
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted, Schedule } from "effect"
import { Grants } from "@sigtrap/host/http/Grants"
import { Caller } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as HttpServer from "../../src/server/HttpServer.ts"

const revisions = ["2025-06-18", "2025-11-25"]

/** A server with a recorder of callers, and two grants: `review` for the session web, and `other`. */
const served = Effect.gen(function* () {
  const callers: Array<Caller.Caller> = []
  const ended = yield* Deferred.make<void>()
  const recorder = Recorder.make(() =>
    Effect.map(Caller.Current, (caller) => {
      callers.push(caller)
      return Recorder.answer({ sessions: [] })
    })
  )
  const grants = {
    verify: (token: string) =>
      Effect.sync(() =>
        Deferred.isDoneUnsafe(ended)
          ? undefined
          : token === "first"
            ? { id: "g1", name: "review", tiers: ["observe", "control"] as const, session: "web" }
            : token === "second"
              ? { id: "g2", tiers: ["observe"] as const }
              : undefined
      ),
    ended: (id: string) => (id === "g1" ? Deferred.await(ended) : Effect.never)
  }
  const { url } = yield* HttpServer.start({
    port: 0,
    version: "1.2.3",
    caller: { directory: "/src", environment: {} },
    profile: "default",
    allow: ["admin"],
    structured: false,
    token: Redacted.make("own")
  }).pipe(Effect.provideService(Grants, grants), Effect.provide(recorder.layer))
  const send = (token: string, method: string, fields: { readonly [name: string]: string }, body?: object) =>
    Effect.promise((signal) =>
      fetch(url, {
        method,
        signal,
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          ...fields
        },
        ...(body === undefined ? {} : { body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) })
      })
    )
  const connect = Effect.fnUntraced(function* (token: string, protocolVersion: string) {
    const clientInfo = { name: "claude-code", version: "1" }
    const response = yield* send(
      token,
      "POST",
      {},
      {
        method: "initialize",
        params: { protocolVersion, capabilities: {}, clientInfo }
      }
    )
    yield* Effect.promise(() => response.text())
    return {
      "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": protocolVersion
    }
  })
  return { callers, connect, end: Deferred.succeed(ended, undefined), send }
})

const onPlatform = <A, E>(effect: Effect.Effect<A, E, Effect.Services<typeof served>>) =>
  Effect.scoped(effect).pipe(Effect.provide([NodeHttpServer.layerHttpServices]))

const list = { method: "tools/call", params: { name: "operate", arguments: { operation: "sessions", input: {} } } }
const read = { method: "resources/read", params: { uri: "sigtrap://sessions" } }

for (const revision of revisions) {
  describe(`with a granted token and revision ${revision}`, () => {
    it.live("calls and reads are those of the grant, whatever the client says of itself", () =>
      onPlatform(
        Effect.gen(function* () {
          const { callers, connect, send } = yield* served
          const fields = yield* connect("first", revision)
          for (const body of [list, read]) {
            const response = yield* send("first", "POST", fields, body)
            assert.strictEqual(response.status, 200)
            yield* Effect.promise(() => response.text())
          }
          assert.isAtLeast(callers.length, 2)
          for (const { actor, allowance, grant } of callers) {
            assert.deepStrictEqual(actor, { kind: "mcp", name: "review", project: "/src" })
            assert.deepStrictEqual(allowance, {
              effects: ["observe", "read-file", "control"],
              destructive: false,
              uses: [],
              session: "web"
            })
            assert.strictEqual(grant, "g1")
          }
        })
      )
    )

    it.live("a session of another token is unknown, and no subscription leaves the session of the token", () =>
      onPlatform(
        Effect.gen(function* () {
          const { callers, connect, send } = yield* served
          const fields = yield* connect("first", revision)
          for (const token of ["second", "own"]) {
            assert.strictEqual((yield* send(token, "POST", fields, list)).status, 404, token)
          }
          assert.lengthOf(callers, 0)
          const subscribe = (uri: string) =>
            Effect.flatMap(
              send("first", "POST", fields, { method: "resources/subscribe", params: { uri } }),
              (response) => Effect.promise(() => response.text())
            )
          for (const uri of ["sigtrap://sessions", "sigtrap://sessions/other", "sigtrap://sessions/web/../other"]) {
            assert.include(yield* subscribe(uri), "the token is for the session web only")
          }
          for (const uri of ["sigtrap://sessions/web", "sigtrap://sessions/web/output"]) {
            assert.deepInclude(JSON.parse(yield* subscribe(uri)), { result: {} })
          }
        })
      )
    )

    it.live("a revoked one is refused, and its stream ends", () =>
      onPlatform(
        Effect.gen(function* () {
          const { connect, end, send } = yield* served
          const fields = yield* connect("first", revision)
          const stream = yield* send("first", "GET", fields)
          assert.strictEqual(stream.status, 200)
          const read = yield* Effect.forkChild(Effect.exit(Effect.promise(() => stream.text())))
          yield* end
          yield* Fiber.join(read)
          const status = Effect.map(send("first", "POST", fields, list), (response) => response.status)
          assert.strictEqual(yield* status, 401)
        })
      )
    )
  })
}

it.live("a message with more than 256 levels is refused with its id, and reaches nothing", () =>
  onPlatform(
    Effect.gen(function* () {
      const { callers, connect, send } = yield* served
      const fields = yield* connect("own", "2025-11-25")
      let deep: unknown = 1
      for (let level = 0; level < 300; level += 1) deep = [deep]
      const params = { name: "operate", arguments: { operation: "sessions", input: { limit: deep } } }
      const response = yield* send("own", "POST", fields, { method: "tools/call", params })
      assert.strictEqual(response.status, 400)
      const answer: unknown = yield* Effect.promise(() => response.json())
      const error = { code: -32_600, message: "the message has more than 256 levels" }
      assert.deepStrictEqual(answer, { jsonrpc: "2.0", id: 1, error })
      assert.lengthOf(callers, 0)
      assert.strictEqual((yield* send("own", "POST", fields, list)).status, 200)
    })
  )
)

it.live("the server's own token has what --allow and forms give", () =>
  onPlatform(
    Effect.gen(function* () {
      const { callers, connect, send } = yield* served
      const fields = yield* connect("own", "2025-11-25")
      yield* send("own", "POST", fields, list)
      const seen = Effect.suspend(() => (callers.length === 0 ? Effect.fail("none") : Effect.succeed(callers[0])))
      const caller = yield* Effect.retry(seen, Schedule.spaced("10 millis"))
      assert.deepInclude(caller?.actor, { kind: "mcp", name: "claude-code" })
      assert.isTrue(caller?.allowance.destructive)
      assert.isUndefined(caller?.grant)
    })
  )
)

/** The fields and the body of a request of revision 2026-07-28. */
const stateless = (method: string, params: object) => {
  const about = "io.modelcontextprotocol"
  const revision = "2026-07-28"
  return {
    fields: { "mcp-protocol-version": revision, "mcp-method": method },
    body: {
      method,
      params: {
        ...params,
        _meta: {
          [`${about}/protocolVersion`]: revision,
          [`${about}/clientInfo`]: { name: "claude-code", version: "1" },
          [`${about}/clientCapabilities`]: {}
        }
      }
    }
  }
}

describe("with a granted token and revision 2026-07-28", () => {
  const listening = (send: Effect.Success<typeof served>["send"], notifications: object) => {
    const { body, fields } = stateless("subscriptions/listen", { notifications })
    return send("first", "POST", fields, body)
  }

  it.live("a token for one session listens to the resources of that session", () =>
    onPlatform(
      Effect.gen(function* () {
        const { end, send } = yield* served
        const response = yield* listening(send, {
          toolsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: ["sigtrap://sessions/web", "sigtrap://sessions/web/output"]
        })
        assert.strictEqual(response.status, 200)
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
        let lines = ""
        let ended = false
        const more = Effect.map(
          Effect.promise(async () => reader?.read()),
          (piece) => {
            lines += piece?.value ?? ""
            ended = piece?.done !== false
          }
        )
        yield* Effect.repeat(more, { until: () => ended || lines.includes("acknowledged") })
        yield* end
        yield* Effect.repeat(more, { until: () => ended })
        assert.include(lines, "notifications/subscriptions/acknowledged")
        assert.include(lines, "sigtrap://sessions/web/output")
        assert.notInclude(lines, "resourcesListChanged")
      })
    )
  )

  it.live("it listens to no other session", () =>
    onPlatform(
      Effect.gen(function* () {
        const { send } = yield* served
        for (const uri of ["sigtrap://sessions", "sigtrap://sessions/other", "sigtrap://sessions/web/../other"]) {
          const response = yield* listening(send, { resourceSubscriptions: ["sigtrap://sessions/web", uri] })
          assert.strictEqual(response.status, 403)
          const body = yield* Effect.promise(() => response.text())
          assert.include(body, "the token is for the session web only")
        }
      })
    )
  )
})
