import { assert, it } from "@effect/vitest"
import { type Answer, Caller, Client, Errors, Operations } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import { Deferred, Effect, Layer, Logger, Result } from "effect"
import { createServer } from "node:http"
import * as Traces from "../../src/tracing/Traces.ts"

/** A span as a collector gets it. */
interface Received {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly stringValue: string } }>
  readonly status: { readonly code: number; readonly message?: string }
}

/** Starts a collector on the loopback. */
const listen = Effect.gen(function* () {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (part) => (text += String(part)))
    request.on("end", () => {
      bodies.push(text)
      response.end("{}")
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  const address = server.address()
  const url = `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`
  return { bodies, url }
})

const spansOf = (bodies: ReadonlyArray<string>): ReadonlyArray<Received> =>
  bodies
    .map((body) => JSON.parse(body))
    .flatMap(({ resourceSpans = [] }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

/** A client that answers every call in the same way. */
const stub = (work: Effect.Effect<Answer.Answer<unknown>, Errors.SigtrapError>) =>
  Client.Client.of({ call: () => Effect.die("not called"), callAny: () => work })

/** Runs calls of a traced client. The spans are sent before the answer. */
const traced = <A, E>(
  url: string,
  client: Client.Client["Service"],
  use: (client: Client.Client["Service"]) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const { client: of } = yield* Traces.Traces
    return yield* use(Result.getOrThrow(of(url, client)))
  }).pipe(Effect.provide(Layer.fresh(Traces.layer("1.2.3"))))

const secret = "hunter2-/home/me/.ssh/id_rsa"

it.live("a call is a trace of named spans, without any value", () =>
  Effect.gen(function* () {
    const { bodies, url } = yield* listen
    const work = Effect.fail(new Errors.Internal({ detail: secret })).pipe(
      Effect.withSpan(`name ${secret}`),
      Effect.withSpan("DapBackend.evaluate", { attributes: { expression: "hunter2", command: secret } }),
      Effect.tap(Effect.annotateCurrentSpan("command", "evaluate")),
      Effect.withSpan("Client.request", { attributes: { command: "evaluate" } }),
      Effect.tapError(() => Effect.logError(secret)),
      Effect.provide(Logger.layer([Logger.tracerLogger]))
    )
    const client = stub(work)
    const payload = { directory: "/", environment: {}, expressions: [secret], session: "web" }
    yield* Effect.ignore(traced(url, client, ({ callAny }) => callAny(Operations.byTag("print"), payload))).pipe(
      Effect.provideService(Caller.Current, { actor: { kind: "mcp", name: secret }, allowance: Caller.everything })
    )
    const spans = spansOf(bodies)
    assert.deepStrictEqual(
      spans.map(({ name }) => name),
      ["span", "DapBackend.evaluate", "Client.request", "Client.call"]
    )
    const [inner, , request, call] = spans
    assert.deepStrictEqual(
      call?.attributes.map(({ key, value }) => [key, value.stringValue]),
      [
        ["sigtrap.operation", "print"],
        ["sigtrap.session", "web"],
        ["sigtrap.client", "mcp"]
      ]
    )
    assert.isUndefined(call?.parentSpanId)
    assert.strictEqual(request?.parentSpanId, call?.spanId)
    assert.deepStrictEqual(inner?.status, { code: 2, message: "INTERNAL" })
    assert.strictEqual(new Set(spans.map(({ traceId }) => traceId)).size, 1)
    assert.notInclude(bodies.join(""), "hunter2")
    assert.notInclude(bodies.join(""), "id_rsa")
    assert.include(bodies.join(""), '"name":"sigtrap.call.duration"')
  }).pipe(Effect.scoped)
)

it.live("what a call starts is traced until the call ends", () =>
  Effect.gen(function* () {
    const { bodies, url } = yield* listen
    const done = yield* Deferred.make<void>()
    const client = stub(
      Effect.andThen(
        Effect.forkDetach(Effect.andThen(Deferred.await(done), Effect.withSpan(Effect.void, "Session.later"))),
        Effect.as(Effect.withSpan(Effect.void, "Session.now"), Recorder.answer({ sessions: [] }))
      )
    )
    yield* traced(url, client, ({ callAny }) =>
      Effect.gen(function* () {
        yield* callAny(Operations.byTag("sessions"), {})
        yield* Deferred.succeed(done, undefined)
        yield* Effect.yieldNow
      })
    )
    assert.deepStrictEqual(
      spansOf(bodies).map(({ name }) => name),
      ["Session.now", "Client.call"]
    )
  }).pipe(Effect.scoped)
)

it.live("a call of another process continues its trace; a link that is none is ignored", () =>
  Effect.gen(function* () {
    const { bodies, url } = yield* listen
    yield* Effect.gen(function* () {
      const { client: of, continued } = yield* Traces.Traces
      const client = stub(
        Effect.gen(function* () {
          const link = (yield* Traces.headers)[Traces.header] ?? ""
          yield* continued(link, Effect.withSpan(Effect.void, "Operation.sessions"))
          const altered = link.replace(/[\da-f]{32}/, "../../x")
          yield* continued(altered, Effect.withSpan(Effect.void, "Operation.altered"))
          return Recorder.answer({ sessions: [] })
        })
      )
      yield* Result.getOrThrow(of(url, client)).callAny(Operations.byTag("sessions"), {})
    }).pipe(Effect.provide(Layer.fresh(Traces.layer("1.2.3"))))
    const spans = spansOf(bodies)
    const call = spans.find(({ name }) => name === "Client.call")
    const operation = spans.find(({ name }) => name === "Operation.sessions")
    assert.strictEqual(operation?.parentSpanId, call?.spanId)
    assert.strictEqual(operation?.traceId, call?.traceId)
  }).pipe(Effect.scoped)
)

it.effect("a call that names no collector has no header and no collector", () =>
  Effect.map(Traces.headers, (headers) => assert.deepStrictEqual(headers, {}))
)
