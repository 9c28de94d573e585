/** Shared by the tests of this package: chunk sizes, decoder results, recorded sessions. */
import { Effect, FileSystem, Schema, type Scope } from "effect"
import { Client, Framing, type Message, Transcript } from "../src/index.ts"
import { ScriptedAdapter } from "../src/testing/index.ts"

/** Encodes a text as UTF-8. */
export const bytes = (text: string) => new TextEncoder().encode(text)

/** Joins arrays of bytes. */
export const concat = (parts: ReadonlyArray<Uint8Array>) => new Uint8Array(parts.flatMap((part) => [...part]))

/** Cuts bytes into chunks of the sizes of a list, repeated; of size 1 if the list is empty. */
export const cutBy = (all: Uint8Array, sizes: ReadonlyArray<number>) => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0, turn = 0; at < all.length; turn++) {
    const size = sizes.length === 0 ? 1 : (sizes[turn % sizes.length] ?? 1)
    chunks.push(all.slice(at, at + size))
    at += size
  }
  return chunks
}

/** Returns the messages, failure and counters of a decoder for chunks. */
export const decode = (chunks: ReadonlyArray<Uint8Array>, options?: { readonly noise?: number }) => {
  const decoder = new Framing.Decoder(options)
  const frames = chunks.flatMap((chunk) => [...decoder.push(chunk)])
  return {
    messages: frames.map((frame) => frame.message),
    lossy: frames.map((frame) => frame.lossy),
    failure: decoder.failure?.reason,
    excerpt: decoder.failure?.excerpt,
    ended: decoder.end()?.reason,
    counters: [decoder.lossy, decoder.badFrames]
  }
}

/** Makes an event of an adapter. */
export const event = (name: string, body?: unknown): Message.Event => ({
  type: "event",
  event: name,
  ...(body === undefined ? {} : { body })
})

/** Chunk sizes: mostly tiny, so that headers and characters are cut. */
export const sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))).check(
  Schema.isMaxLength(20)
)

/** Any bytes. */
export const anyBytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMaxLength(200)
)

const folder = new URL("./traces/", import.meta.url).pathname

/** The recorded sessions, with their file names. */
export const traces = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const names = (yield* fs.readDirectory(folder)).filter((name) => name.endsWith(".jsonl"))
  return yield* Effect.forEach(names, (name) => Effect.map(readTrace(name), (entries) => ({ name, entries })))
})

/** One recorded session. */
export const readTrace = Effect.fnUntraced(function* (name: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.fromResult(Transcript.parse(yield* fs.readFileString(folder + name)))
})

/** Connects a client to a script and collects its events and responses. */
export const connect = Effect.fnUntraced(function* <E>(
  script: (adapter: ScriptedAdapter.Adapter) => Effect.Effect<unknown, E, Scope.Scope>,
  options?: Partial<Client.Options> & { readonly chunks?: ScriptedAdapter.ChunkPlan }
) {
  const adapter = yield* ScriptedAdapter.make(script, { chunks: options?.chunks ?? "whole" })
  const events: Array<Message.Event> = []
  const responses: Array<readonly [string, Message.Response]> = []
  const client = yield* Client.make({
    transport: adapter.transport,
    onEvent: (event) => events.push(event),
    onResponse: (request, response) => responses.push([request.command, response]),
    ...options
  })
  const sent = () => adapter.received().map((message) => (message.type === "request" ? message.command : message.type))
  return { client, adapter, events, responses, sent }
})

/** Answers `initialize` with the capabilities of an adapter. */
export const initialize = (adapter: ScriptedAdapter.Adapter, capabilities: unknown) =>
  Effect.flatMap(adapter.expect("initialize"), (request) => adapter.respond(request, capabilities))
