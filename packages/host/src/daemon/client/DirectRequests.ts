/**
 * Requests for operations on the connection of a client, without the fibers and the decoding of the library's client, which take longer
 * than the request. The daemon encoded an answer by its schema, so an answer is used as it came. Errors are classes and are decoded.
 */
import { type Answer, Errors, type Operation, Payload } from "@sigtrap/protocol"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as RpcClient from "effect/rpc/RpcClient"
import type { RpcClientError } from "effect/rpc/RpcClientError"

/** The number of this client on a connection. The library numbers its own from 0. */
const client = -1

/** Time that a cancelled request may take to tell the daemon, in milliseconds; the same as that of the library. */
const telling = 1000

/** The errors of a request. */
export type Failure = Errors.SigtrapError | RpcClientError

/** A request without an answer. */
interface Pending {
  readonly operation: Operation.Any
  readonly exit: Deferred.Deferred<Answer.Answer<unknown>, Failure>
}

/** Requests an operation. The payload is completed with the defaults of its schema; the names of headers are in lower case. */
export type Request = (
  operation: Operation.Any,
  payload: unknown,
  headers: { readonly [name: string]: string }
) => Effect.Effect<Answer.Answer<unknown>, Failure>

/** True for a value that has the form of an answer. Its data are those of the operation, which the daemon encoded. */
const isAnswer = (value: unknown): value is Answer.Answer<unknown> =>
  Predicate.isReadonlyObject(value) &&
  "data" in value &&
  Array.isArray(value["warnings"]) &&
  Array.isArray(value["truncated"])

/** Returns the decoder of a defect. Like that of failures it is made when it is first used. */
const defectDecoder = () => Schema.decodeUnknownSync(Schema.toCodecJson(Schema.Defect()))

let decodeDefect: ReturnType<typeof defectDecoder> | undefined

/** Returns the decoder of failures. It is made when it is first used: the schema of all errors is large. */
const exitDecoder = () =>
  Schema.decodeUnknownEffect(Schema.toCodecJson(Schema.Exit(Schema.Never, Errors.SigtrapError, Schema.Defect())))

let decodeExit: ReturnType<typeof exitDecoder> | undefined

/** Returns the failure that the daemon sent. */
const failureOf = (exit: unknown) => {
  decodeExit ??= exitDecoder()
  return Effect.flatten(Effect.orDie(decodeExit(exit)))
}

/** Makes what requests operations on a connection. Pending requests are interrupted with the scope. */
export const make = Effect.fnUntraced(function* (
  protocol: RpcClient.Protocol["Service"]
): Effect.fn.Return<Request, never, Scope.Scope> {
  const pending = new Map<string, Pending>()
  let count = 0
  let isClosed = false

  const settle = (exit: Effect.Effect<never, Failure>) => {
    // A caller that continues can send new requests.
    const all = [...pending.values()]
    pending.clear()
    for (const one of all) Deferred.doneUnsafe(one.exit, exit)
  }

  yield* protocol
    .run(client, (message) =>
      Effect.sync(() => {
        if (message._tag === "Exit") {
          const id = String(message.requestId)
          const found = pending.get(id)
          if (found === undefined) return
          pending.delete(id)
          const { exit } = message
          if (exit._tag === "Failure") Deferred.doneUnsafe(found.exit, failureOf(exit))
          else if (isAnswer(exit.value)) Deferred.doneUnsafe(found.exit, Effect.succeed(exit.value))
          else Deferred.doneUnsafe(found.exit, Effect.die(`the answer of ${found.operation._tag} has another form`))
        } else if (message._tag === "Defect") settle(Effect.die((decodeDefect ??= defectDecoder())(message.defect)))
        else if (message._tag === "ClientProtocolError") settle(Effect.fail(message.error))
      })
    )
    .pipe(Effect.interruptible, Effect.forkScoped({ startImmediately: true }))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosed = true
      settle(Effect.interrupt)
    })
  )

  const cancel = (id: string) =>
    pending.delete(id)
      ? Effect.ignoreCause(Effect.timeout(protocol.send(client, { _tag: "Interrupt", requestId: id }), telling))
      : Effect.void

  return (operation, payload, headers) =>
    Effect.suspend(() => {
      if (isClosed) return Effect.interrupt
      const body = Payload.encode(operation, payload)
      const id = `d${(count += 1)}`
      const exit = Deferred.makeUnsafe<Answer.Answer<unknown>, Failure>()
      pending.set(id, { operation, exit })
      return protocol
        .send(client, { _tag: "Request", id, tag: operation._tag, payload: body, headers: Object.entries(headers) })
        .pipe(
          Effect.andThen(Deferred.await(exit)),
          Effect.onError((cause) => (Cause.hasInterrupts(cause) ? cancel(id) : Effect.sync(() => pending.delete(id))))
        )
    })
})
