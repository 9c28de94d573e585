/**
 * Access rules for requests to a loopback port, which every page in the user's browser and every local user can reach.
 * Each request is checked in this order: size, host, origin, fetch metadata, token, media type. The refusal names the
 * first failing rule and reveals nothing else. No CORS headers are sent.
 */
import { Errors, Hint, MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { createHash, timingSafeEqual } from "node:crypto"
import type * as PeerUser from "./PeerUser.ts"

/** Maximum size of a request body, in bytes. */
export const bodyLimit = 1_048_576

/** The parts of a request that the rules check. Header names are lower case; a repeated header has several values. */
export interface Request {
  /** The request target as sent. */
  readonly target: string
  readonly headers: (name: string) => ReadonlyArray<string>
}

/**
 * Returns a request as it was sent. Node keeps only the first of several `Host` headers and joins other headers; its raw
 * header list has all of them, and its own request has the unchanged target. A request that did not come through Node has
 * neither, so the parsed headers are used.
 */
export const fromServer = (request: HttpServerRequest.HttpServerRequest): Request => {
  const { source, url } = request
  const { rawHeaders, url: target } = Predicate.isReadonlyObject(source) ? source : {}
  if (!Array.isArray(rawHeaders)) {
    return {
      target: url,
      headers: (name) => {
        const value = request.headers[name]
        return value === undefined ? [] : [value]
      }
    }
  }
  const values = new Map<string, Array<string>>()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase()
    const value = String(rawHeaders[at + 1])
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return { target: String(target), headers: (name) => values.get(name) ?? [] }
}

/** The server's name and token. */
export interface Policy {
  /** The only accepted host with port, `127.0.0.1:38473`; refusing others prevents DNS rebinding. */
  readonly authority: string
  readonly token: Redacted.Redacted
}

/** The rules, each with the HTTP status of its refusal. */
export const rules = {
  size: 413,
  host: 421,
  origin: 403,
  "fetch-site": 403,
  token: 401,
  "media-type": 415
} as const
/** The name of a rule that holds for every request. */
export type Rule = keyof typeof rules

/** The rules for a page that asks for its token, each with the HTTP status of its refusal. */
export const pageRules = { "page-code": 401, user: 403 } as const

/**
 * The rules for a connection, each with the HTTP status of its refusal. They hold before a request is read, so their names are in the
 * audit log only. A connection beyond `connections` gets no answer.
 */
export const connectionRules = {
  "request-time": 408,
  "header-size": 431,
  "request-form": 400,
  connections: undefined
} as const
/** The name of a rule for a connection. */
export type ConnectionRule = keyof typeof connectionRules

/** A refused request. */
export interface Refusal {
  readonly rule: Rule | keyof typeof pageRules
  readonly status: number
  readonly error: Errors.AccessDenied
}

const refusal = (rule: Refusal["rule"], detail: string, remedy: string): Refusal => ({
  rule,
  status: { ...rules, ...pageRules }[rule],
  error: new Errors.AccessDenied({ rule, detail, remedies: [Hint.remedy(remedy)] })
})

/** Returns the refusal of a body with more bytes than a limit. */
export const overLimit = (limit: number): Refusal =>
  refusal("size", `the body has more than ${limit} bytes`, "send a smaller body")

/** The refusal of a body that is too large. */
export const tooLarge = (): Refusal => overLimit(bodyLimit)

/** The refusal of a request without a valid token. */
export const noToken = (): Refusal =>
  refusal(
    "token",
    "the token is missing, wrong or no longer valid",
    "send Authorization: Bearer with the content of token_file"
  )

/** The refusal of a page code that is not valid. */
export const noCode = (): Refusal =>
  refusal("page-code", "the page code is wrong, was used before, or is older than a minute", "run sigtrap web")

/** The refusal of a page code that a process of another user sent. */
export const otherUser = (): Refusal =>
  refusal(
    "user",
    "the page code was sent by a process of another user of this machine",
    "open the address as the user who ran sigtrap web"
  )

/** Returns the value of a header that was sent exactly once. */
const single = (request: Request, name: string) => {
  const [value, ...others] = request.headers(name)
  return others.length === 0 ? value : undefined
}

// Digests have one length, so the time of the comparison does not reveal the length of the token.
const digest = (text: string) => createHash("sha256").update(text).digest()

/** Returns the token of a request; undefined if it has none, several or a malformed one. The scheme may have any case (RFC 9110). */
export const bearer = (request: Request): string | undefined =>
  /^bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(single(request, "authorization") ?? "")?.[1]

/** The digests of the tokens of the servers in this process. */
const digests = new WeakMap<Redacted.Redacted, Buffer>()

const digestOf = (token: Redacted.Redacted): Buffer => {
  const known = digests.get(token)
  if (known !== undefined) return known
  const fresh = digest(Redacted.value(token))
  digests.set(token, fresh)
  return fresh
}

const tokenMatches = (request: Request, policy: Policy) => {
  const sent = bearer(request)
  return timingSafeEqual(digest(sent ?? ""), digestOf(policy.token)) && sent !== undefined
}

/** Returns the connection of a request; undefined if it did not come through Node. */
export const endsOf = ({ source }: HttpServerRequest.HttpServerRequest): PeerUser.Ends | undefined => {
  const { socket } = Predicate.isReadonlyObject(source) ? source : {}
  const { localPort, remoteAddress, remotePort } = Predicate.isReadonlyObject(socket) ? socket : {}
  return typeof remoteAddress === "string" && typeof remotePort === "number" && typeof localPort === "number"
    ? { address: remoteAddress, port: remotePort, localPort }
    : undefined
}

/** Checks size, host, origin and fetch metadata, which hold for every request. */
export const checkOrigin = (request: Request, policy: Policy): Refusal | undefined => {
  const own = `http://${policy.authority}`
  const length = request.headers("content-length")
  if (length.some((value) => !/^\d{1,15}$/.test(value) || Number(value) > bodyLimit)) return tooLarge()
  if (single(request, "host") !== policy.authority || !request.target.startsWith("/")) {
    return refusal("host", "the Host header is not the name of this server", `use ${own}`)
  }
  const origins = request.headers("origin")
  if (origins.length > 0 && (origins.length > 1 || origins[0] !== own)) {
    return refusal("origin", "requests from other origins are refused", `use ${own}`)
  }
  const sites = request.headers("sec-fetch-site")
  if (sites.some((site) => site !== "same-origin" && site !== "none")) {
    return refusal("fetch-site", "requests from other sites are refused", `use ${own}`)
  }
  return undefined
}

/** Checks the server's own token. `Grants.identify` also accepts granted ones. */
export const checkToken = (request: Request, policy: Policy): Refusal | undefined =>
  tokenMatches(request, policy) ? undefined : noToken()

/** Checks the media type of the body; a browser sends this one to another origin only after a preflight request. */
export const checkMediaType = (request: Request): Refusal | undefined =>
  /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i.test(single(request, "content-type") ?? "") &&
  request.headers("content-encoding").length === 0
    ? undefined
    : refusal("media-type", "the body is not application/json", "send Content-Type: application/json")

/** Token refusals within a second after which further ones are delayed. */
const burst = 5

/** Delays token refusals: after five within a second, each further one by a second. This slows guessing down. */
export const throttle = Effect.map(Ref.make<ReadonlyArray<number>>([]), (failures) =>
  Effect.gen(function* () {
    const now = yield* MonotonicTime.now
    const recent = yield* Ref.updateAndGet(failures, (times) =>
      [...times.filter((time) => now - time < 1000), now].slice(-burst - 1)
    )
    if (recent.length > burst) yield* Effect.sleep("1 second")
  })
)
