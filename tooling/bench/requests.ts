// Measures a request of the typed client to an adapter that answers at once.
import { Client, Framing, type Message, Requests } from "@sigtrap/dap"
import { Effect, Queue, Stream } from "effect"
import { measure, type Table } from "./Harness.ts"

const times = 500

const answer = (request: Message.Request): Message.Message => ({
  type: "response",
  seq: 0,
  request_seq: request.seq ?? 0,
  success: true,
  command: request.command,
  body: { threads: [{ id: 1, name: "app" }] }
})

/** Encodes and decodes request and response without the client. */
const codecOnly = () => {
  const here = new Framing.Decoder()
  const there = new Framing.Decoder()
  for (let seq = 1; seq <= times; seq++) {
    for (const frame of there.push(Framing.encode({ type: "request", seq, command: "threads" }))) {
      if (frame.message.type === "request") here.push(Framing.encode(answer(frame.message)))
    }
  }
}

/** Connects a client to an adapter in memory, which answers each request at once with the same threads. */
const makeClient = Effect.gen(function* () {
  const incoming = yield* Queue.unbounded<Uint8Array>()
  const adapter = new Framing.Decoder()
  const send = (bytes: Uint8Array) =>
    Effect.sync(() => {
      for (const { message } of adapter.push(bytes)) {
        if (message.type === "request") Queue.offerUnsafe(incoming, Framing.encode(answer(message)))
      }
    })
  return yield* Client.make({ transport: { incoming: Stream.fromQueue(incoming), send }, onEvent: () => {} })
})

/** Measures one request at a time, and sixteen at once. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const client = yield* makeClient
    const request = client.request(Requests.Threads)
    const batch = (concurrency: number) => () =>
      Effect.runPromise(Effect.replicateEffect(request, times, { concurrency, discard: true }))
    const floor = "codec alone, there and back"
    const table = yield* Effect.promise(() =>
      measure("One request, instant adapter", [
        { name: floor, times, run: codecOnly },
        { name: "Client.request", times, run: batch(1), floor },
        { name: "Client.request, 16 at once", times, run: batch(16), floor }
      ])
    )
    return [table]
  }).pipe(Effect.scoped, Effect.runPromise)
