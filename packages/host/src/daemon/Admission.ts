/**
 * Checks each request before its schema decodes it: its size, its texts, the number and depth of its values, and how many
 * requests of its connection are in flight. A refused request is answered with an error and not run.
 *
 * It also ends a stream whose client has acknowledged nothing for a time. What such a client missed stays in the journal,
 * where it is counted and can be read by number. Fibers: one looks at all connections at intervals (ends with the scope).
 */
import { Errors, Hint, MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as RpcMessage from "effect/rpc/RpcMessage"
import * as RpcServer from "effect/rpc/RpcServer"
import * as Limits from "./Limits.ts"
import * as Messages from "./Messages.ts"

/** Milliseconds after which a client may repeat a refused request. */
const RETRY = 100

/** Requests that are always taken: they tell about the daemon and stop it. */
const exempt = new Set(["daemon.hello", "daemon.stop"])

type Id = string | number

/** A request in flight: its tag, and when its stream began to wait for the client, as `MonotonicTime`. */
interface InFlight {
  readonly tag: string
  waiting: number | undefined
}

const usage = (problem: string) =>
  new Errors.Usage({
    problem,
    near: [],
    remedies: [Hint.remedy("send less in one request; pass large data as a file")]
  })

/** Returns why a payload is refused. */
const problemOf = (payload: unknown, { depth, request, text, values }: Limits.Limits): string | undefined => {
  if (payload === Messages.unread) return `the request has more than ${request} characters`
  const rest: Array<readonly [value: unknown, name: string, depth: number]> = [[payload, "", 0]]
  let seen = 0
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [value, name, level] = next
    seen += 1
    if (typeof value === "string" && value.length > text) {
      return `${name.slice(0, 100)} has ${value.length} characters; the limit is ${text}`
    }
    if (typeof value !== "object" || value === null) continue
    if (level > depth) return `the request has more than ${depth} levels of values`
    const entries = Object.entries(value)
    if (seen + rest.length + entries.length > values) return `the request has more than ${values} values`
    for (const [key, inner] of entries) {
      if (key.length > text) return `a name has ${key.length} characters; the limit is ${text}`
      rest.push([inner, name === "" ? key : `${name}.${key}`, level + 1])
    }
  }
  return undefined
}

const encode = Schema.encodeSync(Schema.Union([...Errors.limits, Errors.RequestTimeout]))

const make = Effect.gen(function* () {
  const inner = yield* RpcServer.makeProtocolSocketServer
  const limits = yield* Limits.Limits
  const scope = yield* Effect.scope
  const clients = new Map<number, Map<Id, InFlight>>()

  const refusal = (clientId: number, { payload, tag }: RpcMessage.RequestEncoded) => {
    const problem = problemOf(payload, limits)
    if (problem !== undefined) return usage(problem)
    return (clients.get(clientId)?.size ?? 0) < limits.requests || exempt.has(tag)
      ? undefined
      : new Errors.Busy({ what: "requests", limit: limits.requests, retry_ms: RETRY })
  }

  const begin = (clientId: number, { id, tag }: RpcMessage.RequestEncoded) => {
    const requests = clients.get(clientId) ?? new Map<Id, InFlight>()
    requests.set(id, { tag, waiting: undefined })
    clients.set(clientId, requests)
  }

  const wait = (clientId: number, id: Id, since: number | undefined) => {
    const request = clients.get(clientId)?.get(id)
    if (request !== undefined) request.waiting = since
  }

  type Receive = (clientId: number, message: RpcMessage.FromClientEncoded) => Effect.Effect<void>

  const receive =
    (forward: Receive): Receive =>
    (clientId, message) => {
      if (message._tag === "Ack") wait(clientId, message.requestId, undefined)
      if (message._tag !== "Request") return forward(clientId, message)
      const error = refusal(clientId, message)
      if (error !== undefined) return inner.send(clientId, Messages.failure(message.id, encode(error)))
      begin(clientId, message)
      return forward(clientId, message)
    }

  /** Ends the streams that have waited too long, and forgets connections that have ended. */
  const sweep = Effect.fnUntraced(function* (forward: Receive) {
    const now = yield* MonotonicTime.now
    const open = yield* inner.clientIds
    for (const [clientId, requests] of clients) {
      if (!open.has(clientId)) clients.delete(clientId)
      for (const [id, { tag, waiting }] of requests) {
        if (waiting === undefined || now - waiting < limits.progress) continue
        requests.delete(id)
        const error = new Errors.RequestTimeout({ by: "the client", command: tag, after_ms: limits.progress })
        const end = Effect.andThen(
          inner.send(clientId, Messages.failure(id, encode(error))),
          forward(clientId, { _tag: "Interrupt", requestId: id })
        )
        yield* Effect.forkIn(Effect.ignoreCause(end), scope)
      }
    }
  })

  return RpcServer.Protocol.of({
    ...inner,
    run: (forward) =>
      Effect.raceFirst(inner.run(receive(forward)), Effect.forever(Effect.delay(sweep(forward), limits.progress / 6))),
    send: (clientId, response, transferables) => {
      if (response._tag === "Exit") clients.get(clientId)?.delete(response.requestId)
      if (response._tag !== "Chunk") return inner.send(clientId, response, transferables)
      return Effect.flatMap(MonotonicTime.now, (now) => {
        wait(clientId, response.requestId, now)
        return inner.send(clientId, response, transferables)
      })
    }
  })
})

/** The protocol of the daemon's socket, with its limits. */
export const layer = Layer.effect(RpcServer.Protocol, make)
