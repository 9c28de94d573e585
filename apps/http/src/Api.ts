/**
 * Serves every operation as `POST /v1/…`: the request body is the payload, the response body the envelope. A failure has
 * the HTTP status of its error class and an envelope too. One handler serves all; the routes are computed from the
 * operations.
 */
import { Effect, Option, Predicate, type Redacted, Result, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Refusals from "@sigtrap/host/audit/Refusals"
import * as Access from "@sigtrap/host/http/Access"
import * as Grants from "@sigtrap/host/http/Grants"
import * as Content from "@sigtrap/host/http/Content"
import * as PageTokens from "@sigtrap/host/http/PageTokens"
import {
  Caller,
  Client,
  ClientHttp,
  Envelope,
  Errors,
  Feed,
  Follow,
  type Operation,
  Operations,
  Payload,
  type Settings
} from "@sigtrap/protocol"
import * as HintText from "./HintText.ts"
import * as ObserverStream from "./ObserverStream.ts"
import * as OpenApi from "./OpenApi.ts"
import * as OperationTable from "./OperationTable.ts"
import type * as PageFiles from "./PageFiles.ts"
import * as PageLink from "./PageLink.ts"
import * as PageRoutes from "./PageRoutes.ts"
import * as ReferencePage from "./ReferencePage.ts"
import { failed, headers, misrouted, refused, reply } from "./Replies.ts"
import * as Replies from "./Replies.ts"
import * as RequestBody from "./RequestBody.ts"

/** The options of a server. */
export interface Options {
  readonly version: string
  /** The only accepted `Host`: address and port. */
  readonly authority: string
  readonly token: Redacted.Redacted
  /** The directory and environment of payloads that have none. */
  readonly caller: Payload.Caller
  /** The settings that a call uses, of the directory where the server was started; see `ConfigCache.valuesFor`. */
  readonly configured?: ((operation: Operation.Any) => Effect.Effect<Settings.Values, Errors.InvalidConfig>) | undefined
  /** Completes when the server stops; streams end then. */
  readonly closing?: Effect.Effect<void> | undefined
  /** The files of the page; none if it was not built. */
  readonly page?: PageFiles.Files | undefined
}

/** The media type of a stream of JSON documents, sent to callers that follow and accept it. */
const ndjson = "application/x-ndjson"

/** The most that a page of the server may do: it has its own style, and nothing else. */
const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${Content.digest(ReferencePage.style)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/**
 * Returns the caller of a request. With a granted token it is that of the grant. With the server's own token it has every tier
 * and may name itself by the header `Sigtrap-As`; the name allows nothing.
 */
const callerOf = (
  request: HttpServerRequest.HttpServerRequest,
  credential: Option.Option<Grants.Credential>,
  { caller }: Options
): Caller.Caller => {
  if (Option.isSome(credential)) return Grants.callerOf(credential.value, "http", caller.directory)
  const name = request.headers["sigtrap-as"]?.replaceAll(/\p{C}/gu, "").slice(0, 128)
  const named = name === undefined || name === "" ? {} : { name }
  return { actor: { kind: "http", ...named, project: caller.directory }, allowance: Caller.everything }
}

/** Returns the facts that are added to the payload of an operation: directory, environment and settings. */
const factsFor =
  ({ caller, configured }: Options) =>
  (operation: Operation.Any) =>
    configured === undefined
      ? Effect.succeed(caller)
      : Effect.map(configured(operation), (settings) => ({ ...caller, settings }))

/** Returns what reports a refusal to the audit log and answers with it. */
const refusing =
  (report: (refusal: Refusals.Report) => Effect.Effect<void>) =>
  (request: HttpServerRequest.HttpServerRequest, refusal: Access.Refusal) =>
    Effect.as(
      report({
        actor: { kind: "http" },
        operation: `${request.method} ${request.url.split("?")[0] ?? ""}`,
        code: Errors.meta(refusal.error).code,
        rule: refusal.rule
      }),
      refused(refusal)
    )

/** Returns the handler of all requests. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const client = yield* Client.Client
  const feed = yield* Feed.Feed
  const throttle = yield* Access.throttle
  const report = yield* Refusals.Refusals
  const grants = yield* Grants.Grants
  const routes = new Map(Operations.all.map((operation) => [ClientHttp.path(operation), operation]))

  const refuse = refusing(report)
  const [exchange, makeLink] = [yield* PageTokens.PageTokens, yield* PageTokens.PageLink]
  const pages = PageRoutes.make({ files: options.page ?? new Map(), exchange, refuse, throttle })

  const caller = factsFor(options)

  /** Calls an operation. With `exact`, answers and errors have the form of their schemas, for `ClientHttp`. */
  const call = (operation: Operation.Any, input: unknown, exact: boolean) =>
    Effect.gen(function* () {
      const filled = Predicate.isReadonlyObject(input)
        ? Payload.fill(operation, input, yield* caller(operation))
        : input
      const payload = yield* Payload.decode(operation, filled)
      const answer = yield* client.callAny(operation, payload)
      return exact
        ? reply(200, yield* ClientHttp.encodeAnswer(operation, answer))
        : Replies.answered(operation, input, yield* Envelope.success(operation, answer, HintText.ofRequest(input)))
    }).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(defect),
          new Errors.Internal({ detail: `${Envelope.command(operation)} failed; see the log` })
        )
      ),
      Effect.catch((error) =>
        Effect.succeed(
          exact
            ? reply(Errors.meta(error).httpApiStatus, ClientHttp.encodeError(error))
            : Replies.answeredError(operation, input, error)
        )
      )
    )

  /** Streams one envelope per line until the session ends or the caller disconnects. */
  const follow = (operation: Operation.Any, input: Follow.Input, closing: Effect.Effect<string>) => {
    const encoder = new TextEncoder()
    const line = (document: object) => encoder.encode(`${JSON.stringify(document)}\n`)
    const lines = Stream.paginate(input, (asked) =>
      Effect.gen(function* () {
        const payload = yield* Payload.decode(operation, Payload.fill(operation, asked, yield* caller(operation)))
        const answer = yield* client.callAny(operation, payload)
        const shown = Follow.isEmpty(answer) ? [] : [line(yield* Envelope.success(operation, answer, HintText.write))]
        return [shown, Follow.next(asked, answer)] as const
      })
    ).pipe(
      Stream.catch((error) =>
        Stream.succeed(line(Envelope.failure(error, HintText.write, Envelope.command(operation))))
      )
    )
    return HttpServerResponse.stream(Stream.interruptWhen(lines, closing), { contentType: ndjson, headers })
  }

  const url = `http://${options.authority}`
  const asJson = (document: () => unknown) =>
    Effect.suspend(() => Content.make("application/json", JSON.stringify(document())))
  /** Documents that a browser may keep, by path; each is made at its first request. */
  const documents = new Map([
    ["/openapi.json", yield* Effect.cached(asJson(() => OpenApi.document({ version: options.version, url })))],
    ["/v1/operations", yield* Effect.cached(asJson(() => ({ operations: OperationTable.rows() })))]
  ])
  const referencePage = yield* Effect.cached(
    Effect.suspend(() => Content.make("text/html; charset=utf-8", ReferencePage.page(url, options.version)))
  )

  /** Answers a request. `closing` completes with the reason when the server stops or the token of the caller has ended. */
  const route = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    facts: Access.Request,
    path: string,
    credential: Option.Option<Grants.Credential>,
    closing: Effect.Effect<string>
  ) {
    const document = documents.get(path)
    if (document !== undefined) {
      return Replies.isGet(request)
        ? Replies.document(yield* document, request.headers)
        : misrouted(405, `${path} takes GET`, Replies.get)
    }
    const operation = routes.get(path)
    const isStream = path === OpenApi.streamPath
    const isLink = path === OpenApi.linkPath
    if (operation === undefined && !isStream && !isLink) return misrouted(404, "no operation has this path")
    if (request.method !== "POST") return misrouted(405, `${path} takes POST`, "POST")
    const refusal = Access.checkMediaType(facts)
    if (refusal !== undefined) return yield* refuse(request, refusal)
    const { accept } = request.headers
    return yield* Effect.matchEffect(RequestBody.read(request, Access.bodyLimit), {
      onSuccess: (input) =>
        isLink
          ? PageLink.respond(input, credential, makeLink)
          : operation === undefined
            ? Effect.provideService(ObserverStream.respond(input, request.headers, closing), Feed.Feed, feed)
            : accept === ndjson && Predicate.isReadonlyObject(input) && Follow.isRequested(operation, input)
              ? Effect.succeed(follow(operation, input, closing))
              : call(operation, input, accept === ClientHttp.mediaType),
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
    if (path === "/health") {
      return Replies.isGet(request) ? reply(200, { ok: true }) : misrouted(405, "/health takes GET", Replies.get)
    }
    if (path === "/reference") {
      return Replies.isGet(request)
        ? Replies.document(yield* referencePage, request.headers, { "content-security-policy": pagePolicy })
        : misrouted(405, "/reference takes GET", Replies.get)
    }
    const ofPage = pages(request, path)
    if (ofPage !== undefined) return yield* ofPage
    const identified = yield* Effect.result(
      Effect.provideService(Grants.identify(facts, options), Grants.Grants, grants)
    )
    if (Result.isFailure(identified)) {
      yield* throttle
      return yield* refuse(request, identified.failure)
    }
    const credential = identified.success
    const stops = Effect.as(options.closing ?? Effect.never, "the server stops")
    const answer = Option.match(credential, {
      onNone: () => route(request, facts, path, credential, stops),
      onSome: ({ id }) => {
        const revoked = Effect.as(grants.ended(id), "the token has ended")
        return route(request, facts, path, credential, Effect.raceFirst(stops, revoked)).pipe(
          Effect.raceFirst(Effect.flatMap(revoked, () => refuse(request, Access.noToken())))
        )
      }
    })
    // The library runs handlers uninterruptibly. A client that closes its connection ends its call.
    return yield* Effect.provideService(
      Effect.interruptible(answer),
      Caller.Current,
      callerOf(request, credential, options)
    )
  })
})
