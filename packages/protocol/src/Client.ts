/**
 * "Call an operation by its tag": the only thing a surface needs. Whether the manager is in this process or behind the
 * daemon's socket is the choice of a layer; callers cannot tell.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Answer from "./Answer.ts"
import { Internal, type SigtrapError } from "./Errors.ts"
import * as HintCompletion from "./HintCompletion.ts"
import type * as Operation from "./Operation.ts"
import * as Operations from "./Operations.ts"

/** The service. */
export class Client extends Context.Service<
  Client,
  {
    /** Calls an operation with its decoded payload. */
    readonly call: <T extends Operations.Tag>(
      tag: T,
      payload: Operations.Payload<T>
    ) => Effect.Effect<Operations.Answer<T>, Operations.Failure<T> | SigtrapError>
    /** The same for code that goes through all operations and knows none: `payload` was decoded by its schema. */
    readonly callAny: (
      operation: Operation.Any,
      payload: unknown
    ) => Effect.Effect<Answer.Answer<unknown>, SigtrapError>
  }
>()("@sigtrap/protocol/Client") {}

/** Stands around every call: given its tag, the request's id if it has one, and the work. */
export type Around = <A, E>(tag: string, id: string | undefined, work: Effect.Effect<A, E>) => Effect.Effect<A, E>

const requestId = (payload: unknown): string | undefined => {
  const id = Predicate.isReadonlyObject(payload) ? payload["request_id"] : undefined
  return Predicate.isString(id) ? id : undefined
}

/** The client that calls these functions, by way of `around`. A defect in one of them becomes an `Internal` error. */
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
      // The types are forgotten here and nowhere else; the payload was decoded by this operation's own schema.
      const handle = handlers[tag] as (payload: unknown) => Effect.Effect<Answer.Answer<unknown>, SigtrapError>
      return around(tag, requestId(payload), HintCompletion.around(operation, payload, handle(payload)))
    }
  }
}
