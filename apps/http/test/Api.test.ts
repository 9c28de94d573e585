import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Logger, Predicate, Redacted } from "effect"
import { HttpEffect } from "effect/http"
import { ClientHttp, Errors, Hint, Operation, Operations } from "@sigtrap/protocol"
import { ErrorSamples, Recorder } from "@sigtrap/protocol/testing"
import * as Api from "../src/Api.ts"
import { Refusals } from "@sigtrap/host"
import * as OpenApi from "../src/OpenApi.ts"

const token = "0123456789abcdef".repeat(4)
const authority = "127.0.0.1:4711"
const options: Api.Options = {
  version: "1.2.3",
  authority,
  token: Redacted.make(token),
  caller: { directory: "/src/here", environment: { LANG: "C" } }
}

const headers = { host: authority, authorization: `Bearer ${token}`, "content-type": "application/json" }

interface Sent {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

/** Sends one request to a handler with this client; no port is opened. */
const send = Effect.fnUntraced(function* (recorder: Recorder.Recorder, path: string, sent: Sent = {}) {
  const api = yield* Api.make(options).pipe(Effect.provide(recorder.layer))
  const handle = HttpEffect.toWebHandler(api)
  const method = sent.method ?? "POST"
  const request = new Request(`http://${authority}${path}`, {
    method,
    headers: { ...headers, ...sent.headers },
    ...(method === "POST" ? { body: sent.body ?? "{}" } : {})
  })
  const response = yield* Effect.promise(() => handle(request, Context.make(Logger.CurrentLoggers, new Set())))
  const body = yield* Effect.promise(() => response.text())
  return { status: response.status, headers: response.headers, body: body === "" ? {} : JSON.parse(body) }
})

const noSession = () => Recorder.make(() => Effect.fail(new Errors.NoSession({})))

describe("a body with many levels", () => {
  for (const depth of [66, 5000, 100_000]) {
    it.effect(`is refused for each operation: ${depth}`, () =>
      Effect.gen(function* () {
        const recorder = noSession()
        const list = `{"session":${"[".repeat(depth)}${"]".repeat(depth)}}`
        const object = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
        for (const operation of depth === 5000 ? Operations.all : [Operations.byTag("status")]) {
          for (const body of [list, object]) {
            const sent = yield* send(recorder, ClientHttp.path(operation), { body })
            assert.strictEqual(sent.status, 400, operation._tag)
            assert.strictEqual(sent.body.error.message, "the body has more than 64 levels")
          }
        }
        assert.lengthOf(recorder.calls, 0)
      })
    )
  }
})

describe("an operation", () => {
  it.effect("returns its envelope", () =>
    Effect.gen(function* () {
      const recorder = Recorder.make(() =>
        Effect.succeed({ ...Recorder.answer({ breakpoints: [] }), session: "s1", state: "stopped", stop: 3 })
      )
      const { status, body } = yield* send(recorder, "/v1/breakpoint/list", { body: `{"session":"s1"}` })
      assert.strictEqual(status, 200)
      assert.strictEqual(
        JSON.stringify(body),
        `{"ok":true,"cmd":"breakpoint list","session":"s1","state":"stopped","stop":3,"data":{"breakpoints":[]},"warnings":[],"truncated":[],"command":"sigtrap breakpoint list --session s1"}`
      )
      assert.deepStrictEqual(recorder.calls, [
        { tag: "breakpoint.list", payload: { session: "s1", kind: [], directory: "/src/here" } }
      ])
    })
  )

  it.effect("takes directory and environment from the server if the body has none", () =>
    Effect.gen(function* () {
      const recorder = noSession()
      yield* send(recorder, "/v1/break", { body: `{"at":"main"}` })
      yield* send(recorder, "/v1/break", { body: `{"at":"main","directory":"/else"}` })
      assert.deepStrictEqual(
        recorder.calls.map(({ payload }) => Predicate.isReadonlyObject(payload) && payload["directory"]),
        ["/src/here", "/else"]
      )
    })
  )

  it.effect("has the call as a command line in each answer, and none for another input", () =>
    Effect.gen(function* () {
      const recorder = Recorder.make(() => Effect.fail(new Errors.NoSession({})))
      const commandOf = (path: string, body: string) =>
        Effect.map(send(recorder, path, { body }), ({ body: { command } }) => command)
      assert.strictEqual(
        yield* commandOf("/v1/print", `{"expressions":["a b","-1"],"frame":2,"session":"s1"}`),
        "sigtrap print 'a b' -1 --frame 2 --session s1"
      )
      assert.strictEqual(
        yield* commandOf("/v1/start", `{"program":"./app","args":["--x","y z"],"environment":{"A":"b"}}`),
        "sigtrap start ./app -- --x 'y z'"
      )
      assert.strictEqual(yield* commandOf("/v1/next", `{"nonsense":[1]}`), "sigtrap next --nonsense 1")
      assert.isUndefined(yield* commandOf("/v1/next", `[]`))
      assert.isUndefined(yield* commandOf("/v1/print", JSON.stringify({ expressions: ["x".repeat(5000)] })))
    })
  )

  it.effect("that still waits at its timeout is an answer: the program runs", () =>
    Effect.gen(function* () {
      const error = new Errors.WaitTimeout({ session: "s1", state: "running", waited_ms: 500, output_bytes: 0 })
      const { body, status } = yield* send(
        Recorder.make(() => Effect.fail(error)),
        "/v1/continue",
        { body: `{"timeout":"500ms"}` }
      )
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        ok: true,
        cmd: "continue",
        session: "s1",
        state: "running",
        data: { event: "running", running: true, waited_ms: 500, output: { bytes: 0 } },
        warnings: [],
        truncated: [],
        command: "sigtrap continue --timeout 500ms"
      })
    })
  )

