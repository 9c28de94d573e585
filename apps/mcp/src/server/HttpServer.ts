/**
 * The server on a loopback port: streamable HTTP at `/mcp`, behind the checks of `Access`. Every web page and every user of
 * the machine can reach the port, so each request needs the token, the expected `Host` and no foreign `Origin`.
 */
import { ByteSize, Effect, Option, Predicate, Result, Stream, type Redacted } from "effect"
import { McpServer } from "effect/ai"
import {
  HttpBody,
  HttpEffect,
  type HttpServerError,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import * as Refusals from "@sigtrap/host/audit/Refusals"
import * as Access from "@sigtrap/host/http/Access"
import * as Grants from "@sigtrap/host/http/Grants"
import * as Listener from "@sigtrap/host/http/Listener"
import { Caller, Envelope, Errors, Hint } from "@sigtrap/protocol"
import * as Subscriptions from "../resources/Subscriptions.ts"
import * as ResourceUri from "../resources/ResourceUri.ts"
import * as HttpSessions from "./HttpSessions.ts"
import * as HttpSubscriptions from "./HttpSubscriptions.ts"
import * as InputLines from "./InputLines.ts"
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
const encoder = new TextEncoder()

/** Shortens the body of a response, as on standard output. */
const shortened = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag === "Stream") {
    const chunks = Stream.map(body.stream, (chunk) => encoder.encode(CompactMessages.shorten(decoder.decode(chunk))))
    return HttpServerResponse.setBody(response, HttpBody.stream(chunks, body.contentType))
  }
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

/** Announces subscriptions in the answer to `initialize`: the library has none over HTTP before revision 2026-07-28. */
const withSubscriptions = (response: HttpServerResponse.HttpServerResponse) => {
  const { body } = response
  if (body._tag !== "Uint8Array") return response
  const text = decoder.decode(body.body).replace('"subscribe":false', '"subscribe":true')
  return HttpServerResponse.text(text, { status: response.status, headers: response.headers })
}

/** The resources of a session that notify of changes. */
const resourcesOf = (session: string): ReadonlyArray<string> => [
  ResourceUri.session(session),
  ResourceUri.transcript(session),
  ResourceUri.output(session)
]

/** Returns why a caller that is confined to a session may not have a resource. */
const onlyOf = (session: string): string =>
  `the token is for the session ${session} only: ${resourcesOf(session).join(", ")}`

/** The refusal of notifications about other sessions to a caller that is confined to one. */
const confined = (session: string): Access.Refusal => ({
  rule: "token",
  status: 403,
  error: new Errors.AccessDenied({
    rule: "token",
    detail: onlyOf(session),
    remedies: [Hint.remedy("subscribe to the resources of this session only")]
  })
})

/** Returns why a caller that is confined to a session may not subscribe to a resource. */
const foreignResource = (session: string | undefined, message: unknown): string | undefined => {
  if (session === undefined) return undefined
  const { params } = Predicate.isReadonlyObject(message) ? message : {}
  const uri = Predicate.isReadonlyObject(params) ? params["uri"] : undefined
  return resourcesOf(session).some((one) => one === uri) ? undefined : onlyOf(session)
}

/** Returns a response whose stream ends when the token of its caller has ended. */
const endedWith = (response: HttpServerResponse.HttpServerResponse, revoked: Effect.Effect<void>) => {
  const { body } = response
  return body._tag === "Stream"
    ? HttpServerResponse.setBody(
        response,
        HttpBody.stream(Stream.interruptWhen(body.stream, revoked), body.contentType, body.contentLength)
      )
    : response
}

/** The headers of a request in a session. */
const headersOf = (id: string, version: string | undefined) => ({
  [sessionHeader]: id,
  ...(version === undefined ? {} : { [versionHeader]: version })
})

const ping = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" })

const accept = "application/json, text/event-stream"

const post = (url: string, fields: { readonly [name: string]: string }, body: string) =>
  new Request(url, { method: "POST", headers: { "content-type": "application/json", accept, ...fields }, body })

/** Returns the request of a caller that listens to the resources of one session; undefined if it names others. */
const ownListen = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  url: string,
  session: string
) {
  const text = yield* Effect.orElseSucceed(request.text, () => "")
  const body = HttpSubscriptions.confined(text, resourcesOf(session))
  if (Result.isFailure(body)) return undefined
  const fields = Object.entries(request.headers).flatMap(([name, value]) =>
    value !== undefined && (name === "accept" || name.startsWith("mcp-")) ? [[name, value] as const] : []
  )
  return HttpServerRequest.fromWeb(post(url, Object.fromEntries(fields), body.success))
})

