/**
 * The HTTP server of the daemon: started and stopped on request, at most one. Its token is new at every start and lies in the
 * runtime directory. A daemon that serves does not end by itself.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { isIP } from "node:net"

/** What to serve on. Port 0 is any free port; the address is that of the loopback unless another one is named. */
export const Request = Schema.Struct({
  port: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })),
  address: Schema.optionalKey(Schema.String),
  /** The collector of the spans of all calls over HTTP. */
  otlp: Schema.optionalKey(Schema.String)
})
/** What to serve on. */
export type Request = typeof Request.Type

/** A server that listens: its address and the file of its token. `already` is true if it was started before. */
export const Served = Schema.Struct({
  url: Schema.String,
  address: Schema.String,
  port: Schema.Int,
  token_file: Schema.String,
  already: Schema.Boolean
}).annotate({ identifier: "ServedHttp" })
/** A server that listens. */
export type Served = typeof Served.Type

/** The errors of starting a server. */
export type Failure = Errors.InvalidState | Errors.Usage

/** Starts a server that ends with the scope. `tokenFile` is where its token is written. */
export type Start = (options: {
  readonly address: string
  readonly port: number
  readonly tokenFile: string
  readonly otlp?: string | undefined
}) => Effect.Effect<{ readonly url: string; readonly port: number }, Failure, Scope.Scope>

/** The HTTP server of the daemon. */
export class HttpServing extends Context.Service<
  HttpServing,
  {
    /** Starts the server, or returns the one that listens. Fails if that one has another port than the one asked for. */
    readonly serve: (request: Request) => Effect.Effect<Served, Failure>
    /** Ends the server; returns whether there was one. */
    readonly stop: Effect.Effect<boolean>
    readonly isServing: () => boolean
  }
>()("@sigtrap/host/HttpServing") {}

const loopback = "127.0.0.1"

const different = ({ address, port }: Served, request: Request) =>
  (request.port !== 0 && request.port !== port) || (request.address !== undefined && request.address !== address)

/** Makes the service. `start` is absent in a daemon that has no server. */
export const make = Effect.fnUntraced(function* (start: Start | undefined, tokenFile: string) {
  const turn = yield* Semaphore.make(1)
  const lifetime = yield* Effect.scope
  let current: { readonly served: Served; readonly scope: Scope.Closeable } | undefined

  const stop = Effect.suspend(() => {
    const server = current
    current = undefined
    return server === undefined ? Effect.succeed(false) : Effect.as(Scope.close(server.scope, Exit.void), true)
  })

  const begin = Effect.fnUntraced(function* ({ address = loopback, otlp, port }: Request) {
    if (start === undefined) {
      return yield* new Errors.InvalidState({
        problem: "this daemon has no HTTP server",
        remedies: [Hint.local("daemon.status")]
      })
    }
    if (isIP(address) === 0 || /^(?:0\.0\.0\.0|[:0]+)$/.test(address)) {
      return yield* new Errors.Usage({
        problem: `${address} names every interface or none: requests must name the address that they are sent to`,
        near: [],
        remedies: [Hint.local("serve", ["--address", loopback])]
      })
    }
    const scope = yield* Scope.fork(lifetime)
    const found = yield* start({ address, port, tokenFile, otlp }).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const served: Served = { ...found, address, token_file: tokenFile, already: false }
    current = { served, scope }
    return served
  })

  return HttpServing.of({
    serve: (request) =>
      Effect.suspend((): Effect.Effect<Served, Failure> => {
        if (current === undefined) return begin(request)
        const { served } = current
        return different(served, request)
          ? Effect.fail(
              new Errors.InvalidState({
                problem: `the daemon serves HTTP already, on ${served.url}`,
                remedies: [Hint.local("serve", ["--stop"])]
              })
            )
          : Effect.succeed({ ...served, already: true })
      }).pipe(turn.withPermit),
    stop: turn.withPermit(stop),
    isServing: () => current !== undefined
  })
})
