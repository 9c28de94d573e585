/**
 * The typed client of one adapter: requests with their responses, events, reverse requests, cancellation.
 *
 * State is folded by the caller in `onEvent` and `onResponse`, which run inside the decoder loop for each message in the
 * order of arrival. Several messages of a chunk are folded before any caller of `request` continues, so code after
 * a request sees a state that may be newer than the response. After `maxTurn` messages or `maxTurnMillis` other fibers run, so that a
 * flood of messages does not hold them. The client knows nothing of sessions, stops or breakpoints, and ignores the adapter's sequence numbers.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Capabilities from "./Capabilities.ts"
import * as Errors from "./Errors.ts"
import * as Framing from "./Framing.ts"
import * as PendingRequests from "./internal/PendingRequests.ts"
import * as ReverseRequests from "./internal/ReverseRequests.ts"
import * as Span from "./internal/Span.ts"
import * as Message from "./Message.ts"
import * as Requests from "./Requests.ts"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Transport from "./Transport.ts"

/** Options of a client. The callbacks run in the decoder loop: they must be quick and must not throw. */
export interface Options {
  readonly transport: Transport.Transport
  /** Called for every message in both directions, before it is processed. */
  readonly onMessage?: (message: Message.Message, direction: Message.Direction) => void
  /** Called for every event, in the order of arrival. */
  readonly onEvent: (event: Message.Event) => void
  /** Called for a message that is too large to be parsed, unless it answers a request, which fails then. */
  readonly onSkipped?: (bytes: number) => void
  /** Called for a response with more items than are read: how many were left out. Pages that were asked for do not count. */
  readonly onCut?: (command: string, count: number) => void
  /** Called for the first response to each request, also a late one, with the request. */
  readonly onResponse?: (request: Message.Request, response: Message.Response) => void
  /**
   * Answers the adapter's reverse requests, each in a fiber that ends with the scope. Without it, and for any failure, the
   * adapter gets an error response.
   */
  readonly onReverseRequest?: (request: Message.Request) => Effect.Effect<unknown, Errors.ReverseRefused>
  /** Number of text bytes that the adapter may write before its first message: default 0, at most 4 KiB. */
  readonly noise?: number
  /** Default timeout of a request, in milliseconds; 30,000. */
  readonly requestMillis?: number | undefined
}

/** Options of one request. */
export interface RequestOptions {
  /** Timeout of the response: by default 10 s for initialize, `requestMillis` for others. */
  readonly timeout?: Duration.Input
}

/** Counts of protocol violations since the start of the connection. */
export interface Counters {
  /** Bodies that were not valid UTF-8. */
  readonly lossy: number
  /** Bodies that were not protocol messages and were skipped. */
  readonly badFrames: number
  /** Responses to requests that were never sent. */
  readonly unknownResponses: number
  /** Second responses to a request. */
  readonly duplicateResponses: number
  /** Responses that came after the caller had timed out or was interrupted. */
  readonly lateResponses: number
}

/** A connection to one adapter. */
export interface Client {
  /**
   * Sends a request and returns the body of its response.
   *
   * Interruption sends `cancel` if the adapter supports it. A request that times out is not cancelled: its response still
   * reaches `onResponse`.
   */
  readonly request: {
    <Body>(
      request: Requests.Request<undefined, Body>,
      args?: undefined,
      options?: RequestOptions
    ): Effect.Effect<Body, Errors.RequestError>
    <Args, Body>(
      request: Requests.Request<Args, Body>,
      args: Args,
      options?: RequestOptions
    ): Effect.Effect<Body, Errors.RequestError>
  }
  /** Writes the requests that were made, and does not wait for the code that runs. */
  readonly flush?: (() => void) | undefined
  /** Returns the capabilities announced so far; none before the initialize response. */
  readonly capabilities: () => Capabilities.Capabilities
  readonly counters: () => Counters
  /** Waits for the `initialized` event; returns at once if it has come. */
  readonly initialized: Effect.Effect<void, Errors.ConnectionClosed>
  /** Waits for the end of the connection and returns its reason. */
  readonly closed: Effect.Effect<Errors.ConnectionClosed>
}

/** The service of a connection to one adapter. */
export const Client = Context.Service<Client>("@sigtrap/dap/Client")

/** Maximum number of messages that are received before other fibers run. */
export const maxTurn = 128

/** Time in which messages are received before other fibers run, in milliseconds. It is read after each `step` messages. */
export const maxTurnMillis = 2

/** Number of messages that are received together. */
const step = 16

const initializeMillis = 10_000
const requestMillis = 30_000

