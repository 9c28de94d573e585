import { assert, it } from "@effect/vitest"
import { type Cause, Deferred, Effect, Fiber, Queue, Stdio, Stream } from "effect"
import { Errors } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as FirstAnswers from "../../src/server/FirstAnswers.ts"
import * as Server from "../../src/server/Server.ts"
import { ToolLists } from "../../src/server/ToolLists.ts"
import { interruptedAfterInput } from "../gracePeriod.ts"

const options: Server.Options = {
  version: "1.2.3",
  caller: { directory: "/src/here", environment: {} },
  profile: "full",
  allow: ["admin"],
  structured: true
}

const hello = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait", arguments: {} } }
]

/** Starts a server whose standard input the test writes and ends. */
const start = Effect.fnUntraced(function* (recorder: Recorder.Recorder) {
  const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const encoder = new TextEncoder()
  for (const message of hello) yield* Queue.offer(input, encoder.encode(`${JSON.stringify(message)}\n`))
  const fiber = yield* Server.run(options).pipe(
    Effect.provide([recorder.layer, Stdio.layerTest({ stdin: Stream.fromQueue(input) })]),
    Effect.forkChild({ startImmediately: true })
  )
  return { input, fiber }
})

it.effect("the server ends when its input ends", () =>
  Effect.gen(function* () {
    const called = yield* Deferred.make<void>()
    const recorder = Recorder.make(() =>
      Effect.andThen(Deferred.succeed(called, undefined), Effect.fail(new Errors.NoSession({})))
    )
    const { input, fiber } = yield* start(recorder)
    yield* Deferred.await(called)
    yield* Queue.end(input)
    yield* Fiber.join(fiber)
    assert.lengthOf(recorder.calls, 1)
  })
)

it.effect("a call without a timeout is interrupted two seconds after the input ends", () =>
  Effect.gen(function* () {
    const called = yield* Deferred.make<void>()
    const interrupted = yield* Deferred.make<void>()
    const recorder = Recorder.make(() =>
      Effect.andThen(Deferred.succeed(called, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
    )
    const { input, fiber } = yield* start(recorder)
    yield* Deferred.await(called)
    yield* interruptedAfterInput(input, interrupted)
    yield* Fiber.join(fiber)
  })
)

it.effect.each(Server.protocols.slice(1).map(({ protocolVersion }) => ({ revision: protocolVersion })))(
  "tools have their schemas in revision $revision",
  ({ revision }) =>
    Effect.gen(function* () {
      const written = yield* FirstAnswers.written("default", "1.2.3", FirstAnswers.hello(revision))
      const { result } = JSON.parse(written.split("\n")[1] ?? "")
      for (const { inputSchema, name } of result.tools) {
        assert.isAbove(Object.keys(inputSchema.properties).length, 0, name)
        assert.notInclude(JSON.stringify(inputSchema), "sigtrap:")
      }
    })
)

it.effect("a later list is the same text as the first one", () =>
  Effect.gen(function* () {
    const lists = [3, "four", 5].map((id) => ({ jsonrpc: "2.0", id, method: "tools/list", params: {} }))
    const written = yield* FirstAnswers.written("full", "1.2.3", [...FirstAnswers.hello("2025-11-25"), ...lists])
    const results = written
      .split("\n")
      .filter((line) => line.includes('"tools":['))
      .map((line) => JSON.stringify(JSON.parse(line).result))
    assert.lengthOf(results, 4)
    assert.lengthOf([...new Set(results)], 1)
  })
)

const list = (id: number, params?: object) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", params })
const result = (id: number, text: string) => `{"jsonrpc":"2.0","id":${id},"result":${text}}\n`

/** Lists of one connection, and the tools that are hidden from it. */
const lists = (first?: string) => {
  let hidden = ""
  const made = new ToolLists(first)
  made.follow({
    shows: () => true,
    onList: () => {},
    hidden: () => hidden,
    onAnswer: () => Effect.void,
    onError: () => Effect.void
  })
  return { made, hide: (tags: string) => (hidden = tags) }
}

it("a list is answered from memory if the parameters are those of an earlier one and the same tools are hidden", () => {
  const { hide, made } = lists()
  assert.isUndefined(made.answer(list(1)))
  made.note(result(1, '{"tools":[1]}'))
  assert.strictEqual(made.answer(list(2)), result(2, '{"tools":[1]}'))
  assert.strictEqual(made.answer(list(3, { _meta: { progressToken: 7 } })), result(3, '{"tools":[1]}'))
  assert.isUndefined(made.answer(list(4, { cursor: "x" })))
  assert.isUndefined(made.answer(list(5, { _meta: { progressToken: 7, other: 1 } })))
  hide("stepi")
  assert.isUndefined(made.answer(list(6)))
  made.note(result(6, '{"tools":[2]}'))
  assert.strictEqual(made.answer(list(7)), result(7, '{"tools":[2]}'))
  hide("")
  assert.strictEqual(made.answer(list(8)), result(8, '{"tools":[1]}'))
})

it("an error is not kept as a list, and a new connection forgets the lists", () => {
  const { made } = lists('{"tools":[0]}')
  assert.isUndefined(made.answer(list(1)))
  made.note('{"jsonrpc":"2.0","id":1,"error":{"code":-32600}}\n')
  assert.isUndefined(made.answer(list(2)))
  assert.isUndefined(made.answer('{"jsonrpc":"2.0","id":3,"method":"initialize"}'))
  assert.strictEqual(made.answer(list(4)), result(4, '{"tools":[0]}'))
  assert.isUndefined(made.answer('{"jsonrpc":"2.0","id":5,"method":"initialize"}'))
  assert.isUndefined(made.answer(list(6)))
})
