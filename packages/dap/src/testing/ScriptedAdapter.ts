/**
 * A scripted adapter for tests: a transport whose other end is a script.
 *
 * The script is an effect with an `Adapter`: it expects requests, answers them, sends events, reverse requests or raw
 * bytes, stays silent or ends. Its fiber and its output belong to the scope. It can violate every rule of DAP.
 */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Framing from "../Framing.ts"
import type * as Message from "../Message.ts"
import * as Transcript from "../Transcript.ts"
import type { Transport } from "../Transport.ts"

/** How output is cut into chunks: as emitted, or into chunks of this many bytes. */
export type ChunkPlan = "whole" | number

/** The script failed. */
export class ScriptFailed extends Data.TaggedError("ScriptFailed")<{ readonly detail: string }> {
  override get message() {
    return this.detail
  }
}

/** The content of an error response. */
export interface Refusal {
  readonly message?: string
  readonly body?: unknown
}

/** The functions of a script. */
export interface Adapter {
  /** Waits for the next request with this command; other requests stay queued. */
  readonly expect: (command: string) => Effect.Effect<Message.Request>
  /** Waits for the next request. */
  readonly next: Effect.Effect<Message.Request>
  /** Answers with success. */
  readonly respond: (request: Message.Request, body?: unknown) => Effect.Effect<void>
  /** Answers with failure. */
  readonly refuse: (request: Message.Request, refusal?: Refusal) => Effect.Effect<void>
  /** Sends an event. */
  readonly event: (event: string, body?: unknown) => Effect.Effect<void>
  /** Sends a reverse request and waits for the client's response. */
  readonly reverse: (command: string, args?: unknown) => Effect.Effect<Message.Response>
  /** Waits for the client's response to the reverse request with this number. */
  readonly answered: (seq: number) => Effect.Effect<Message.Response>
  /** Sends any JSON value as a well-framed body. */
  readonly frame: (body: unknown) => Effect.Effect<void>
  /** Sends bytes or text without framing. */
  readonly raw: (bytes: Uint8Array | string) => Effect.Effect<void>
  /** Runs a part of the script and sends all its output as one chunk. */
  readonly together: <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Closes the adapter's output. */
  readonly end: Effect.Effect<void>
  /** Never completes; the output stays open. */
  readonly silence: Effect.Effect<never>
}

/** A scripted adapter. */
export interface ScriptedAdapter {
  readonly transport: Transport
  /** Returns all messages that the client has sent so far. */
  readonly received: () => ReadonlyArray<Message.Message>
  /** Waits for the end of the script. */
  readonly finished: Effect.Effect<void, ScriptFailed>
}

interface Waiter {
  readonly matches: (message: Message.Message) => boolean
  readonly found: Deferred.Deferred<Message.Message>
}

const encoder = new TextEncoder()