const reasonOf = (
  exit: Exit.Exit<void, Errors.FramingError | Errors.TransportError>,
  cut: Errors.FramingError | undefined
): Errors.ConnectionClosed => {
  if (Exit.isSuccess(exit)) {
    return new Errors.ConnectionClosed({ reason: "ended", detail: cut?.message ?? "its output has ended." })
  }
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error !== undefined) {
    const reason = error._tag === "FramingError" ? "framing" : "transport"
    return new Errors.ConnectionClosed({ reason, detail: error.message })
  }
  return Cause.hasInterruptsOnly(exit.cause)
    ? shutdown
    : new Errors.ConnectionClosed({ reason: "defect", detail: Cause.pretty(exit.cause) })
}

const shutdown = new Errors.ConnectionClosed({ reason: "shutdown", detail: "the client closed it." })

/** Returns the function that receives messages and then completes the requests that they answer. */
const completing =
  (
    receive: (message: Message.Message) => PendingRequests.Answered | undefined,
    initialized: Deferred.Deferred<void, Errors.ConnectionClosed>,
    onSkipped: Options["onSkipped"]
  ) =>
  (frames: ReadonlyArray<Framing.Frame>): void => {
    let ready = false
    const completed: Array<readonly [PendingRequests.Reply, Message.Response]> = []
    for (const { message, skipped } of frames) {
      if (skipped !== undefined && message.type === "event") {
        onSkipped?.(skipped)
        continue
      }
      const answered = receive(message)
      if (message.type === "response" && answered?.reply !== undefined) completed.push([answered.reply, message])
      else if (message.type === "event" && message.event === "initialized") ready = true
    }
    // Completing a Deferred runs its waiter at once, so all messages are received first.
    if (ready) Deferred.doneUnsafe(initialized, Exit.void)
    for (const [reply, response] of completed) Deferred.doneUnsafe(reply, Exit.succeed(response))
  }

/**
 * Returns the function that decodes chunks and receives their messages, at most `maxTurn` or for `maxTurnMillis` before other fibers
 * run.
 */
const turns = (
  decoder: Framing.Decoder,
  receiveAll: (frames: ReadonlyArray<Framing.Frame>) => void,
  clock: Clock.Clock
) =>
  Effect.fnUntraced(function* (chunks: ReadonlyArray<Uint8Array>) {
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    let room = maxTurn
    let begun = now()
    for (const chunk of chunks) {
      const frames = decoder.push(chunk)
      for (let at = 0; at < frames.length;) {
        const count = Math.min(room, step)
        const received = at === 0 && frames.length <= count ? frames : frames.slice(at, at + count)
        receiveAll(received)
        at += received.length
        room -= received.length
        if (room > 0 && now() - begun < maxTurnMillis) continue
        room = maxTurn
        yield* Effect.yieldNow
        begun = now()
      }
      if (decoder.failure !== undefined) return yield* decoder.failure
    }
  })

/**
 * Connects a client to a transport, for the life of the scope.
 *
 * Fibers: (1) the reader, which decodes messages and calls the callbacks and never waits; it ends with the adapter's
 * output, a framing error or the scope, and then fails all pending requests; (2) the watcher of deadlines, which ends
 * with the scope; (3) one for each reverse request, which ends with its answer or the scope.
 */
