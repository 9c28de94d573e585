// Adapters that send more than was asked for: messages that are not parsed, lists that are cut, floods.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { Framing, Requests } from "../src/index.ts"
import * as Client from "../src/Client.ts"
import * as LargeBody from "../src/internal/LargeBody.ts"
import * as ListedBody from "../src/internal/ListedBody.ts"
import * as ReverseRequests from "../src/internal/ReverseRequests.ts"
import { bytes, connect, cutBy, event } from "./support.ts"

const frames = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `f${id}`, line: 1 }))
const variables = (count: number) => Array.from({ length: count }, (_, id) => ({ name: `v${id}`, value: "1" }))

const stack = { threadId: 1, startFrame: 0, levels: 20 }

/** A response whose body has more values than are parsed. */
const manyValues = (seq: number, order: "first" | "last") => {
  const body = `"body":{"list":[${"0,".repeat(LargeBody.limits.values)}0]}`
  const envelope = `"request_seq":${seq},"success":true,"type":"response"`
  const text = order === "first" ? `{${envelope},${body}}` : `{${body},${envelope}}`
  return `Content-Length: ${text.length}\r\n\r\n${text}`
}

describe("a message that is too large to be parsed", () => {
  for (const order of ["first", "last"] as const) {
    it.effect(`fails the request that it answers, if the envelope comes ${order}, and no other`, () =>
      Effect.gen(function* () {
        const { client } = yield* connect(
          (adapter) =>
            Effect.gen(function* () {
              const threads = yield* adapter.expect("threads")
              const evaluate = yield* adapter.expect("evaluate")
              yield* adapter.raw(manyValues(evaluate.seq ?? 0, order))
              yield* adapter.respond(threads, { threads: [] })
            }),
          { chunks: 65_536 }
        )
        const threads = yield* Effect.forkChild(client.request(Requests.Threads), { startImmediately: true })
        const failed = yield* Effect.flip(client.request(Requests.Evaluate, { expression: "1" }))
        assert.strictEqual(failed._tag, "RequestFailed")
        assert.match(failed.message, /^its answer has \d+ bytes, more than can be read at once$/)
        assert.deepStrictEqual(yield* Fiber.join(threads), { threads: [] })
      })
    )
  }

  it.effect("is reported if it is an event, and later messages count", () =>
    Effect.gen(function* () {
      const skipped: Array<number> = []
      const { client, events } = yield* connect(
        (adapter) =>
          Effect.gen(function* () {
            yield* adapter.event("output", { output: "x".repeat(LargeBody.limits.bytes) })
            yield* adapter.event("initialized")
          }),
        { chunks: 1_000_000, onSkipped: (size) => skipped.push(size) }
      )
      yield* client.initialized
      assert.lengthOf(skipped, 1)
      assert.isAbove(skipped[0] ?? 0, LargeBody.limits.bytes)
      assert.deepStrictEqual(
        events.map((one) => one.event),
        ["initialized"]
      )
    })
  )

  it("is not one with a single large text", () => {
    const large = event("output", { output: "ä,".repeat(LargeBody.limits.values / 2) })
    const frame = Framing.encode(large)
    const decoder = new Framing.Decoder()
    const found = cutBy(frame, [65_536]).flatMap((chunk) => [...decoder.push(chunk)])
    assert.deepStrictEqual(
      found.map(({ message, skipped }) => [message, skipped]),
      [[large, undefined]]
    )
  })

  it("has one quote or comma more than the limit, whatever the chunks and the other bytes are", () => {
    const { small, values } = LargeBody.limits
    // Differs from a quote or a comma in one bit each, so that a comparison of several bytes at once can go wrong.
    const others = [0x22, 0x2c].flatMap((byte) => Array.from({ length: 8 }, (_, bit) => byte ^ (1 << bit)))
    const of = (count: number) => {
      const all = new Uint8Array(values + small)
      for (let at = 0; at < all.length; at++) all[at] = others[(at * 7) % others.length] ?? 0
      for (let index = 0; index < count; index++) all[(index * 5) % all.length] = index % 3 === 0 ? 0x2c : 0x22
      return all
    }
    for (const plan of [[1_000_003], [65_536], [997, 3, 70, 1], [63, 64, 65, 66, 67]]) {
      const isParsed = (count: number) => {
        const body = new LargeBody.LargeBody(values + small)
        for (const chunk of cutBy(of(count), plan)) body.add(chunk)
        return body.bytes !== undefined
      }
      assert.deepStrictEqual([isParsed(values), isParsed(values + 1)], [true, false], plan.join())
    }
  })

  it("is known by a field of the envelope, not by the text of a value", () => {
    const body = new LargeBody.LargeBody(200)
    body.add(bytes('{"body":{"result":"\\"request_seq\\":7"},"request_seq" : 12,"type":"response"}'))
    assert.strictEqual(body.ends().requestSeq, 12)
  })
})

