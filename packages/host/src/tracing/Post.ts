/**
 * Posts JSON with Node's own client: it follows no redirect and uses no proxy, so data goes only to the named address.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A request that failed. `status` is that of the answer, if there was one. */
export class PostFailed extends Data.TaggedError("PostFailed")<{ readonly status?: number }> {}

/** Timeout of a request, in milliseconds. */
const TIMEOUT = 5000

/** Posts a document. Succeeds if the answer has a status of success. */
export const post = Effect.fnUntraced(function* (url: string, document: object): Effect.fn.Return<void, PostFailed> {
  const { request } = yield* Effect.promise(() =>
    url.startsWith("https:") ? import("node:https") : import("node:http")
  )
  const body = JSON.stringify(document)
  yield* Effect.callback<void, PostFailed>((resume) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "sigtrap"
    }
    const sent = request(url, { method: "POST", headers, agent: false }, (answer) => {
      const { statusCode: status = 0 } = answer
      // The answer is read and dropped, so that the connection ends.
      answer.resume()
      answer.once("close", () =>
        resume(status >= 200 && status < 300 ? Effect.void : Effect.fail(new PostFailed({ status })))
      )
    })
    sent.once("error", () => resume(Effect.fail(new PostFailed({}))))
    sent.end(body)
    return Effect.sync(() => sent.destroy())
  }).pipe(Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.fail(new PostFailed({})) }))
})