export const make: (options: Options) => Effect.Effect<Client, never, Scope.Scope> = Effect.fn("Client.make")(
  function* (options) {
    const { onEvent, onMessage, onResponse, transport } = options
    const decoder = new Framing.Decoder({ noise: options.noise ?? 0 })
    const initialized = Deferred.makeUnsafe<void, Errors.ConnectionClosed>()
    const ended = Deferred.makeUnsafe<Errors.ConnectionClosed>()
    let capabilities = Capabilities.none
    let closed: Errors.ConnectionClosed | undefined

    const requests = yield* PendingRequests.make
    const fork = yield* FiberSet.makeRuntime<never>()

    const close = (reason: Errors.ConnectionClosed) => {
      if (closed !== undefined) return
      closed = reason
      requests.failAll(reason)
      Deferred.doneUnsafe(initialized, Exit.fail(reason))
      Deferred.doneUnsafe(ended, Exit.succeed(reason))
    }

    const write = (message: Message.Message, bytes: Uint8Array) => {
      onMessage?.(message, "client")
      return Effect.mapError(transport.send(bytes), (error) => {
        const failed = closed ?? new Errors.ConnectionClosed({ reason: "transport", detail: error.message })
        // An adapter that does not read cannot be used any more.
        if (error.reason === "full") close(failed)
        return failed
      })
    }

    const answerReverse = ReverseRequests.make({
      handler: options.onReverseRequest,
      nextSeq: () => requests.nextSeq(),
      send: (message) => write(message, Framing.encode(message))
    })

    const addCapabilities = (announced: unknown) => {
      capabilities = Capabilities.merge(capabilities, announced)
    }

    /** Calls the callbacks for one message; returns the request that it answers. */
    const receive = (message: Message.Message): PendingRequests.Answered | undefined => {
      onMessage?.(message, "adapter")
      if (message.type === "event") {
        if (message.event === "capabilities" && Message.isRecord(message.body)) {
          addCapabilities(message.body["capabilities"])
        }
        onEvent(message)
        return undefined
      }
      if (message.type === "request") {
        if (closed === undefined) fork(answerReverse(message))
        return undefined
      }
      const answered = requests.answered(message)
      if (answered === undefined) return undefined
      const { late, request } = answered
      if (message.success && late !== true && request.command === "initialize") addCapabilities(message.body)
      onResponse?.(request, message)
      return answered
    }

    const receiveChunks = turns(decoder, completing(receive, initialized, options.onSkipped), yield* Clock.Clock)

    yield* Effect.addFinalizer(() => Effect.sync(() => close(shutdown)))
    yield* Stream.runForEachArray(transport.incoming, receiveChunks).pipe(
      Effect.onExit((exit) => Effect.sync(() => close(reasonOf(exit, decoder.end())))),
      Effect.forkScoped
    )

    const send = (command: string, args: unknown, millis: number, reply?: PendingRequests.Reply) => {
      const request: PendingRequests.Numbered = {
        seq: requests.nextSeq(),
        type: "request",
        command,
        ...(args === undefined ? {} : { arguments: args })
      }
      const bytes = Framing.encode(request)
      requests.add(request, millis, reply)
      return { seq: request.seq, written: write(request, bytes) }
    }

    /** Sends `cancel` for a request whose caller was interrupted; a response still reaches `onResponse`. */
    const cancel = (seq: number) =>
      Effect.suspend(() => {
        if (closed !== undefined || !requests.abandon(seq)) return Effect.void
        if (!Capabilities.supports(capabilities, "supportsCancelRequest")) return Effect.void
        return Effect.ignore(send(Requests.Cancel.command, { requestId: seq }, requestMillis).written)
      })

    const exchange = (command: string, args: unknown, millis: number) => {
      let seq = 0
      return Effect.onInterrupt(
        Effect.suspend(() => {
          const reply: PendingRequests.Reply = Deferred.makeUnsafe()
          const sent = send(command, args, millis, reply)
          seq = sent.seq
          return Effect.andThen(
            Effect.tapError(sent.written, () => Effect.sync(() => requests.remove(seq))),
            Deferred.await(reply)
          )
        }),
        () => cancel(seq)
      )
    }

    const answered = Effect.fnUntraced(function* <Args, Body>(
      kind: Requests.Request<Args, Body>,
      args?: Args,
      how?: RequestOptions
    ) {
      const { capability, command } = kind
      if (closed !== undefined) return yield* closed
      if (capability !== undefined && !Capabilities.supports(capabilities, capability)) {
        return yield* new Errors.RequestUnsupported({ command, capability })
      }
      const fallback = command === "initialize" ? initializeMillis : (options.requestMillis ?? requestMillis)
      const millis = how?.timeout === undefined ? fallback : Duration.toMillis(how.timeout)
      const response = yield* exchange(command, args, millis)
      if (!response.success) return yield* Message.failure(command, response)
      const { body, left } = yield* Effect.mapError(
        kind.read(response.body, args),
        ({ message }) => new Errors.BodyInvalid({ command, issue: message })
      )
      if (left > 0) options.onCut?.(command, left)
      return body
    })

    const request = <Args, Body>(kind: Requests.Request<Args, Body>, args?: Args, how?: RequestOptions) =>
      Span.within("Client.request", kind.command)(answered(kind, args, how))

    return {
      request,
      flush: () => transport.flush?.(),
      capabilities: () => capabilities,
      counters: () => ({ lossy: decoder.lossy, badFrames: decoder.badFrames, ...requests.counters() }),
      initialized: Deferred.await(initialized),
      closed: Deferred.await(ended)
    }
  }
)

/** Connects a client to a transport, for the life of the layer. */
export const layer = (options: Options): Layer.Layer<Client> => Layer.effect(Client, make(options))

/** Starts an adapter as a child process and connects a client to its standard streams, for the life of the layer. */
export const layerProcess = (
  start: Transport.SpawnOptions,
  options: Omit<Options, "transport">
): Layer.Layer<Client, Errors.TransportError, ChildProcessSpawner.ChildProcessSpawner> =>
  Layer.effect(
    Client,
    Effect.flatMap(Transport.spawn(start), (transport) => make({ ...options, transport }))
  )