describe("a list of more items than were requested", () => {
  const answering = (command: string, body: unknown, options?: Partial<Client.Options>) =>
    connect((adapter) => Effect.flatMap(adapter.expect(command), (request) => adapter.respond(request, body)), options)

  it.effect("is cut to the page; an adapter that ignores pages sends the list from its beginning", () =>
    Effect.gen(function* () {
      const { client } = yield* answering("stackTrace", { stackFrames: frames(500), totalFrames: 500 })
      const page = yield* client.request(Requests.StackTrace, { ...stack, startFrame: 100 })
      assert.deepStrictEqual(
        page.stackFrames.map(({ id }) => id),
        Array.from({ length: 20 }, (_, at) => 100 + at)
      )
      assert.strictEqual(page.after, 380)
    })
  )

  it.effect("begins at the page if the number of all frames says so", () =>
    Effect.gen(function* () {
      const { client } = yield* answering("stackTrace", { stackFrames: frames(400), totalFrames: 500 })
      const page = yield* client.request(Requests.StackTrace, { ...stack, startFrame: 100 })
      assert.deepStrictEqual([page.stackFrames.length, page.stackFrames[0]?.id, page.after], [20, 0, 380])
    })
  )

  it.effect("is cut to the page of variables, and to the number of breakpoints", () =>
    Effect.gen(function* () {
      const { client } = yield* answering("variables", { variables: variables(5000) })
      const page = yield* client.request(Requests.Variables, { variablesReference: 1, start: 4990, count: 100 })
      assert.deepStrictEqual([page.variables.length, page.variables[0]?.name], [10, "v4990"])
      const other = yield* answering("setBreakpoints", { breakpoints: [{ id: 1 }, { id: 2 }, { id: 3 }] })
      const set = yield* other.client.request(Requests.SetBreakpoints, { source: {}, breakpoints: [{ line: 1 }] })
      assert.lengthOf(set.breakpoints, 1)
    })
  )

  it.effect("has no threads whose ids are not integers; what is left out is reported", () =>
    Effect.gen(function* () {
      const cuts: Array<readonly [string, number]> = []
      const threads = [{ id: 1e300 }, { id: -5, name: "a" }, { id: 1.5 }, { id: "7" }, { name: "b" }, null, { id: 0 }]
      const { client } = yield* answering(
        "threads",
        { threads },
        { onCut: (command, count) => cuts.push([command, count]) }
      )
      assert.deepStrictEqual((yield* client.request(Requests.Threads)).threads, [
        { id: -5, name: "a" },
        { id: 0, name: "" }
      ])
      assert.deepStrictEqual(cuts, [["threads", 5]])
    })
  )

  it.effect("without pages has a limit; what is left out is reported", () =>
    Effect.gen(function* () {
      const cuts: Array<readonly [string, number]> = []
      const { client } = yield* answering(
        "variables",
        { variables: variables(ListedBody.maxItems + 7) },
        { onCut: (command, count) => cuts.push([command, count]) }
      )
      const { variables: read } = yield* client.request(Requests.Variables, { variablesReference: 1 })
      assert.lengthOf(read, ListedBody.maxItems)
      assert.strictEqual(read.at(-1)?.name, `v${ListedBody.maxItems - 1}`)
      assert.deepStrictEqual(cuts, [["variables", 7]])
    })
  )

  it.effect("is decoded while other fibers run", () =>
    Effect.gen(function* () {
      const { client } = yield* answering("threads", { threads: frames(2000) })
      let turns = 0
      const other = Effect.sync(() => turns++).pipe(Effect.andThen(Effect.yieldNow), Effect.forever)
      const running = yield* Effect.forkChild(other, { startImmediately: true })
      const before = turns
      assert.lengthOf((yield* client.request(Requests.Threads)).threads, 2000)
      assert.isAtLeast(turns - before, 4)
      yield* Fiber.interrupt(running)
    })
  )
})