/** Serves until the scope closes. Returns the address and the token file. */
export const start = Effect.fn("HttpServer.start")(function* (options: Options) {
  const { authority, server, token, tokenFile } = yield* Listener.listen({
    port: options.port,
    token: options.token,
    refused: yield* Refusals.ofConnections("mcp")
  })
  const throttle = yield* Access.throttle
  const report = yield* Refusals.Refusals
  const grants = yield* Grants.Grants
  const url = `http://${authority}/mcp`
  const sessions = yield* HttpSessions.make((id, version) =>
    Effect.suspend(() => library(new Request(url, { method: "DELETE", headers: headersOf(id, version) })))
  )
  const subscribed = Subscriptions.first(sessions.updated)
  const endpoint = McpServer.layerHttp({
    ...Server.about(options.version),
    path: "/mcp",
    allowedOrigins: [`http://${authority}`],
    allowSessionTermination: true,
    registrations: Server.registrations({ ...options, notifies: false }, subscribed)
  })
  const handle = yield* HttpRouter.toHttpEffect(endpoint)
  const policy = { authority, token }

  /** Sends the library a request of this server's own. */
  const library = (request: Request) =>
    Effect.scoped(
      Effect.provideService(handle, HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request))
    )

  /** Begins a session: its id is in the headers once the library has answered. */
  const begin = Effect.fnUntraced(function* (credential: string) {
    const response = yield* handle
    yield* HttpEffect.appendPreResponseHandler((_, answer) => {
      const id = answer.headers[sessionHeader]
      return id === undefined
        ? Effect.succeed(answer)
        : Effect.as(sessions.began(id, answer.headers[versionHeader], credential), withSubscriptions(answer))
    })
    return response
  })

  /** Opens the stream of a session, if the library accepts a ping with the same headers. */
  const stream = Effect.fnUntraced(function* (id: string, fields: HttpServerRequest.HttpServerRequest["headers"]) {
    if (!/(?:^|[\s,])(?:text\/event-stream|text\/\*|\*\/\*)/.test(fields["accept"] ?? "")) {
      return HttpServerResponse.empty({ status: 406 })
    }
    const response = yield* library(post(url, headersOf(id, fields[versionHeader]), ping))
    if (response.status !== 200) return response
    const events = yield* sessions.stream(id)
    return events === undefined
      ? HttpServerResponse.empty({ status: 409 })
      : HttpServerResponse.stream(events, { contentType: "text/event-stream", headers })
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

  /** Listens for a caller that is confined to a session: to the resources of that session. */
  const listen = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, session: string) {
    const own = yield* ownListen(request, url, session)
    if (own === undefined) return yield* refuse(request, confined(session))
    yield* subscribed.begin
    return yield* Effect.provideService(handle, HttpServerRequest.HttpServerRequest, own)
  })

  /** Runs a request with a token, which counts as use of its session. A session of another token is unknown. */
  const inSession = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    credential: string,
    only: string | undefined
  ) {
    const { headers: fields, method } = request
    const id = fields[sessionHeader]
    if (id === undefined || !/^\/mcp(?:\?|$)/.test(request.url)) return yield* begin(credential)
    if (sessions.isForeign(id, credential)) return HttpServerResponse.empty({ status: 404 })
    yield* sessions.use(id, fields[versionHeader])
    if (method === "GET") return yield* stream(id, fields)
    const subscribing =
      method === "POST" ? HttpSubscriptions.read(yield* Effect.orElseSucceed(request.text, () => "")) : Option.none()
    if (Option.isSome(subscribing)) {
      return yield* HttpSubscriptions.answer(
        subscribing.value,
        (body) => library(post(url, { ...headersOf(id, fields[versionHeader]), accept: fields["accept"] ?? "" }, body)),
        (message) => foreignResource(only, message) ?? sessions.subscribe(id, message),
        subscribed.begin
      )
    }
    const response = yield* handle
    if (method === "DELETE" && response.status < 300) yield* sessions.closed(id)
    return response
  })

  const guarded = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const facts = Access.fromServer(request)
    const foreign = Access.checkOrigin(facts, policy)
    if (foreign !== undefined) return yield* refuse(request, foreign)
    if (request.url === "/health" && request.method === "GET") {
      return HttpServerResponse.jsonUnsafe({ ok: true }, { headers })
    }
    const identified = yield* Effect.result(
      Effect.provideService(Grants.identify(facts, policy), Grants.Grants, grants)
    )
    if (Result.isFailure(identified)) {
      yield* throttle
      return yield* refuse(request, identified.failure)
    }
    if (request.method === "POST") {
      const wrongMediaType = Access.checkMediaType(facts)
      if (wrongMediaType !== undefined) return yield* refuse(request, wrongMediaType)
      // The protocol's handler reads the same text again; it reports a body that is too large as one that is not JSON.
      const body = yield* Effect.result(Effect.provideService(request.text, HttpServerRequest.MaxBodySize, largestBody))
      if (Result.isFailure(body) && isTooLarge(body.failure)) return yield* refuse(request, Access.tooLarge())
      const deep = Result.isSuccess(body) ? InputLines.depthRefusal(body.success) : undefined
      if (deep !== undefined) return HttpServerResponse.jsonUnsafe(deep, { status: 400, headers })
    }
    if (Option.isNone(identified.success)) {
      if (facts.headers("mcp-method").includes("subscriptions/listen")) yield* subscribed.begin
      return shortened(yield* inSession(request, "", undefined))
    }
    const { id, session } = identified.success.value
    const isListening = facts.headers("mcp-method").includes("subscriptions/listen")
    if (isListening && session === undefined) yield* subscribed.begin
    const revoked = grants.ended(id)
    const caller = Grants.callerOf(identified.success.value, "mcp", options.caller.directory)
    const answer =
      isListening && session !== undefined && request.method === "POST"
        ? listen(request, session)
        : inSession(request, id, session)
    return yield* answer.pipe(
      Effect.map((response) => endedWith(shortened(response), revoked)),
      Effect.raceFirst(Effect.andThen(revoked, refuse(request, Access.noToken()))),
      Effect.provideService(Caller.Current, caller)
    )
  })
  yield* server.serve(
    Effect.catchCause(guarded, (cause) => Effect.as(Effect.logError(cause), HttpServerResponse.empty({ status: 404 })))
  )
  return { url, ...(tokenFile === undefined ? {} : { token_file: tokenFile }) }
})
