import { assert, describe, it } from "@effect/vitest"
import { type Cause, Deferred, Effect, Fiber, Layer, Queue, Sink, Stdio, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Caller, Client, Errors } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Server from "../../src/server/Server.ts"
import { interruptedAfterInput } from "../gracePeriod.ts"

const options: Server.Options = {
  version: "1.2.3",
  caller: { directory: "/src/here", environment: {} },
  profile: "default",
  allow: [],
  structured: false
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: object
  readonly result?: unknown
  readonly error?: unknown
}

/** Starts a server, connects, and makes the first call, which the library runs. */
const connect = Effect.fnUntraced(function* (
  client: Layer.Layer<Client.Client>,
  { capabilities = {}, revision = "2025-06-18" }: { readonly capabilities?: object; readonly revision?: string } = {}
) {
  const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const output = yield* Queue.unbounded<string>()
  const stdio = Stdio.layerTest({
    stdin: Stream.fromQueue(input),
    stdout: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Queue.offerAll(output, (typeof chunk === "string" ? chunk : decoder.decode(chunk)).split("\n").filter(Boolean))
      )
  })
  const server = yield* Server.run(options).pipe(
    Effect.provide([client, stdio]),
    Effect.forkChild({ startImmediately: true })
  )
  const send = (message: Message) =>
    Queue.offer(input, encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
  const next: Effect.Effect<Message> = Effect.map(Queue.take(output), (line) => JSON.parse(line))
  const call = (id: unknown, name: string, more: object = {}) =>
    send({ id, method: "tools/call", params: { name, arguments: {}, ...more } })
  const clientInfo = { name: "tester", version: "1" }
  yield* send({ id: "hello", method: "initialize", params: { protocolVersion: revision, capabilities, clientInfo } })
  yield* next
  yield* send({ method: "notifications/initialized" })
  yield* call("first", "status")
  const first = yield* next
  assert.strictEqual(first.id, "first")
  return { input, server, send, next, call, first }
})

const state = (data: object) => ({ ...Recorder.answer(data), session: "a", state: "stopped" as const })

/** A client that answers each operation. */
const answering = Recorder.make((operation) =>
  operation._tag === "locals" ? Effect.fail(new Errors.NoSession({})) : Effect.succeed(state({ state: "stopped" }))
)

/** A client whose `continue` waits until it is interrupted. */
const waiting = Effect.gen(function* () {
  const called = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const { layer } = Recorder.make((operation) =>
    operation._tag === "continue"
      ? Effect.andThen(Deferred.succeed(called, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
      : Effect.succeed(state({ state: "stopped" }))
  )
  return { called, interrupted, layer }
})

/** Returns the result without the random name of the marks. */
const unmarked = ({ result }: Message) => JSON.stringify(result).replaceAll(/data-[0-9a-f]{8}/g, "data")

/** Fields with which the library reads a call. They do not change its answer. */
const other = { _meta: { "example.org/trace": "1" } }

describe("a call that does not go through the library", () => {
  it.effect.each(Server.protocols.slice(1).map(({ protocolVersion }) => ({ revision: protocolVersion })))(
    "is answered as by the library in revision $revision",
    ({ revision }) =>
      Effect.gen(function* () {
        const { call, next } = yield* connect(answering.layer, { revision })
        for (const [name, input] of [
          ["status", {}],
          ["status", { structured: true }],
          ["locals", {}],
          ["locals", { structured: true }],
          ["status", { wrong: 1 }],
          ["operate", { operation: "refs" }]
        ] as const) {
          yield* call(1, name, { arguments: input })
          yield* call(2, name, { arguments: input, ...other })
          const answers = [yield* next, yield* next]
          assert.sameMembers(
            answers.map(({ id }) => id),
            [1, 2]
          )
          assert.strictEqual(answers.map(unmarked)[0], answers.map(unmarked)[1], `${name} ${JSON.stringify(input)}`)
        }
      })
  )

  it.effect("leaves what is not a usual call to the library", () =>
    Effect.gen(function* () {
      const { call, next, send } = yield* connect(answering.layer)
      yield* call(1, "nothing")
      assert.deepInclude(yield* next, { id: 1 })
      yield* send({ id: 2, method: "tools/call", params: { arguments: {} } })
      const { error, id } = yield* next
      assert.strictEqual(id, 2)
      assert.isDefined(error)
    })
  )

  it.effect("is cancelled without an answer, and the next answer says so", () =>
    Effect.gen(function* () {
      const { called, interrupted, layer } = yield* waiting
      const { call, next, send } = yield* connect(layer)
      yield* call(1, "continue")
      yield* Deferred.await(called)
      yield* send({ method: "notifications/cancelled", params: { requestId: 1 } })
      yield* call(2, "status")
      const answer = yield* next
      assert.strictEqual(answer.id, 2)
      assert.include(JSON.stringify(answer.result), "was cancelled while waiting")
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("reports its progress", () =>
    Effect.gen(function* () {
      const { called, layer } = yield* waiting
      const { call, next } = yield* connect(layer)
      yield* call(1, "continue", { _meta: { progressToken: "p" } })
      yield* Deferred.await(called)
      yield* TestClock.adjust("5 seconds")
      const { method, params } = yield* next
      assert.strictEqual(method, "notifications/progress")
      assert.deepInclude(params, { progressToken: "p", progress: 5 })
    })
  )

  it.effect("is interrupted two seconds after the input has ended", () =>
    Effect.gen(function* () {
      const { called, interrupted, layer } = yield* waiting
      const { call, input, server } = yield* connect(layer)
      yield* call(1, "continue")
      yield* Deferred.await(called)
      yield* interruptedAfterInput(input, interrupted)
      yield* Fiber.join(server)
    })
  )

  it.effect("shows a form for what it lacks", () =>
    Effect.gen(function* () {
      const verdict = yield* Deferred.make<unknown>()
      const refusal = new Errors.TierRequired({
        operation: "set",
        missing: [{ effect: "write-memory", tier: "write" }],
        requests: [7]
      })
      const client = Layer.succeed(Client.Client, {
        call: (tag, payload) => Effect.andThen(Deferred.succeed(verdict, [tag, payload]), Effect.die("no answer")),
        callAny: (operation) =>
          Effect.gen(function* () {
            if (operation._tag !== "set") return state({ state: "stopped" })
            const { requests } = yield* Caller.Current
            if (requests === undefined) return yield* refusal
            yield* Deferred.await(verdict)
            return state({ name: "n", old: "1", new: { name: "n", value: "2" } })
          })
      })
      const { call, next, send } = yield* connect(client, { capabilities: { elicitation: {} } })
      yield* call(1, "operate", {
        arguments: { operation: "set", input: { target: "n", value: "2" } }
      })
      const form = yield* next
      assert.strictEqual(form.method, "elicitation/create")
      yield* send({ id: form.id, result: { action: "accept", content: { allow: "this once" } } })
      assert.deepStrictEqual(yield* Deferred.await(verdict), ["ask.answer", { id: 7, answer: "allow" }])
      assert.strictEqual((yield* next).id, 1)
    })
  )
})
