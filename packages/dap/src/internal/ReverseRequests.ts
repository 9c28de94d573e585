/**
 * Responses to the adapter's own requests: the handler's result, or an error response for every failure.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Errors from "../Errors.ts"
import type * as Message from "../Message.ts"

/** What reverse requests are answered with. */
export interface Options {
  readonly handler: ((request: Message.Request) => Effect.Effect<unknown, Errors.ReverseRefused>) | undefined
  readonly nextSeq: () => number
  readonly send: (message: Message.Response) => Effect.Effect<void, Errors.ConnectionClosed>
}

/** Maximum number of requests that are handled at a time. Further ones are refused. */
export const maxHandled = 64

/** Returns the function that answers a reverse request. */
export const make = ({ handler, nextSeq, send }: Options): ((request: Message.Request) => Effect.Effect<void>) => {
  const respond = (request: Message.Request, result: object) =>
    Effect.ignore(
      Effect.suspend(() =>
        send({
          seq: nextSeq(),
          type: "response",
          request_seq: request.seq ?? 0,
          success: true,
          command: request.command,
          ...result
        })
      )
    )

  const refuse = (request: Message.Request, text: string) =>
    respond(request, { success: false, message: text, body: { error: { id: 1, format: text, showUser: true } } })

  let handled = 0

  return (request) => {
    if (handler === undefined) return refuse(request, `unknown request: ${request.command}`)
    if (handled === maxHandled) return refuse(request, `${maxHandled} requests are still being handled`)
    handled += 1
    return Effect.matchCauseEffect(
      Effect.suspend(() => handler(request)),
      {
        onSuccess: (body) => respond(request, body === undefined ? {} : { body }),
        onFailure: (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.void
          const refused = Option.getOrUndefined(Cause.findErrorOption(cause))
          return refuse(request, refused?.text ?? `${request.command} failed in the client`)
        }
      }
    ).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          handled -= 1
        })
      )
    )
  }
}
