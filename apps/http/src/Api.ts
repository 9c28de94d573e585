/**
 * Serves every operation as `POST /v1/…`: the request body is the payload, the response body the envelope. A failure has
 * the HTTP status of its error class and an envelope too. One handler serves all; the routes are computed from the
 * operations.
 */
import { ByteSize, Effect, Predicate, type Redacted, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Refusals from "@sigtrap/host/audit/Refusals"
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

/** The options of a server. */
export interface Options {
  readonly version: string
  /** The only accepted `Host`: address and port. */
  readonly authority: string
  readonly token: Redacted.Redacted
  /** The directory and environment of payloads that have none. */
  readonly caller: Payload.Caller
  /** The settings of the directory where the server was started, read again at each call. */
  readonly configured?: Effect.Effect<Settings.Values, Errors.InvalidConfig> | undefined
}

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** The media type of a stream of JSON documents, sent to callers that follow and accept it. */
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

const misrouted = (status: 404 | 405, problem: string) =>
  failed(new Errors.Usage({ problem, near: [], remedies: [Hint.remedy("GET /openapi.json")] }), undefined, status)

const readBody = (request: HttpServerRequest.HttpServerRequest) =>
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

/** Returns the handler of all requests. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* Client.Client
  const throttle = yield* Access.throttle
  const report = yield* Refusals.Refusals
  const routes = new Map(Operations.all.map((operation) => [OpenApi.path(operation), operation]))

  /** Reports a refusal to the audit log and answers with it. */
  const refuse = (request: HttpServerRequest.HttpServerRequest, refusal: Access.Refusal) =>
    Effect.as(
      report({
        actor: { kind: "http" },
        operation: `${request.method} ${request.url.split("?")[0] ?? ""}`,
        code: Errors.meta(refusal.error).code,
        rule: refusal.rule
      }),
      refused(refusal)
    )

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

  /** Streams one envelope per line until the session ends or the caller disconnects. */
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
      return request.method === "GET"
        ? reply(200, OpenApi.document({ version: options.version, url: `http://${options.authority}` }))
        : misrouted(405, "/openapi.json takes GET")
    }
    const operation = routes.get(path)
    if (operation === undefined) return misrouted(404, "no operation has this path")
    if (request.method !== "POST") return misrouted(405, "operations take POST")
    const refusal = Access.checkMediaType(Access.fromServer(request))
    if (refusal !== undefined) return yield* refuse(request, refusal)
    return yield* Effect.matchEffect(readBody(request), {
      onSuccess: (input) =>
        request.headers["accept"] === ndjson &&
        Predicate.isReadonlyObject(input) &&
        Follow.isRequested(operation, input)
          ? Effect.succeed(follow(operation, input))
          : call(operation, input),
      onFailure: (problem) =>
        "rule" in problem ? refuse(request, problem) : Effect.succeed(failed(problem, operation))
    })
  })

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const facts = Access.fromServer(request)
    const foreign = Access.checkOrigin(facts, options)
    if (foreign !== undefined) return yield* refuse(request, foreign)
    const [path = ""] = request.url.split("?")
    if (path === "/health" && request.method === "GET") return reply(200, { ok: true })
    const unauthorized = Access.checkToken(facts, options)
    if (unauthorized === undefined) return yield* route(request, path)
    yield* throttle
    return yield* refuse(request, unauthorized)
  })
})
