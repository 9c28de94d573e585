/**
 * The body of a request as JSON.
 */
import { ByteSize, Effect, Predicate, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Access from "@sigtrap/host/http/Access"
import { Errors, Hint, JsonSize } from "@sigtrap/protocol"

/** Most bytes of a short body. */
const short = 64 * 1024

/** Most levels of lists and objects in a body: those of a request to the daemon. */
const deepest = 64

const refused = (problem: string) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.remedy("GET /openapi.json")] })

const notJson = refused("the body is not JSON")

const tooDeep = refused(`the body has more than ${deepest} levels`)

/** Parses the text of a body. Levels are counted before: what handles a value afterwards may go through it by recursion. */
const parse = (text: string): Result.Result<unknown, Errors.Usage> => {
  if (text === "") return Result.succeed(null)
  const over = JsonSize.excess(text, { depth: deepest, values: Number.POSITIVE_INFINITY })
  return over === undefined
    ? Result.try({ try: (): unknown => JSON.parse(text), catch: () => notJson })
    : Result.fail(tooDeep)
}

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
const readShort = (source: Source): Effect.Effect<string, Errors.Usage> =>
  Effect.callback((resume) => {
    const decoder = new TextDecoder()
    let text = ""
    source.on("data", (chunk) => {
      if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true })
    })
    source.on("end", () => {
      resume(Effect.succeed(text + decoder.decode()))
    })
    source.on("error", () => resume(Effect.fail(notJson)))
    source.on("close", () => resume(Effect.fail(notJson)))
  })

const isShort = ({ headers }: HttpServerRequest.HttpServerRequest, limit: number): boolean => {
  const length = headers["content-length"]
  return length !== undefined && /^\d{1,6}$/.test(length) && Number(length) <= Math.min(limit, short)
}

/** Reads the body; fails if it is not JSON, has too many levels, or has more than `limit` bytes. */
export const read = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<unknown, Errors.Usage | Access.Refusal> => {
  const { source } = request
  const text =
    isShort(request, limit) && isSource(source)
      ? readShort(source)
      : Effect.mapError(request.text, ({ reason }) =>
          reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? Access.overLimit(limit) : notJson
        ).pipe(Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(limit)))
  return Effect.flatMap(text, (body) => Effect.fromResult(parse(body)))
}
