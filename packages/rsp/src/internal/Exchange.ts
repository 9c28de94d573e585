/**
 * Packets of one connection: each request with its answer, each resume with its stop.
 *
 * Answers have no number, so they belong to the requests in their order. A request whose caller gave up stays in the list until
 * its answer comes, which is dropped. While the program runs, only output and the stop may come.
 *
 * A server may refuse a resume although some threads run: the program exits while the others are resumed. So the end of the
 * program is awaited for a second after a refusal.
 *
 * One fiber belongs to the scope: it reads the transport and ends with it or the scope.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Errors from "../Errors.ts"
import * as Packet from "../Packet.ts"
import * as StopReply from "../StopReply.ts"
import type { Transport } from "../Transport.ts"

/** What a resume ends in. */
export type Outcome = StopReply.Stopped | StopReply.Ended

/** Why the connection cannot be used. */
type Broken = Errors.ProtocolBroken | Errors.ConnectionLost

/** Most packets that answer no request before the server is given up. */
const strayLimit = 4096

/** How long the end of the program is awaited after a refused resume. */
const refusalTimeout = "1 second"

/** How often a damaged packet is asked for again. */
const repeatLimit = 3

interface Pending {
  readonly packet: string
  readonly answer: (payload: Uint8Array) => void
  readonly fail: (error: Errors.RequestError) => void
  dropped: boolean
}

/** What a resume does at its stops before it ends. */
export interface Repetition {
  /** Whether the program is read and resumed at a stop, only read, or neither. Called with the stop reply. */
  readonly stopped: (reply: string) => "resume" | "read" | "end"
  /** The request that reads, and the callback for its answer. */
  readonly read: string
  readonly answered: (answer: string) => void
}

/** A resume: how it ends, and why the server refused it. */
interface Resumed {
  readonly packet: string
  readonly repetition?: Repetition
  /** The answer that comes next belongs to the request of the repetition; with `end`, the resume ends after it. */
  reading?: { readonly end?: Uint8Array }
  readonly outcome: Deferred.Deferred<Outcome, Errors.RequestError>
  readonly refused: Deferred.Deferred<Errors.RequestFailed>
}

const decoder = new TextDecoder()

/** Returns the start of a packet for messages. */
export const nameOf = (packet: string | Uint8Array): string => {
  const text = typeof packet === "string" ? packet : decoder.decode(packet.subarray(0, 60))
  return /^[\u0020-\u007e]{0,40}/.exec(text)?.[0] ?? ""
}

const excerptOf = (payload: Uint8Array) => ({
  excerpt: JSON.stringify(decoder.decode(payload.subarray(0, 100))).slice(0, 100)
})

/** Reads an answer that comes while the program runs: output, the end of the resume, or why the connection is given up. */
const readStop = (
  packet: string,
  payload: Uint8Array
): Uint8Array | Exit.Exit<Outcome, Errors.RequestError> | Errors.RequestFailed | Errors.ProtocolBroken => {
  const text = decoder.decode(payload)
  const reply = StopReply.parse(text)
  if (reply?.kind === "output") return reply.bytes
  if (reply !== undefined && reply.kind !== "none") return Exit.succeed(reply)
  const code = /^E([0-9a-fA-F]{2})/.exec(text)?.[1]
  if (code !== undefined) return new Errors.RequestFailed({ packet, code: Number.parseInt(code, 16) })
  return text === "" || reply?.kind === "none"
    ? Exit.fail(new Errors.NotSupported({ packet }))
    : new Errors.ProtocolBroken({ reason: "unexpected", ...excerptOf(payload) })
}

const resumedBy = (packet: string, repetition: Repetition | undefined): Resumed => ({
  packet,
  outcome: Deferred.makeUnsafe(),
  refused: Deferred.makeUnsafe(),
  ...(repetition === undefined ? {} : { repetition })
})

/** Reads and resumes at a stop of a repetition. Returns what ends the resume or is output; undefined if nothing does. */
const repeat = (running: Resumed, payload: Uint8Array, send: Transport["send"]): Uint8Array | undefined => {
  const { packet, reading, repetition } = running
  if (repetition === undefined) return payload
  if (reading !== undefined && payload[0] !== 0x4f) {
    delete running.reading
    repetition.answered(decoder.decode(payload))
    return reading.end
  }
  const next = payload[0] === 0x54 ? repetition.stopped(decoder.decode(payload)) : "end"
  if (next === "end") return payload
  running.reading = next === "read" ? { end: payload } : {}
  const requests = next === "read" ? [repetition.read] : [repetition.read, packet]
  send(concat(requests.map((request) => Packet.encode(request))))
  return undefined
}

