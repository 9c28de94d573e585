/**
 * "Call an operation by its tag": the only thing a surface needs. Whether the manager is in this process or behind the
 * daemon's socket is the choice of a layer; callers cannot tell.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SigtrapError } from "./Errors.ts"
import type * as Answer from "./Answer.ts"
import type * as Operation from "./Operation.ts"
import type * as Operations from "./Operations.ts"

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