  for (const error of ErrorSamples.all.filter((one) => one._tag !== "WaitTimeout" || !one.runs)) {
    it.effect(`that fails with ${error._tag} returns the status of the error and an envelope`, () =>
      Effect.gen(function* () {
        const { status, body } = yield* send(
          Recorder.make(() => Effect.fail(error)),
          "/v1/status"
        )
        assert.strictEqual(status, Errors.meta(error).httpApiStatus)
        assert.isFalse(body.ok)
        assert.strictEqual(body.error.code, Errors.meta(error).code)
        assert.strictEqual(body.error.message, error.message)
        assert.strictEqual(body.error.hint, body.error.hints[0].text)
        for (const { input, operation, text } of body.error.hints) {
          const [, path = "", sent = ""] = /^POST (\/v1\/\S+) (.+)$/.exec(text) ?? []
          if (path === "") continue
          const calls = noSession()
          assert.deepStrictEqual(JSON.parse(sent), input)
          yield* send(calls, path, { body: sent })
          assert.deepStrictEqual(
            calls.calls.map(({ tag }) => tag),
            [operation]
          )
        }
      })
    )
  }

  it.effect("that fails names the directory of the request in a hint that needs one", () =>
    Effect.gen(function* () {
      const remedies = [Hint.call("start", { program: "./app", replace: true }), Hint.call("sessions", {})]
      const { body } = yield* send(
        Recorder.make(() => Effect.fail(new Errors.SessionExists({ name: "default", remedies }))),
        "/v1/start",
        { body: '{"program":"./app","directory":"/src/there"}' }
      )
      assert.deepStrictEqual(
        body.error.hints.map(({ text }: { readonly text: string }) => text),
        [
          'POST /v1/start {"program":"./app","replace":true,"directory":"/src/there"}',
          'POST /v1/sessions {"directory":"/src/there"}'
        ]
      )
    })
  )

  it.effect("that dies is INTERNAL and does not show the defect", () =>
    Effect.gen(function* () {
      const { status, body } = yield* send(
        Recorder.make(() => Effect.die(new Error("secret detail"))),
        "/v1/status"
      )
      assert.strictEqual(status, 500)
      assert.strictEqual(body.error.code, "INTERNAL")
      assert.notInclude(JSON.stringify(body), "secret detail")
    })
  )

  const refusals: ReadonlyArray<readonly [path: string, body: string, expected: string]> = [
    ["/v1/core", "{}", "file is missing"],
    ["/v1/continue", `{"count":"3"}`, "count: "],
    ["/v1/status", `{"verbose":true}`, "no field verbose; there are: capabilities, session"],
    ["/v1/status", `[]`, "the payload is not an object"],
    ["/v1/status", `null`, "the payload is not an object"],
    ["/v1/status", `{"session":`, "the body is not JSON"]
  ]
  for (const [path, body, expected] of refusals) {
    it.effect(`refuses ${body} at ${path}`, () =>
      Effect.gen(function* () {
        const recorder = noSession()
        const answer = yield* send(recorder, path, { body })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(answer.body.error.code, "USAGE")
        assert.include(answer.body.error.message, expected)
        assert.lengthOf(recorder.calls, 0)
      })
    )
  }
})

