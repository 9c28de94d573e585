/**
 * The body of a request as JSON.
 */
import { ByteSize, Effect, Predicate } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Access from "@sigtrap/host/http/Access"
import { Errors, Hint } from "@sigtrap/protocol"

/** Most bytes of a short body. */
const short = 64 * 1024

/** A request of Node's HTTP server, as far as its body is read here. */
interface Source {
  readonly on: (event: string, listener: (chunk: unknown) => void) => unknown
}

const isSource = (source: unknown): source is Source =>
  Predicate.hasProperty(source, "on") &&
  typeof source.on === "function" &&
  Predicate.hasProperty(source, "readableEnded") &&
  source.readableEnded === false &&
  Predicate.hasProperty(source, "destroyed") &&
  source.destroyed === false &&
  Predicate.hasProperty(source, "readableFlowing") &&
  source.readableFlowing === null

/**
 * Reads a short body of Node's HTTP server when it ends. The library waits until the stream is closed, which comes several turns
 * later. Node's parser ends a body at its declared length, so it has no more bytes than that.
 */
const readShort = (source: Source): Effect.Effect<unknown, "broken"> =>
  Effect.callback((resume) => {
    const decoder = new TextDecoder()
    let text = ""
    source.on("data", (chunk) => {
      if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true })
    })
    source.on("end", () => {
      try {
        text += decoder.decode()
        resume(Effect.succeed(text === "" ? null : JSON.parse(text)))
      } catch {
        resume(Effect.fail("broken"))
      }
    })
    source.on("error", () => resume(Effect.fail("broken")))
    source.on("close", () => resume(Effect.fail("broken")))
  })

const isShort = ({ headers }: HttpServerRequest.HttpServerRequest, limit: number): boolean => {
  const length = headers["content-length"]
  return length !== undefined && /^\d{1,6}$/.test(length) && Number(length) <= Math.min(limit, short)
}

const notJson = new Errors.Usage({
  problem: "the body is not JSON",
  near: [],
  remedies: [Hint.remedy("GET /openapi.json")]
})

/** Reads the body; fails if it is not JSON or has more than `limit` bytes. */
export const read = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<unknown, Errors.Usage | typeof Access.tooLarge> => {
  const { source } = request
  if (isShort(request, limit) && isSource(source)) return Effect.mapError(readShort(source), () => notJson)
  return Effect.mapError(request.json, ({ reason }) =>
    reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? Access.tooLarge : notJson
  ).pipe(Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(limit)))
}
