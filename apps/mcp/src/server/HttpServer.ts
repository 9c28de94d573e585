/**
 * The server on a loopback port: streamable HTTP at `/mcp`, behind the checks of `Access`. Every web page and every user of
 * the machine can reach the port, so each request needs the token, the expected `Host` and no foreign `Origin`.
 */
import { ByteSize, Effect, type Redacted, Result } from "effect"
import { McpServer } from "effect/ai"
import { type HttpServerError, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Refusals from "@sigtrap/host/audit/Refusals"
import * as Access from "@sigtrap/host/http/Access"
import * as Listener from "@sigtrap/host/http/Listener"
import { Envelope, Errors } from "@sigtrap/protocol"
import * as Subscriptions from "../resources/Subscriptions.ts"
import * as IdleSessions from "./IdleSessions.ts"
import * as Server from "./Server.ts"
import * as HintText from "../results/HintText.ts"
import * as CompactMessages from "../tools/CompactMessages.ts"

/** The options of the server. */
export interface Options extends Server.Options {
  /** 0 selects a free port. */
  readonly port: number
  /** The token from the environment; without one a new token is written to a file. */
  readonly token?: Redacted.Redacted
}

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const refused = ({ error, rule, status }: Access.Refusal) => {
  const envelope = Envelope.failure(error, HintText.write({ profile: "default", input: {} }))
  const body = { ...envelope, error: { ...envelope.error, details: { rule } } }
  return HttpServerResponse.jsonUnsafe(body, { status, headers })
}

const largestBody = ByteSize.bytes(Access.bodyLimit)

const isTooLarge = ({ reason }: HttpServerError.HttpServerError) =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

const decoder = new TextDecoder()

/** Shortens the body of a response, as on standard output. */
const shortened = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array") return response
  const text = decoder.decode(body.body)
  const short = CompactMessages.shorten(text)
  return short === text
    ? response
    : HttpServerResponse.text(short, { status: response.status, headers: response.headers })
}

/** The header with the id of a session, and that with the revision of the protocol. */
const sessionHeader = "mcp-session-id"
const versionHeader = "mcp-protocol-version"

/** Serves until the scope closes. Returns the address and the token file. */
export const start = Effect.fn("HttpServer.start")(function* (options: Options) {
  const { authority, server, token, tokenFile } = yield* Listener.listen(options.port, options.token)
  const throttle = yield* Access.throttle
  const report = yield* Refusals.Refusals
  const subscribed = Subscriptions.first()
  const endpoint = McpServer.layerHttp({
    ...Server.about(options.version),
    path: "/mcp",
    allowedOrigins: [`http://${authority}`],
    allowSessionTermination: true,
    registrations: Server.registrations({ ...options, notifies: false }, subscribed)
  })
  const handle = yield* HttpRouter.toHttpEffect(endpoint)
  const policy = { authority, token }
  const sessions = yield* IdleSessions.make((id, version) => {
    const fields = { [sessionHeader]: id, ...(version === undefined ? {} : { [versionHeader]: version }) }
    const request = new Request(`http://${authority}/mcp`, { method: "DELETE", headers: fields })
    return Effect.scoped(
      Effect.provideService(handle, HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request))
    )
  })

  /** Runs a request, which counts as use of its session. */
  const inSession = Effect.fnUntraced(function* ({ headers, method }: HttpServerRequest.HttpServerRequest) {
    const id = headers[sessionHeader]
    if (id === undefined) return yield* handle
    const response = yield* sessions.during(id, headers[versionHeader], handle)
    if (method === "DELETE") sessions.closed(id)
    return response
  })

  /** Reports a refusal to the audit log and answers with it. */
  const refuse = (request: HttpServerRequest.HttpServerRequest, refusal: Access.Refusal) =>
    Effect.as(
      report({
        actor: { kind: "mcp" },
        operation: `${request.method} ${request.url.split("?")[0] ?? ""}`,
        code: Errors.meta(refusal.error).code,
        rule: refusal.rule
      }),
      refused(refusal)
    )

  const guarded = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const facts = Access.fromServer(request)
    const foreign = Access.checkOrigin(facts, policy)
    if (foreign !== undefined) return yield* refuse(request, foreign)
    if (request.url === "/health" && request.method === "GET") {
      return HttpServerResponse.jsonUnsafe({ ok: true }, { headers })
    }
    const unauthorized = Access.checkToken(facts, policy)
    if (unauthorized !== undefined) {
      yield* throttle
      return yield* refuse(request, unauthorized)
    }
    if (request.method === "POST") {
      const wrongMediaType = Access.checkMediaType(facts)
      if (wrongMediaType !== undefined) return yield* refuse(request, wrongMediaType)
      // The protocol's handler reads the same text again; it reports a body that is too large as one that is not JSON.
      const body = yield* Effect.result(Effect.provideService(request.text, HttpServerRequest.MaxBodySize, largestBody))
      if (Result.isFailure(body) && isTooLarge(body.failure)) return yield* refuse(request, Access.tooLarge)
    }
    if (facts.headers("mcp-method").includes("subscriptions/listen")) yield* subscribed.begin
    return shortened(yield* inSession(request))
  })
  yield* server.serve(
    Effect.catchCause(guarded, (cause) => Effect.as(Effect.logError(cause), HttpServerResponse.empty({ status: 404 })))
  )
  return { url: `http://${authority}/mcp`, ...(tokenFile === undefined ? {} : { token_file: tokenFile }) }
})
