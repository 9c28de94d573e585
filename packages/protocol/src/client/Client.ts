/**
 * The service that calls operations by tag. Every surface uses only this. A layer decides whether the manager is in this
 * process or behind the daemon's socket.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Answer from "../answers/Answer.ts"
import {
  type ConsentDenied,
  type DaemonUnreachable,
  type DaemonVersion,
  Internal,
  type LeaseHeld,
  type Policy,
  type SessionNotFound,
  type SigtrapError,
  type TierRequired,
  type Usage
} from "../Errors.ts"
import * as HintCompletion from "../answers/HintCompletion.ts"
import type * as Operation from "../Operation.ts"
import * as Operations from "../Operations.ts"

/** The errors of a call: those of the operation, of a wrapper that refuses it, and of the connection to the daemon. */
export type Failure<T extends Operations.Tag> = Operations.Failure<T> | Refusal | DaemonUnreachable | DaemonVersion

/** The service that calls operations. */
export class Client extends Context.Service<
  Client,
  {
    /** Calls an operation with its decoded payload. */
    readonly call: <T extends Operations.Tag>(
      tag: T,
      payload: Operations.Payload<T>
    ) => Effect.Effect<Operations.Answer<T>, Failure<T>>
    /** Calls any operation. The operation's own schema must have decoded `payload`. */
    readonly callAny: (
      operation: Operation.Any,
      payload: unknown
    ) => Effect.Effect<Answer.Answer<unknown>, SigtrapError>
  }
>()("@sigtrap/protocol/Client") {}

/**
 * The client that runs the commands of a script. The outermost wrapper of a client sets it, so that each command is permitted,
 * masked and recorded as if it were called alone.
 */
export const Commands = Context.Reference<Client["Service"] | undefined>("@sigtrap/protocol/Client/Commands", {
  defaultValue: () => undefined
})

/** Returns the client with itself as the client of scripts, unless a client around it is that already. */
export const outermost = (client: Client["Service"]): Client["Service"] => {
  const within = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Commands, (known) => (known === undefined ? Effect.provideService(work, Commands, complete) : work))
  const complete: Client["Service"] = {
    call: (tag, payload) => within(client.call(tag, payload)),
    callAny: (operation, payload) => within(client.callAny(operation, payload))
  }
  return complete
}

/** A call of an operation with its decoded payload. `id` is its `request_id`, if it has one. */
export interface Call {
  readonly operation: Operation.Any
  readonly payload: unknown
  readonly id: string | undefined
}

/** Wraps every call. It can add warnings, and refuse the call with an error that every operation has. */
export type Around = <A extends Answer.Answer<unknown>, E>(
  call: Call,
  work: Effect.Effect<A, E>
) => Effect.Effect<A, E | Refusal>

/** The errors with which a wrapper can refuse a call: each has them, and one that acts on a session the last two. */
export type Refusal = TierRequired | ConsentDenied | Policy | Usage | SessionNotFound | LeaseHeld

const callOf = (operation: Operation.Any, payload: unknown): Call => {
  const id = Predicate.isReadonlyObject(payload) ? payload["request_id"] : undefined
  return { operation, payload, id: Predicate.isString(id) ? id : undefined }
}

/** Returns the handlers that have the one of an operation. */
export type HandlersWith = (tag: Operations.Tag) => Effect.Effect<Partial<Operations.Handlers>>

/** Runs the handler of an operation. Handlers without it are a defect. */
const handled = <T extends Operations.Tag>(
  handlers: Partial<Operations.Handlers>,
  tag: T,
  payload: Operations.Payload<T>
): Effect.Effect<Operations.Answer<T>, Operations.Failure<T>> => {
  const handle = handlers[tag]
  return handle === undefined ? Effect.die(`${tag} has no handler`) : handle(payload)
}

/** Returns the client that calls these handlers through `around`. */
export const fromHandlers = (handlersWith: HandlersWith, around: Around = (_, work) => work): Client["Service"] => {
  const run = <A extends Answer.Answer<unknown>, E extends SigtrapError>(
    operation: Operation.Any,
    payload: unknown,
    work: Effect.Effect<A, E>
  ) => HintCompletion.around(operation, payload, around(callOf(operation, payload), work))
  return {
    call: (tag, payload) =>
      run(
        Operations.byTag(tag),
        payload,
        Effect.flatMap(handlersWith(tag), (handlers) => handled(handlers, tag, payload))
      ),
    callAny: (operation, payload) => {
      const tag = operation._tag
      if (!Operations.isTag(tag)) return Effect.fail(new Internal({ detail: `there is no operation ${tag}` }))
      const answer = Effect.flatMap(handlersWith(tag), (handlers) => {
        // The only place that loses the types. The operation's own schema decoded the payload.
        const handle = handlers[tag] as
          | ((payload: unknown) => Effect.Effect<Answer.Answer<unknown>, SigtrapError>)
          | undefined
        return handle === undefined ? Effect.die(`${tag} has no handler`) : handle(payload)
      })
      return run(operation, payload, answer)
    }
  }
}
