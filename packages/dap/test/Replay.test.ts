import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Result } from "effect"
import { Client, Events, Framing, Message, Requests, Transcript } from "../src/index.ts"
import { ScriptedAdapter } from "../src/testing/index.ts"
import { cutBy, decode, traces } from "./support.ts"

const said = (entries: ReadonlyArray<Transcript.Entry>, dir: Message.Direction) =>
  entries.flatMap((entry) => (entry.dir === dir && "msg" in entry ? [entry.msg] : []))

/** Removes messages that a client sent after the adapter had ended. */
const alive = (entries: ReadonlyArray<Transcript.Entry>) =>
  entries.slice(
    0,
    entries.findIndex((entry) => "eof" in entry)
  )

/** Replays both sides of a recorded session and returns what the client received. */
const replay = Effect.fnUntraced(function* (
  entries: ReadonlyArray<Transcript.Entry>,
  delivery: ScriptedAdapter.Delivery
) {
  const adapter = yield* ScriptedAdapter.replay(entries, delivery)
  const seen: Array<Message.Message> = []
  const folded: Array<string> = []
  const arrived = yield* Latch.make()
  const client = yield* Client.make({
    transport: adapter.transport,
    onMessage: (message, direction) => {
      if (direction === "client") return
      seen.push(message)
      arrived.openUnsafe()
    },
    onEvent: ({ event }) => folded.push(event),
    onResponse: ({ command }) => folded.push(command),
    onReverseRequest: () => Effect.succeed({ processId: 4242 })
  })
  const reached = (count: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (seen.length >= count) return Effect.void
      arrived.closeUnsafe()
      return Effect.andThen(arrived.await, reached(count))
    })
  let before = 0
  for (const entry of alive(entries)) {
    if (!("msg" in entry)) continue
    if (entry.dir === "adapter") before++
    else if (entry.msg.type === "request") {
      yield* reached(before)
      yield* client
        .request(Requests.raw(entry.msg.command), entry.msg.arguments, { timeout: Infinity })
        .pipe(Effect.ignore, Effect.forkChild({ startImmediately: true }))
    }
  }
  const closed = yield* client.closed
  yield* adapter.finished
  return { seen, folded, closed, sent: adapter.received(), counters: client.counters() }
})

describe("every recorded session", () => {
  it.effect("decodes, body by body, with our schemas", () =>
    Effect.gen(function* () {
      const requests = new Map(Requests.all.map((request) => [request.command, request]))
      const read = new Set<string>()
      for (const { entries, name } of yield* traces) {
        const asked = new Map(
          said(entries, "client").flatMap((msg) => (msg.type === "request" ? [[msg.seq, msg.command] as const] : []))
        )
        for (const msg of said(entries, "adapter")) {
          if (msg.type === "event") {
            const parsed = Events.parse(msg)
            assert.notStrictEqual(parsed.event, "invalid", `${name}: ${JSON.stringify([parsed, msg])}`)
            if (parsed.event === "other") assert.strictEqual(parsed.name, "debugpySockets", name)
            read.add(`event ${parsed.event}`)
          } else if (msg.type === "response") {
            const command = asked.get(msg.request_seq) ?? ""
            if (!msg.success) {
              assert.notStrictEqual(Message.failure(command, msg).text, "", name)
              continue
            }
            const body = requests.get(command)?.decode(msg.body)
            assert(body !== undefined && Result.isSuccess(body), `${name}: ${JSON.stringify([body, msg])}`)
            read.add(command)
          }
        }
      }
      for (const kind of ["stackTrace", "variables", "setBreakpoints", "evaluate", "event stopped", "event output"]) {
        assert(read.has(kind), kind)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("has the same messages in any chunks", () =>
    Effect.gen(function* () {
      for (const { entries, name } of yield* traces) {
        const messages = said(entries, "adapter")
        const stream = new Uint8Array(messages.flatMap((msg) => [...Framing.encode(msg)]))
        for (const plan of [[], [16], [1_000], [65_536], [stream.length]]) {
          const result = decode(cutBy(stream, plan))
          assert.deepStrictEqual(result.messages, messages, name)
          assert.deepStrictEqual([result.failure, result.ended, result.counters], [undefined, undefined, [0, 0]], name)
        }
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live(
    "replays the same through a client in chunks of a message, of a turn or of a byte",
    () =>
      Effect.gen(function* () {
        for (const { entries, name } of yield* traces) {
          const together = yield* Effect.scoped(replay(entries, "together"))
          const each = yield* Effect.scoped(replay(entries, "each"))
          const bytes = yield* Effect.scoped(replay(entries, "bytes"))
          const adapter = said(entries, "adapter")
          assert.deepStrictEqual(
            together.seen.map((msg) => (msg.type === "response" ? { ...msg, request_seq: 0 } : msg)),
            adapter.map((msg) => (msg.type === "response" ? { ...msg, request_seq: 0 } : msg)),
            name
          )
          const stable = Result.getOrThrow(Transcript.restore(Transcript.stabilise(entries)))
          const restored = yield* Effect.scoped(replay(stable, "together"))
          for (const other of [each, bytes, restored]) {
            assert.deepStrictEqual(
              [other.folded, other.counters, other.closed],
              [together.folded, together.counters, together.closed],
              name
            )
          }
          assert.strictEqual(together.folded.length, adapter.filter((msg) => msg.type !== "request").length, name)
          assert.deepStrictEqual(
            together.counters,
            { lossy: 0, badFrames: 0, unknownResponses: 0, duplicateResponses: 0, lateResponses: 0 },
            name
          )
          assert.strictEqual(together.sent.length, said(alive(entries), "client").length, name)
          assert.strictEqual(together.closed.reason, "ended", name)
        }
      }).pipe(Effect.provide(NodeServices.layer)),
    60_000
  )
})
