/**
 * Checks each request before its schema decodes it: its size, its texts, the number and depth of its values, and how many
 * requests of its connection are in flight. A refused request is answered with an error and not run. Large requests begin one
 * after another, with time for other requests between them, and small ones of one connection in groups.
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
import * as LoopPermit from "../../runtime/LoopPermit.ts"
import * as TurnGroups from "../../runtime/TurnGroups.ts"
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

/** A connection: its requests in flight, and what it runs after each request has begun. */
interface Client {
  readonly requests: Map<Id, InFlight>
  readonly nextTurn: Effect.Effect<void>
}

const usage = (problem: string) =>
  new Errors.Usage({
    problem,
    near: [],
    remedies: [Hint.remedy("send less in one request; pass large data as a file")]
  })

/** The size of a payload, and why it is refused. */
interface Size {
  readonly values: number
  /** Characters of all texts. */
  readonly text: number
  readonly problem?: string
}

const problems = ({ depth, request, values }: Limits.Limits) =>
  new Map<unknown, string>([
    [Messages.unread.request, `the request has more than ${request} characters`],
    [Messages.unread.values, `the request has more than ${values} values`],
    [Messages.unread.depth, `the request has more than ${depth} levels of values`]
  ])

/** Measures a payload, up to the first limit that it exceeds. */
const sizeOf = (payload: unknown, limits: Limits.Limits): Size => {
  const rest: Array<readonly [value: unknown, name: string, depth: number]> = [[payload, "", 0]]
  let values = 0
  let text = 0
  const over = (problem: string): Size => ({ values, text, problem })
  const unread = problems(limits).get(payload)
  if (unread !== undefined) return over(unread)
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [value, name, level] = next
    values += 1
    if (typeof value === "string") {
      text += value.length
      if (value.length > limits.text) {
        return over(`${name.slice(0, 100)} has ${value.length} characters; the limit is ${limits.text}`)
      }
    }
    if (typeof value !== "object" || value === null) continue
    if (level > limits.depth) return over(`the request has more than ${limits.depth} levels of values`)
    const count = Array.isArray(value) ? value.length : Object.keys(value).length
    if (values + rest.length + count > limits.values) {
      return over(`the request has more than ${limits.values} values`)
    }
    for (const [key, inner] of Object.entries(value)) {
      text += key.length
      if (key.length > limits.text) return over(`a name has ${key.length} characters; the limit is ${limits.text}`)
      rest.push([inner, name === "" ? key : `${name}.${key}`, level + 1])
    }
  }
  return { values, text }
}

/** Values and characters of a request for each millisecond that the loop rests after it; two to four times its work. */
const PACE = { values: 100, text: 32 * 1024 }

/** A request is large if the loop rests this many milliseconds after it. */
const LARGE = 2

/**
 * Waits until the work of large requests and files before this request is done, if it is large. Other requests are answered
 * between them: without this, 32 large ones in flight would be decoded one after another before any other.
 */
const pace = ({ text, values }: Size): Effect.Effect<void> => {
  const millis = values / PACE.values + text / PACE.text
  return millis < LARGE ? Effect.void : LoopPermit.shared.take(millis)
}

const encode = Schema.encodeSync(Schema.Union([...Errors.limits, Errors.RequestTimeout]))

const make = Effect.gen(function* () {
  const inner = yield* RpcServer.makeProtocolSocketServer
  const limits = yield* Limits.Limits
  const scope = yield* Effect.scope
  const clients = new Map<number, Client>()

  const refusal = (clientId: number, { tag }: RpcMessage.RequestEncoded, { problem }: Size) => {
    if (problem !== undefined) return usage(problem)
    return (clients.get(clientId)?.requests.size ?? 0) < limits.requests || exempt.has(tag)
      ? undefined
      : new Errors.Busy({ what: "requests", limit: limits.requests, retry_ms: RETRY })
  }

  const begin = (clientId: number, { id, tag }: RpcMessage.RequestEncoded) => {
    const client = clients.get(clientId) ?? { requests: new Map<Id, InFlight>(), nextTurn: TurnGroups.make() }
    client.requests.set(id, { tag, waiting: undefined })
    clients.set(clientId, client)
    return client
  }

  const wait = (clientId: number, id: Id, since: number | undefined) => {
    const request = clients.get(clientId)?.requests.get(id)
    if (request !== undefined) request.waiting = since
  }

  type Receive = (clientId: number, message: RpcMessage.FromClientEncoded) => Effect.Effect<void>

  const receive =
    (forward: Receive): Receive =>
    (clientId, message) => {
      if (message._tag === "Ack") wait(clientId, message.requestId, undefined)
      if (message._tag !== "Request") return forward(clientId, message)
      const size = sizeOf(message.payload, limits)
      const error = refusal(clientId, message, size)
      if (error !== undefined) return inner.send(clientId, Messages.failure(message.id, encode(error)))
      const { nextTurn } = begin(clientId, message)
      return Effect.andThen(Effect.andThen(pace(size), forward(clientId, message)), nextTurn)
    }

  /** Ends the streams that have waited too long, and forgets connections that have ended. */
  const sweep = Effect.fnUntraced(function* (forward: Receive) {
    const now = yield* MonotonicTime.now
    const open = yield* inner.clientIds
    for (const [clientId, { requests }] of clients) {
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
      if (response._tag === "Exit") clients.get(clientId)?.requests.delete(response.requestId)
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