/** Returns why the reading of a transport ended. */
const endOf = (exit: Exit.Exit<void, Errors.ConnectionLost>): Broken => {
  const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
  if (error?._tag === "Some") return error.value
  return new Errors.ConnectionLost({ reason: Exit.isSuccess(exit) ? "ended" : "closed" })
}

const within = (packet: string, after: Duration.Duration) =>
  Effect.timeoutOrElse({ duration: after, orElse: () => Effect.fail(new Errors.RequestTimedOut({ packet, after })) })

const entryOf = (
  packet: string,
  resume: (answer: Effect.Effect<Uint8Array, Errors.RequestError>) => void
): Pending => ({
  packet,
  answer: (payload) => resume(Effect.succeed(payload)),
  fail: (why) => resume(Effect.fail(why)),
  dropped: false
})

/** Waits for the end of a resume. `refused` is called if the server refused it and the program did not end. */
const awaited = (resumed: Resumed, refused: (resumed: Resumed) => void) =>
  Effect.raceFirst(
    Deferred.await(resumed.outcome),
    Effect.gen(function* () {
      const error = yield* Deferred.await(resumed.refused)
      yield* Effect.sleep(refusalTimeout)
      refused(resumed)
      return yield* error
    })
  )

/** The packets of one connection. */
export interface Exchange {
  /** Sends a request and returns its answer. Fails while the program runs. */
  readonly request: (
    packet: string | Uint8Array,
    timeout: Duration.Duration
  ) => Effect.Effect<Uint8Array, Errors.RequestError>
  /**
   * Sends a packet after which the program runs. With a repetition it is sent again at stops, together with the request that
   * reads, so that a stop costs one exchange. Fails with a repetition before acknowledgements have ended.
   */
  readonly resume: (packet: string, repetition?: Repetition) => Effect.Effect<void, Errors.RequestError>
  /** Waits for the end of the last resume. */
  readonly outcome: Effect.Effect<Outcome, Errors.RequestError>
  /** True between a resume and its stop. */
  readonly running: () => boolean
  readonly sendRaw: (bytes: Uint8Array) => void
  /** Ends acknowledgements: both sides agreed on it. */
  readonly dropAcks: () => void
  /** Calls the listener for output that the program writes through the server. */
  readonly onOutput: (listener: (bytes: Uint8Array) => void) => void
  /**
   * Gives the connection to another reader: from now on it gets all bytes, first those that were received but not read.
   * Requests fail. Fails if one is open.
   */
  readonly takeOver: (receive: (bytes: Uint8Array) => Effect.Effect<void>) => Effect.Effect<void, Errors.RequestError>
  /** Waits until the connection cannot be used any more. */
  readonly lost: Effect.Effect<Broken>
}

