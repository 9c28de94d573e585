/**
 * Traces calls for those who name a collector. Nothing is traced or sent otherwise.
 *
 * A traced call has a tracer of its own: the spans of the call and of what it starts go to the collector until the call has
 * ended. A client in another process sends the collector and its span with each request, so the daemon's spans continue the
 * client's trace.
 */
import { Caller, Client, Errors, type Operation, type Operations } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Collector from "./Collector.ts"
import * as CollectorAddress from "./CollectorAddress.ts"
import * as SpanDocument from "./SpanDocument.ts"

/** The collector and the span of a traced call, as a client sends them to the daemon. */
const Link = Schema.Struct({
  url: Schema.String,
  trace: Schema.String.check(Schema.isPattern(/^[\da-f]{32}$/)),
  span: Schema.String.check(Schema.isPattern(/^[\da-f]{16}$/))
})

/** Encodes and decodes the value of the header of a traced request. */
const LinkText = Schema.fromJsonString(Link)

/** The address of the collector of the running call. */
const Current = Context.Reference<string | undefined>("@sigtrap/host/Traces/Current", {
  defaultValue: () => undefined
})

type Service = Client.Client["Service"]

/** Traces calls. */
export interface CallTraces {
  /** Returns the client whose calls are traced to a collector; fails with the end of a sentence if its address is refused. */
  readonly client: (url: string, client: Service) => Result.Result<Service, string>
  /** Runs a call of another process in its trace. `link` is the header of the request. */
  readonly continued: <A, E, R>(link: string, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Traces calls. Without the layer no call is traced. */
export const Traces = Context.Reference<CallTraces>("@sigtrap/host/Traces", {
  defaultValue: () => ({ client: (_, client) => Result.succeed(client), continued: (_, call) => call })
})

/** Collectors that are open at once; the one that was named first is closed for another. */
const maxCollectors = 4

/** A span that goes to the collector when it ends. */
class SentSpan extends Tracer.NativeSpan {
  readonly #offer: Collector.Collector["offer"]

  constructor(options: ConstructorParameters<typeof Tracer.NativeSpan>[0], offer: Collector.Collector["offer"]) {
    super(options)
    this.#offer = offer
  }

  override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    super.end(endTime, exit)
    this.#offer(SpanDocument.make(this, endTime, exit))
  }

  override event(): void {}
}

/** Runs a call whose spans go to the collector. Spans that begin after its end do not: a session lives on. */
const traced = <A, E, R>(collector: Collector.Collector, url: string, call: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let isOpen = true
    const tracer = Tracer.make({
      span: (options) => (isOpen ? new SentSpan(options, collector.offer) : new Tracer.NativeSpan(options))
    })
    return call.pipe(
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.provideService(Current, url),
      Effect.ensuring(Effect.sync(() => (isOpen = false)))
    )
  })

const sessionOf = (payload: unknown): string | undefined => {
  const session = Predicate.isReadonlyObject(payload) ? payload["session"] : undefined
  return Predicate.isString(session) ? session : undefined
}

/** Returns the result of a call: "OK" or the code of its error. */
const resultOf = (exit: Exit.Exit<unknown, Errors.SigtrapError>): string => {
  if (Exit.isSuccess(exit)) return "OK"
  const error = Exit.findErrorOption(exit)
  return error._tag === "Some" ? Errors.meta(error.value).code : SpanDocument.codeOf(exit.cause)
}

/** Returns the client with a span around each call. */
const tracedClient = (collector: Collector.Collector, url: string, client: Service): Service => {
  const around = <A, E extends Errors.SigtrapError>(operation: string, payload: unknown, call: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { actor } = yield* Caller.Current
      const from = clock.monotonicTimeNanosUnsafe()
      const attributes = { operation, session: sessionOf(payload), client: actor.kind }
      const spanned = Effect.withSpan(call, "Client.call", { root: true, kind: "client", attributes })
      return yield* Effect.onExit(traced(collector, url, spanned), (exit) =>
        Effect.sync(() =>
          collector.called(operation, resultOf(exit), Number(clock.monotonicTimeNanosUnsafe() - from) / 1e6)
        )
      )
    })
  const call = <T extends Operations.Tag>(tag: T, payload: Operations.Payload<T>) =>
    around<Operations.Answer<T>, Client.Failure<T>>(tag, payload, client.call(tag, payload))
  return {
    call,
    callAny: (operation: Operation.Any, payload) => around(operation._tag, payload, client.callAny(operation, payload))
  }
}

/** Traces calls until the end of the scope. */
const make = Effect.fnUntraced(function* (version: string): Effect.fn.Return<CallTraces, never, Scope.Scope> {
  const lifetime = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const open = new Map<string, { readonly collector: Collector.Collector; readonly scope: Scope.Closeable }>()

  /** Returns the collector of an address. It is made at the first call. */
  const collectorOf = (url: string): Result.Result<Collector.Collector, string> =>
    Result.map(CollectorAddress.parse(url), (address) => {
      const known = open.get(url)
      if (known !== undefined) return known.collector
      const [first] = open
      if (first !== undefined && open.size >= maxCollectors) {
        open.delete(first[0])
        Effect.runForkWith(context)(Scope.close(first[1].scope, Exit.void))
      }
      const scope = Scope.forkUnsafe(lifetime)
      const collector = Effect.runSyncWith(context)(Scope.provide(Collector.make(address, version), scope))
      open.set(url, { collector, scope })
      return collector
    })

  return {
    client: (url, client) => Result.map(collectorOf(url), (collector) => tracedClient(collector, url, client)),
    continued: (text, call) => {
      const link = Schema.decodeOption(LinkText)(text)
      if (link._tag === "None") return call
      const { span, trace, url } = link.value
      const collector = collectorOf(url)
      if (Result.isFailure(collector)) return call
      return traced(
        collector.success,
        url,
        Effect.provideService(call, Tracer.ParentSpan, Tracer.externalSpan({ traceId: trace, spanId: span }))
      )
    }
  }
})

/** Traces the calls of clients that name a collector. `version` is that of sigtrap. */
export const layer = (version: string): Layer.Layer<never> => Layer.effect(Traces, make(version))

/** Traces all calls of the client to a collector, whose address has been checked. */
export const clientTo = (url: string): Layer.Layer<Client.Client, never, Client.Client> =>
  Layer.effect(
    Client.Client,
    Effect.map(Effect.all([Traces, Client.Client]), ([tracing, client]) =>
      Result.getOrElse(tracing.client(url, client), () => client)
    )
  )

/** The header of a traced request to the daemon. */
export const header = "sigtrap-trace"

/** Returns the header of a request of the running call; none if it is not traced. */
export const headers: Effect.Effect<{ readonly [name: string]: string }> = Effect.gen(function* () {
  const url = yield* Current
  if (url === undefined) return {}
  const span = yield* Effect.option(Effect.currentSpan)
  if (span._tag === "None") return {}
  const { spanId, traceId } = span.value
  return { [header]: yield* Effect.orDie(Schema.encodeEffect(LinkText)({ url, trace: traceId, span: spanId })) }
})

/** Runs work with the header of its requests, in a span of its own if the running call is traced. */
export const within = <A, E, R>(
  name: string,
  work: (header: { readonly [name: string]: string }) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Current, (url) =>
    url === undefined ? work({}) : Effect.withSpan(Effect.flatMap(headers, work), name)
  )