const concat = (parts: ReadonlyArray<Uint8Array>) => {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Frames a body. */
export const frame = (body: Uint8Array): Uint8Array =>
  concat([encoder.encode(`Content-Length: ${body.length}\r\n\r\n`), body])

/** Cuts bytes into chunks. */
export const cut = (bytes: Uint8Array, plan: ChunkPlan): ReadonlyArray<Uint8Array> =>
  plan === "whole"
    ? [bytes]
    : Array.from({ length: Math.ceil(bytes.length / plan) }, (_, index) =>
        bytes.slice(index * plan, (index + 1) * plan)
      )

/**
 * Starts a scripted adapter. After the script the output stays open, unless the script calls `end`. If the script fails,
 * the output is closed, so that the client under test does not wait.
 */
export const make = Effect.fnUntraced(function* <E>(
  script: (adapter: Adapter) => Effect.Effect<unknown, E, Scope.Scope>,
  options?: { readonly chunks?: ChunkPlan }
) {
  const plan = options?.chunks ?? "whole"
  const output = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const finished = Deferred.makeUnsafe<void, ScriptFailed>()
  const decoder = new Framing.Decoder()
  const received: Array<Message.Message> = []
  const inbox: Array<Message.Message> = []
  const waiters = new Set<Waiter>()
  let held: Array<Uint8Array> | undefined
  let ending = false
  let nextReverse = 1

  const deliver = (message: Message.Message) => {
    received.push(message)
    for (const waiter of waiters) {
      if (!waiter.matches(message)) continue
      waiters.delete(waiter)
      Deferred.doneUnsafe(waiter.found, Exit.succeed(message))
      return
    }
    inbox.push(message)
  }

  const take = (matches: Waiter["matches"]) =>
    Effect.suspend(() => {
      const index = inbox.findIndex(matches)
      const waiting = inbox[index]
      if (waiting !== undefined) {
        inbox.splice(index, 1)
        return Effect.succeed(waiting)
      }
      const waiter: Waiter = { matches, found: Deferred.makeUnsafe() }
      waiters.add(waiter)
      return Effect.onInterrupt(Deferred.await(waiter.found), () => Effect.sync(() => waiters.delete(waiter)))
    })

  const takeRequest = (matches: (request: Message.Request) => boolean) =>
    Effect.flatMap(
      take((message) => message.type === "request" && matches(message)),
      (message) => (message.type === "request" ? Effect.succeed(message) : Effect.never)
    )

  const answered = (seq: number) =>
    Effect.flatMap(
      take((message) => message.type === "response" && message.request_seq === seq),
      (message) => (message.type === "response" ? Effect.succeed(message) : Effect.never)
    )

  const emit = (bytes: Uint8Array) =>
    Effect.sync(() => {
      if (held !== undefined) held.push(bytes)
      else Queue.offerAllUnsafe(output, cut(bytes, plan))
    })

  const send = (body: unknown) => emit(frame(encoder.encode(JSON.stringify(body))))

  const answer = (request: Message.Request, success: boolean, rest: object) =>
    send({ seq: 0, type: "response", request_seq: request.seq, success, command: request.command, ...rest })

  const adapter: Adapter = {
    expect: (command) => takeRequest((request) => request.command === command),
    next: takeRequest(() => true),
    respond: (request, body) => answer(request, true, body === undefined ? {} : { body }),
    refuse: (request, refusal) => answer(request, false, refusal ?? {}),
    event: (event, body) => send({ seq: 0, type: "event", event, ...(body === undefined ? {} : { body }) }),
    reverse: (command, args) =>
      Effect.suspend(() => {
        const seq = nextReverse++
        return Effect.andThen(send({ seq, type: "request", command, arguments: args }), answered(seq))
      }),
    answered,
    frame: send,
    raw: (bytes) => emit(typeof bytes === "string" ? encoder.encode(bytes) : bytes),
    together: (part) =>
      Effect.suspend(() => {
        const pieces: Array<Uint8Array> = []
        held = pieces
        return Effect.ensuring(
          part,
          Effect.suspend(() => {
            held = undefined
            return Effect.andThen(emit(concat(pieces)), ending ? Queue.end(output) : Effect.void)
          })
        )
      }),
    end: Effect.suspend(() => {
      ending = true
      return held === undefined ? Effect.asVoid(Queue.end(output)) : Effect.void
    }),
    silence: Effect.never
  }

  yield* Effect.suspend(() => script(adapter)).pipe(
    Effect.matchCauseEffect({
      onSuccess: () => Effect.sync(() => Deferred.doneUnsafe(finished, Exit.void)),
      onFailure: (cause) =>
        Effect.andThen(
          Effect.sync(() => Deferred.doneUnsafe(finished, Exit.fail(new ScriptFailed({ detail: String(cause) })))),
          Queue.end(output)
        )
    }),
    Effect.forkScoped
  )

  const scripted: ScriptedAdapter = {
    transport: {
      incoming: Stream.fromQueue(output),
      send: (bytes) =>
        Effect.sync(() => {
          for (const { message } of decoder.push(bytes)) deliver(message)
        })
    },
    received: () => received,
    finished: Deferred.await(finished)
  }
  return scripted
})

/**
 * How a recorded session is delivered: one chunk per message, one chunk for all messages between two client messages, or
 * one chunk per byte.
 */
export type Delivery = "each" | "together" | "bytes"

/** Splits a transcript at each client message, up to the adapter's end. */
const turns = (entries: ReadonlyArray<Transcript.Entry>) => {
  const found: Array<{ readonly client?: Message.Message; readonly adapter: Array<Transcript.Entry> }> = [
    { adapter: [] }
  ]
  for (const entry of entries) {
    if (entry.dir === "client" && "msg" in entry) found.push({ client: entry.msg, adapter: [] })
    else found.at(-1)?.adapter.push(entry)
    if ("eof" in entry) break
  }
  return found
}

/**
 * Replays the adapter's side of a recorded session. Requests of the client are matched by command and order;
 * `request_seq` is replaced by the current numbers.
 */
export const replay = (
  entries: ReadonlyArray<Transcript.Entry>,
  delivery: Delivery
): Effect.Effect<ScriptedAdapter, never, Scope.Scope> => {
  const play = Effect.fnUntraced(function* (adapter: Adapter) {
    const live = new Map<number, number>()
    let reversed = 0
    const send = (entry: Transcript.Entry) => {
      if ("eof" in entry) return adapter.end
      if ("rawBase64" in entry) return adapter.raw(frame(Transcript.body(entry)))
      const { msg } = entry
      if (msg.type === "request") reversed = msg.seq ?? 0
      return msg.type === "response"
        ? adapter.frame({ ...msg, request_seq: live.get(msg.request_seq) ?? msg.request_seq })
        : adapter.frame(msg)
    }
    for (const turn of turns(entries)) {
      if (turn.client?.type === "request") {
        const request = yield* adapter.expect(turn.client.command)
        live.set(turn.client.seq ?? 0, request.seq ?? 0)
      } else if (turn.client?.type === "response") {
        yield* adapter.answered(reversed)
      }
      const answers = Effect.forEach(turn.adapter, send, { discard: true })
      yield* delivery === "each" ? answers : adapter.together(answers)
    }
  })
  return make(play, { chunks: delivery === "bytes" ? 1 : "whole" })
}