/**
 * Returns how many events were received before each run of another fiber, and at the end. The adapter sends ten times the events of
 * one turn of the reader at once. `nanosecondsOf` returns the time of the clock after a number of events.
 */
const flood = Effect.fnUntraced(function* (nanosecondsOf?: (received: number) => bigint) {
  let received = 0
  const seen: Array<number> = []
  const clock = yield* Clock.Clock
  const timed =
    nanosecondsOf === undefined ? clock : { ...clock, monotonicTimeNanosUnsafe: () => nanosecondsOf(received) }
  const { client } = yield* connect(
    (adapter) =>
      Effect.gen(function* () {
        yield* adapter.expect("threads")
        yield* adapter.together(
          Effect.forEach(Array.from({ length: 10 * Client.maxTurn }), () => adapter.event("output"), { discard: true })
        )
        yield* adapter.end
      }),
    { onEvent: () => received++ }
  ).pipe(Effect.provideService(Clock.Clock, timed))
  const watching = Effect.sync(() => seen.push(received)).pipe(Effect.andThen(Effect.yieldNow), Effect.forever)
  yield* Effect.forkChild(watching, { startImmediately: true })
  yield* Effect.flip(client.request(Requests.Threads))
  assert.strictEqual(received, 10 * Client.maxTurn)
  return [...seen, received]
})

/** The most events that were received between two runs of the other fiber. */
const longest = (seen: ReadonlyArray<number>) => Math.max(...seen.map((count, at) => count - (seen[at - 1] ?? 0)))

describe("a flood of messages", () => {
  it.effect("lets other fibers run after each part of a chunk", () =>
    Effect.gen(function* () {
      // The other fiber runs at least once in two turns of the reader.
      assert.isAtMost(longest(yield* flood()), 2 * Client.maxTurn)
    })
  )

  it.effect("lets them run earlier if its messages take long", () =>
    Effect.gen(function* () {
      // Each message takes an eighth of the time of a turn.
      const seen = yield* flood((received) => BigInt(received * Client.maxTurnMillis * 125_000))
      assert.isAtMost(longest(seen), Client.maxTurn / 4)
    })
  )

  it.effect("of reverse requests has a limit of those that are handled at a time", () =>
    Effect.gen(function* () {
      const count = ReverseRequests.maxHandled + 5
      let handled = 0
      const { adapter } = yield* connect(
        (script) =>
          Effect.forEach(Array.from({ length: count }), (_, seq) =>
            script.frame({ seq: seq + 1, type: "request", command: "runInTerminal", arguments: {} })
          ),
        {
          onReverseRequest: () =>
            Effect.andThen(
              Effect.sync(() => handled++),
              Effect.never
            )
        }
      )
      yield* adapter.finished
      for (let turn = 0; turn < 200; turn++) yield* Effect.yieldNow
      const refused = adapter.received().filter((message) => message.type === "response" && !message.success)
      assert.deepStrictEqual([handled, refused.length], [ReverseRequests.maxHandled, 5])
    })
  )
})