describe("access", () => {
  const rows: ReadonlyArray<readonly [name: string, Sent, status: number, rule: string]> = [
    ["a body over 1 MiB without a length", { body: JSON.stringify({ at: "x".repeat(1_048_576) }) }, 413, "size"],
    ["a length over 1 MiB", { headers: { "content-length": "1048577" } }, 413, "size"],
    ["another host", { headers: { host: "evil.example" } }, 421, "host"],
    ["another origin", { headers: { origin: "https://evil.example" } }, 403, "origin"],
    ["another site", { headers: { "sec-fetch-site": "cross-site" } }, 403, "fetch-site"],
    ["another token", { headers: { authorization: "Bearer x" } }, 401, "token"],
    ["another media type", { headers: { "content-type": "text/plain" } }, 415, "media-type"],
    ["a preflight", { method: "OPTIONS", headers: { origin: "https://evil.example" } }, 403, "origin"]
  ]
  for (const [name, sent, status, rule] of rows) {
    it.effect(`refuses ${name} before any operation is called`, () =>
      Effect.gen(function* () {
        const recorder = noSession()
        const reports: Array<Refusals.Report> = []
        const answer = yield* send(recorder, "/v1/break", sent).pipe(
          Effect.provideService(Refusals.Refusals, (report) => Effect.sync(() => void reports.push(report)))
        )
        assert.strictEqual(answer.status, status)
        assert.deepStrictEqual(answer.body.error.details, { rule })
        assert.strictEqual(answer.body.error.code, "ACCESS_DENIED")
        const [report, ...others] = reports
        assert.lengthOf(others, 0)
        assert.deepInclude(report, { actor: { kind: "http" }, rule, code: answer.body.error.code })
        assert.include(report?.operation, "/v1/break")
        assert.lengthOf(recorder.calls, 0)
        for (const name of answer.headers.keys()) assert.notMatch(name, /^access-control-/)
      })
    )
  }

  it.effect("needs the token on every route except /health", () =>
    Effect.gen(function* () {
      const unauthorized = { authorization: "" }
      for (const operation of Operations.all) {
        const { status } = yield* send(noSession(), ClientHttp.path(operation), { headers: unauthorized })
        assert.strictEqual(status, 401, operation._tag)
      }
      for (const path of ["/openapi.json", "/nowhere"]) {
        assert.strictEqual((yield* send(noSession(), path, { method: "GET", headers: unauthorized })).status, 401, path)
      }
      const health = yield* send(noSession(), "/health", { method: "GET", headers: unauthorized })
      assert.deepStrictEqual([health.status, health.body], [200, { ok: true }])
      const rebound = yield* send(noSession(), "/health", { method: "GET", headers: { host: "evil.example" } })
      assert.strictEqual(rebound.status, 421)
    })
  )

  it.effect("returns 404 for unknown paths and 405 for wrong methods", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send(noSession(), "/v1/nothing")).status, 404)
      assert.strictEqual((yield* send(noSession(), "/v1/breakpoint.list")).status, 404)
      assert.strictEqual((yield* send(noSession(), "/v1/status", { method: "GET" })).status, 405)
      assert.strictEqual((yield* send(noSession(), "/openapi.json")).status, 405)
      for (const path of ["/openapi.json", "/v1/operations", "/reference", "/health"]) {
        assert.strictEqual((yield* send(noSession(), path, { method: "HEAD" })).status, 200, path)
        assert.strictEqual((yield* send(noSession(), path, { method: "PUT" })).status, 405, path)
      }
    })
  )
})

describe("the OpenAPI document", () => {
  it.effect("is served and has every operation with summary, examples and errors", () =>
    Effect.gen(function* () {
      const { status, body } = yield* send(noSession(), "/openapi.json", { method: "GET" })
      assert.strictEqual(status, 200)
      assert.strictEqual(body.openapi, "3.1.0")
      const own = ["/health", "/v1/operations", "/v1/page", "/v1/page/link", "/v1/stream"]
      assert.sameMembers(Object.keys(body.paths), [...Operations.all.map(ClientHttp.path), ...own])
      for (const operation of Operations.all) {
        const { summary, examples, errors } = Operation.meta(operation)
        const { post } = body.paths[ClientHttp.path(operation)]
        assert.strictEqual(post.summary, summary)
        assert.lengthOf(Object.keys(post.requestBody.content["application/json"].examples), examples.length)
        for (const error of errors) {
          const { code, httpApiStatus } = Errors.meta({ _tag: Errors.tagOf(error) })
          assert.include(post.responses[String(httpApiStatus)].description, code)
        }
      }
    })
  )

  it("has a schema for each of its references", () => {
    const document = OpenApi.document({ version: "1.2.3", url: "http://127.0.0.1:1" })
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
    assert.isAbove(references.length, 20)
    for (const [, name = ""] of references) assert.property(document.components.schemas, name)
    assert.notInclude(JSON.stringify(document), "#/$defs/")
  })
})
