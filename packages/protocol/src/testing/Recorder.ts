/**
 * A client that records calls and gives prepared answers, for testing a surface without a manager.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Answer } from "../answers/Answer.ts"
import { Client } from "../client/Client.ts"
import type { SigtrapError } from "../Errors.ts"
import { Feed } from "../events/Feed.ts"
import * as HintCompletion from "../answers/HintCompletion.ts"
import type * as Operation from "../Operation.ts"

/** One call as it reached the client. */
export interface Call {
  readonly tag: string
  readonly payload: unknown
}

/** Returns the answer to a call. */
export type Respond = (operation: Operation.Any, payload: unknown) => Effect.Effect<Answer<unknown>, SigtrapError>

/** The calls so far, in order, and the layer that records them. Typed calls (`call`) are recorded and then fail. */
export interface Recorder {
  readonly calls: ReadonlyArray<Call>
  readonly layer: Layer.Layer<Client | Feed>
}

/** An answer with the given data and nothing else. */
export const answer = (data: unknown): Answer<unknown> => ({ state: "none", data, warnings: [], truncated: [] })

/** A new recorder. */
export const make = (respond: Respond): Recorder => {
  const calls: Array<Call> = []
  return {
    calls,
    layer: Layer.merge(
      Layer.succeed(Feed, { lines: () => Stream.empty }),
      Layer.succeed(Client, {
        call: (tag, payload) =>
          Effect.andThen(
            Effect.sync(() => calls.push({ tag, payload })),
            Effect.die("a recorder answers erased calls only")
          ),
        callAny: (operation, payload) =>
          Effect.suspend(() => {
            calls.push({ tag: operation._tag, payload })
            return HintCompletion.around(operation, payload, respond(operation, payload))
          })
      })
    )
  }
}
