/**
 * Who may call. A port on the loopback can be reached by every page in the user's browser and by every local user, so
 * each request is checked, in this order: size, host, origin, fetch metadata, token, media type. The first that fails
 * answers, names its rule, and reveals nothing else. No CORS header is ever sent.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { createHash, timingSafeEqual } from "node:crypto"

/** Most bytes of a request's body. */
export const bodyLimit = 1_048_576

/** A request as far as access is concerned. Names are lower case; a header that was sent twice has two values. */
export interface Request {
  /** The target as it was sent. */
  readonly target: string
  readonly headers: (name: string) => ReadonlyArray<string>
}

/**
 * A request as it was sent. Node keeps only the first of several `Host` headers and joins others; its raw list of names and
 * values shows them all, and its own request has the target as it was sent. A request that did not come through Node has
 * neither.
 */
export const seen = (request: HttpServerRequest.HttpServerRequest): Request => {
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
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => String(name).toLowerCase())
  return {
    target: String(target),
    headers: (name) => names.flatMap((each, at) => (each === name ? [String(rawHeaders[2 * at + 1])] : []))
  }
}

/** Whom we are and who may call us. */
export interface Policy {
  /** Our only name, port included: `127.0.0.1:38473`. Any other is refused, so that no other name can be bound to us. */
  readonly authority: string
  readonly token: Redacted.Redacted
}

/** The rules by name, each with the status of its refusal. */
export const rules = {
  size: 413,
  host: 421,
  origin: 403,
  "fetch-site": 403,
  token: 401,
  "media-type": 415
} as const
/** A rule by name. */
export type Rule = keyof typeof rules

/** A refused request. */
export interface Refusal {
  readonly rule: Rule
  readonly status: number
  readonly error: Errors.Usage | Errors.Permission
}

const permission = (rule: Rule, detail: string, remedy: string): Refusal => ({
  rule,
  status: rules[rule],
  error: new Errors.Permission({ detail, remedies: [Hint.remedy(remedy)] })
})

const usage = (rule: Rule, problem: string, remedy: string): Refusal => ({
  rule,
  status: rules[rule],
  error: new Errors.Usage({ problem, near: [], remedies: [Hint.remedy(remedy)] })
})

/** The refusal of a body that turned out to be too long. */
export const tooLarge = usage("size", `the body has more than ${bodyLimit} bytes`, "send a smaller body")

/** Exactly one value, or none when the header is absent or was sent more than once. */
const single = (request: Request, name: string) => {
  const [value, ...others] = request.headers(name)
  return others.length === 0 ? value : undefined
}

// Digests have the same length whatever was sent, so that the comparison tells nothing, not even that.
const digest = (text: string) => createHash("sha256").update(text).digest()

const tokenMatches = (request: Request, policy: Policy) => {
  const sent = /^Bearer ([A-Za-z0-9._~+/=-]+)$/.exec(single(request, "authorization") ?? "")?.[1]
  return timingSafeEqual(digest(sent ?? ""), digest(Redacted.value(policy.token))) && sent !== undefined
}

/** Checks that hold for every request, whatever it asks for. */
export const checkOrigin = (request: Request, policy: Policy): Refusal | undefined => {
  const own = `http://${policy.authority}`
  const length = request.headers("content-length")
  if (length.some((value) => !/^\d{1,15}$/.test(value) || Number(value) > bodyLimit)) return tooLarge
  if (single(request, "host") !== policy.authority || !request.target.startsWith("/")) {
    return permission("host", "this server has another name", `use ${own}`)
  }
  const origins = request.headers("origin")
  if (origins.length > 0 && (origins.length > 1 || origins[0] !== own)) {
    return permission("origin", "pages of other origins may not call", `use ${own}`)
  }
  const sites = request.headers("sec-fetch-site")
  if (sites.some((site) => site !== "same-origin" && site !== "none")) {
    return permission("fetch-site", "requests from other sites are refused", `use ${own}`)
  }
  return undefined
}

/** The check of the token, for everything but the health of the server. */
export const checkToken = (request: Request, policy: Policy): Refusal | undefined =>
  tokenMatches(request, policy)
    ? undefined
    : permission("token", "the token is missing or wrong", "send Authorization: Bearer with the content of token_file")

/** The check of the body's form; a browser sends this media type to another origin only after asking. */
export const checkMediaType = (request: Request): Refusal | undefined =>
  /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i.test(single(request, "content-type") ?? "") &&
  request.headers("content-encoding").length === 0
    ? undefined
    : usage("media-type", "the body is not application/json", "send Content-Type: application/json")

/** Failures in one second after which refusals of the token are held back. */
const burst = 5

/**
 * Holds back refusals of the token: after five within a second, each further one waits for a second. Guessing gets
 * slow, and a wrong client notices.
 */
export const throttle = Effect.map(Ref.make<ReadonlyArray<number>>([]), (failures) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const recent = yield* Ref.updateAndGet(failures, (times) =>
      [...times.filter((time) => now - time < 1000), now].slice(-burst - 1)
    )
    if (recent.length > burst) yield* Effect.sleep("1 second")
  })
)
