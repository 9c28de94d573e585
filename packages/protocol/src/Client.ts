/**
 * The service that calls operations by tag. Every surface uses only this. A layer decides whether the manager is in this
 * process or behind the daemon's socket.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Answer from "./Answer.ts"
import { Internal, type SigtrapError } from "./Errors.ts"
import * as HintCompletion from "./HintCompletion.ts"
import type * as Operation from "./Operation.ts"
import * as Operations from "./Operations.ts"

/** The service that calls operations. */
export class Client extends Context.Service<
  Client,
  {
    /** Calls an operation with its decoded payload. */
    readonly call: <T extends Operations.Tag>(
      tag: T,
      payload: Operations.Payload<T>
    ) => Effect.Effect<Operations.Answer<T>, Operations.Failure<T> | SigtrapError>
    /** Calls any operation. The operation's own schema must have decoded `payload`. */
    readonly callAny: (
      operation: Operation.Any,
      payload: unknown
    ) => Effect.Effect<Answer.Answer<unknown>, SigtrapError>
  }
>()("@sigtrap/protocol/Client") {}

/** Wraps every call; receives its tag, its `request_id` if it has one, and the effect. */
export type Around = <A, E>(tag: string, id: string | undefined, work: Effect.Effect<A, E>) => Effect.Effect<A, E>

const requestId = (payload: unknown): string | undefined => {
  const id = Predicate.isReadonlyObject(payload) ? payload["request_id"] : undefined
  return Predicate.isString(id) ? id : undefined
}

/** Returns the client that calls these handlers through `around`. */
export const fromHandlers = (
  handlers: Operations.Handlers,
  around: Around = (_, __, work) => work
): Client["Service"] => {
  return {
    call: (tag, payload) =>
      around(tag, requestId(payload), HintCompletion.around(Operations.byTag(tag), payload, handlers[tag](payload))),
    callAny: (operation, payload) => {
      const tag = operation._tag
      if (!Operations.isTag(tag)) return Effect.fail(new Internal({ detail: `there is no operation ${tag}` }))
      // The only place that loses the types. The operation's own schema decoded the payload.
      const handle = handlers[tag] as (payload: unknown) => Effect.Effect<Answer.Answer<unknown>, SigtrapError>
      return around(tag, requestId(payload), HintCompletion.around(operation, payload, handle(payload)))
    }
  }
}
