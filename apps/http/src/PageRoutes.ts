/**
 * The page: `GET /` and its files, which hold no data and need no token, and `POST /v1/page`, which exchanges the one-time code of
 * the page's address for a token.
 *
 * Host, origin and fetch metadata were checked before. The token is sent in a header only, so there are no cookies.
 */
import { Effect, Option, Schema } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Access from "@sigtrap/host/http/Access"
import type * as PageTokens from "@sigtrap/host/http/PageTokens"
import { Errors, Hint } from "@sigtrap/protocol"
import * as OpenApi from "./OpenApi.ts"
import type * as PageFiles from "./PageFiles.ts"
import * as Replies from "./Replies.ts"
import * as RequestBody from "./RequestBody.ts"

/** Maximum size of the body with a code, in bytes. No token was checked before. */
const entryLimit = 1024

/**
 * What the page may do: load scripts, styles, images and data from this server, and nothing else. No text becomes a script
 * (Trusted Types), no other page can frame it.
 */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** The headers of the page and its files. */
const headers = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY"
}

type Request = HttpServerRequest.HttpServerRequest
type Response = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** What the routes need from their server. */
export interface Needs {
  readonly files: PageFiles.Files
  /** Exchanges a code; undefined in a server without a daemon. */
  readonly exchange: PageTokens.Exchange | undefined
  /** Reports a refusal to the audit log and answers with it. */
  readonly refuse: (request: Request, refusal: Access.Refusal) => Response
  /** Delays refusals of codes as those of tokens. */
  readonly throttle: Effect.Effect<void>
}

const decode = Schema.decodeUnknownOption(Schema.Struct({ code: Schema.String.check(Schema.isMaxLength(128)) }))

const withoutDaemon = new Errors.InvalidState({
  problem: "this server runs without the daemon (--isolated), so it has no page codes; its token file has the token",
  remedies: [Hint.local("web")]
})

const withoutCode = new Errors.Usage({
  problem: 'the body has no code; send {"code":"…"}',
  near: [],
  remedies: [Hint.remedy("GET /openapi.json")]
})

const isFile = (path: string): boolean => path === "/" || path === "/favicon.ico" || path.startsWith("/page/")

/** Returns what answers the requests of the page; undefined for another path. */
export const make = ({ exchange, files, refuse, throttle }: Needs) => {
  const file = (request: Request, path: string): HttpServerResponse.HttpServerResponse => {
    if (!Replies.isGet(request)) return Replies.misrouted(405, "the page takes GET", Replies.get)
    const found = files.get(path)
    if (found !== undefined) {
      const lasting = found.hashed ? { "cache-control": "public, max-age=31536000, immutable" } : {}
      return Replies.document(found.content, request.headers, { ...headers, ...lasting })
    }
    return Replies.misrouted(
      404,
      path === "/" ? "this server has no page: it was not built" : "the page has no such file"
    )
  }

  const enter = Effect.fnUntraced(function* (request: Request) {
    if (request.method !== "POST") return Replies.misrouted(405, `${OpenApi.pagePath} takes POST`, "POST")
    const wrong = Access.checkMediaType(Access.fromServer(request))
    if (wrong !== undefined) return yield* refuse(request, wrong)
    const body = yield* Effect.result(RequestBody.read(request, entryLimit))
    if (body._tag === "Failure") {
      return "rule" in body.failure ? yield* refuse(request, body.failure) : Replies.failed(body.failure)
    }
    const sent = decode(body.success)
    if (Option.isNone(sent)) return Replies.failed(withoutCode)
    if (exchange === undefined) return Replies.failed(withoutDaemon)
    const ends = Access.endsOf(request)
    const { code } = sent.value
    const answer = yield* Effect.result(exchange({ code, ...(ends === undefined ? {} : { ends }) }))
    if (answer._tag === "Failure") return Replies.failed(answer.failure)
    if ("opened" in answer.success) return Replies.reply(200, { ok: true, data: answer.success.opened })
    yield* throttle
    return yield* refuse(request, answer.success.refused === "user" ? Access.otherUser() : Access.noCode())
  })

  return (request: Request, path: string): Response | undefined =>
    path === OpenApi.pagePath ? enter(request) : isFile(path) ? Effect.succeed(file(request, path)) : undefined
}
