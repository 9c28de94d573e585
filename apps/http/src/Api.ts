/**
 * Every operation as `POST /v1/…`: the body is its payload, the answer its envelope, an error the status of its class
 * with the same envelope. One handler for all of them; what they are is computed from the operations.
 */
import { ByteSize, Effect, Predicate, type Redacted, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Access from "@sigtrap/host/http/Access"
import {
  Client,
  Envelope,
  Errors,
  Follow,
  Hint,
  type Operation,
  Operations,
  Payload,
  type Settings
} from "@sigtrap/protocol"
import * as HintText from "./HintText.ts"
import * as OpenApi from "./OpenApi.ts"

/** What the server is made with. */
export interface Options {
  readonly version: string
  /** Our only name, port included. */
  readonly authority: string
  readonly token: Redacted.Redacted
  /** Whose directory and environment a payload gets that has none. */
  readonly caller: Payload.Caller
  /** What is configured where the server was started, read at each call. */
  readonly configured?: Effect.Effect<Settings.Values, Errors.InvalidConfig> | undefined
}

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** The media type of a stream of JSON documents; a caller that accepts it gets what it follows as one. */
const ndjson = "application/x-ndjson"

const reply = (status: number, body: object) => HttpServerResponse.jsonUnsafe(body, { status, headers })

const failed = (error: Errors.SigtrapError, operation?: Operation.Any, status?: number) =>
  reply(
    status ?? Errors.meta(error).httpApiStatus,
    Envelope.failure(error, HintText.write, operation && Envelope.command(operation))
  )

const refused = ({ rule, status, error }: Access.Refusal) => {
  const envelope = Envelope.failure(error, HintText.write)
  return reply(status, { ...envelope, error: { ...envelope.error, details: { rule } } })
}

const wrongWay = (status: 404 | 405, problem: string) =>
  failed(new Errors.Usage({ problem, near: [], remedies: [Hint.remedy("GET /openapi.json")] }), undefined, status)

const body = (request: HttpServerRequest.HttpServerRequest) =>
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
  }).pipe(Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(Access.bodyLimit)))

/** Handles every request. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* Client.Client
  const throttle = yield* Access.throttle
  const document = OpenApi.document({ version: options.version, url: `http://${options.authority}` })
  const routes = new Map(Operations.all.map((operation) => [OpenApi.path(operation), operation]))

  const caller = Effect.map(options.configured ?? Effect.succeed({}), (settings) => ({ ...options.caller, settings }))

  const call = (operation: Operation.Any, input: unknown) =>
    Effect.gen(function* () {
      const filled = Predicate.isReadonlyObject(input) ? Payload.fill(operation, input, yield* caller) : input
      const payload = yield* Payload.decode(operation, filled)
      const answer = yield* client.callAny(operation, payload)
      return reply(200, yield* Envelope.success(operation, answer, HintText.write))
    }).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(defect),
          new Errors.Internal({ detail: `${Envelope.command(operation)} failed; see the log` })
        )
      ),
      Effect.catch((error) => Effect.succeed(failed(error, operation)))
    )

  /** One envelope a line, until the session is over or the caller goes away. */
  const follow = (operation: Operation.Any, input: Follow.Input) => {
    const encoder = new TextEncoder()
    const line = (document: object) => encoder.encode(`${JSON.stringify(document)}\n`)
    const lines = Stream.paginate(input, (asked) =>
      Effect.gen(function* () {
        const payload = yield* Payload.decode(operation, Payload.fill(operation, asked, yield* caller))
        const answer = yield* client.callAny(operation, payload)
        const shown = Follow.isEmpty(answer) ? [] : [line(yield* Envelope.success(operation, answer, HintText.write))]
        return [shown, Follow.next(asked, answer)] as const
      })
    ).pipe(
      Stream.catch((error) =>
        Stream.succeed(line(Envelope.failure(error, HintText.write, Envelope.command(operation))))
      )
    )
    return HttpServerResponse.stream(lines, { contentType: ndjson, headers })
  }

  const route = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, path: string) {
    if (path === "/openapi.json") {
      return request.method === "GET" ? reply(200, document) : wrongWay(405, "the document is read with GET")
    }
    const operation = routes.get(path)
    if (operation === undefined) return wrongWay(404, "there is no such operation")
    if (request.method !== "POST") return wrongWay(405, "operations are called with POST")
    const refusal = Access.checkMediaType(Access.seen(request))
    if (refusal !== undefined) return refused(refusal)
    return yield* Effect.matchEffect(body(request), {
      onSuccess: (input) =>
        request.headers["accept"] === ndjson && Predicate.isReadonlyObject(input) && Follow.wanted(operation, input)
          ? Effect.succeed(follow(operation, input))
          : call(operation, input),
      onFailure: (problem) => Effect.succeed("rule" in problem ? refused(problem) : failed(problem, operation))
    })
  })

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const facts = Access.seen(request)
    const stranger = Access.checkOrigin(facts, options)
    if (stranger !== undefined) return refused(stranger)
    const [path = ""] = request.url.split("?")
    if (path === "/health" && request.method === "GET") return reply(200, { ok: true })
    const unknown = Access.checkToken(facts, options)
    if (unknown === undefined) return yield* route(request, path)
    yield* throttle
    return refused(unknown)
  })
})
