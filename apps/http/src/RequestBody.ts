/**
 * The body of a request as JSON.
 */
import { ByteSize, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Access from "@sigtrap/host/http/Access"
import { Errors, Hint } from "@sigtrap/protocol"

/** Reads the body; fails if it is not JSON or has more than `limit` bytes. */
export const read = (request: HttpServerRequest.HttpServerRequest, limit: number) =>
  Effect.matchEffect(request.json, {
    onSuccess: (value) => Effect.succeed(value),
    onFailure: ({ reason }) =>
      Effect.fail(
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
          ? Access.tooLarge
          : new Errors.Usage({
              problem: "the body is not JSON",
              near: [],
              remedies: [Hint.remedy("GET /openapi.json")]
            })
      )
  }).pipe(Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(limit)))