/** Starts the exchange. The program is assumed to be stopped or absent. */
export const make: (transport: Transport) => Effect.Effect<Exchange, never, Scope.Scope> = Effect.fnUntraced(function* (
  transport: Transport
) {
  const packets = new Packet.Decoder()
  const lost = Deferred.makeUnsafe<Broken>()
  const listeners: Array<(bytes: Uint8Array) => void> = []
  let pending: Array<Pending> = []
  let acks = true
  let strays = 0
  let repeats = 0
  let sent: Uint8Array = new Uint8Array()
  let failure: Broken | undefined
  let stop: Resumed | undefined
  let last: Resumed | undefined
  let handedOver = false
  let receiver: ((bytes: Uint8Array) => Effect.Effect<void>) | undefined

  const fail = (error: Broken) => {
    if (failure !== undefined) return
    failure = error
    Deferred.doneUnsafe(lost, Exit.succeed(error))
    for (const { fail } of pending) fail(error)
    pending = []
    if (stop !== undefined) Deferred.doneUnsafe(stop.outcome, Exit.fail(error))
    stop = undefined
  }

  const send = (packet: string | Uint8Array) => {
    sent = Packet.encode(packet)
    repeats = 0
    transport.send(sent)
  }

  const stray = () => ++strays > strayLimit && fail(new Errors.ProtocolBroken({ reason: "flood" }))

  /** Takes an answer that comes while the program runs. */
  const takeStop = (running: NonNullable<typeof stop>, payload: Uint8Array): void => {
    const end = repeat(running, payload, transport.send)
    if (end === undefined) return
    const answer = readStop(running.packet, end)
    if (answer instanceof Uint8Array) for (const listener of listeners) listener(answer)
    else if (answer instanceof Errors.RequestFailed) Deferred.doneUnsafe(running.refused, Exit.succeed(answer))
    else if (!Exit.isExit(answer)) fail(answer)
    else {
      stop = undefined
      Deferred.doneUnsafe(running.outcome, answer)
    }
  }

  const take = (item: Packet.Item) => {
    switch (item.kind) {
      case "packet": {
        if (acks) transport.send(plus)
        if (stop !== undefined) return takeStop(stop, item.payload)
        const request = pending.shift()
        if (request === undefined) return void stray()
        strays = 0
        if (!request.dropped) request.answer(item.payload)
        return
      }
      case "nack":
      case "damaged":
        if (acks && ++repeats <= repeatLimit) transport.send(item.kind === "nack" ? sent : minus)
        else if (acks || item.kind === "damaged") fail(new Errors.ProtocolBroken({ reason: "damaged" }))
        return
      case "notification":
        return void stray()
      default:
        return
    }
  }

  const read = (bytes: Uint8Array) =>
    Effect.suspend(() => {
      if (receiver !== undefined) return receiver(bytes)
      for (const item of packets.push(bytes)) {
        if (failure === undefined) take(item)
      }
      if (packets.failure !== undefined) fail(packets.failure)
      return Effect.void
    })

  yield* transport.incoming.pipe(
    Stream.runForEachArray((chunks) => Effect.forEach(chunks, read, { discard: true })),
    Effect.onExit((exit) => Effect.sync(() => fail(endOf(exit)))),
    Effect.ignore,
    Effect.forkScoped({ startImmediately: true })
  )

  const obstacle = (packet: string): Errors.RequestError | undefined => {
    if (failure !== undefined) return failure
    if (handedOver) return new Errors.ConnectionLost({ reason: "handedOver" })
    return stop === undefined ? undefined : new Errors.WrongState({ packet, state: "running" })
  }

  const exchange: Exchange = {
    request: (packet, timeout) => {
      const name = nameOf(packet)
      return Effect.callback<Uint8Array, Errors.RequestError>((resume) => {
        const error = obstacle(name)
        if (error !== undefined) return resume(Effect.fail(error))
        const entry = entryOf(name, resume)
        pending.push(entry)
        send(packet)
        return Effect.sync(() => {
          entry.dropped = true
        })
      }).pipe(within(name, timeout))
    },
    resume: (packet, repetition) =>
      Effect.suspend(() => {
        const error = obstacle(packet)
        if (error !== undefined) return Effect.fail(error)
        if (repetition !== undefined && acks) return Effect.fail(new Errors.NotSupported({ packet: "QStartNoAckMode" }))
        last = resumedBy(packet, repetition)
        stop = last
        send(packet)
        return Effect.void
      }),
    outcome: Effect.suspend(() =>
      last === undefined
        ? Effect.fail(failure ?? new Errors.WrongState({ packet: "waiting", state: "stopped" }))
        : awaited(last, (resumed) => void (stop === resumed && (stop = undefined)))
    ),
    running: () => stop !== undefined,
    sendRaw: transport.send,
    dropAcks: () => {
      acks = false
    },
    onOutput: (listener) => {
      listeners.push(listener)
    },
    takeOver: (receive) =>
      Effect.suspend(() => {
        const packet = "handing the connection over"
        const busy = pending.length > 0 ? new Errors.WrongState({ packet, state: "running" }) : undefined
        const error = obstacle(packet) ?? busy
        if (error !== undefined) return Effect.fail(error)
        const rest = packets.rest()
        receiver = receive
        handedOver = true
        return rest.length === 0 ? Effect.void : receive(rest)
      }),
    lost: Deferred.await(lost)
  }
  return exchange
})

const concat = (parts: ReadonlyArray<Uint8Array>) => {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

const plus = new Uint8Array([0x2b])
const minus = new Uint8Array([0x2d])
