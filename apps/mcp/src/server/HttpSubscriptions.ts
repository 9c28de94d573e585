/**
 * Answers `resources/subscribe` and `resources/unsubscribe` over HTTP, which the library refuses there because it has no stream
 * from the server (HTTP GET). The library answers a `ping` in their place: it still checks session, headers and revision, and
 * the empty result of a ping is also that of a subscription.
 */
import { Effect, Option, Predicate, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { uriProblem } from "./SubscriptionLimit.ts"

const methods: ReadonlyArray<unknown> = ["resources/subscribe", "resources/unsubscribe"]

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const record = (value: unknown) => (Predicate.isReadonlyObject(value) ? value : {})

const isSubscription = (message: unknown): boolean => {
  const { id, method } = record(message)
  return methods.includes(method) && (Predicate.isString(id) || Predicate.isNumber(id))
}

/** A body with requests that subscribe or unsubscribe. */
export interface Subscribing {
  /** The requests that subscribe or unsubscribe. */
  readonly requests: ReadonlyArray<unknown>
  /** The body with pings in their place. */
  readonly replaced: string
}

/** Returns the requests of a body that subscribe or unsubscribe; none if it has no such request. */
export const read = (body: string): Option.Option<Subscribing> => {
  if (!body.includes("subscribe")) return Option.none()
  const parsed = parse(body)
  if (Result.isFailure(parsed)) return Option.none()
  const { success: message } = parsed
  const requests = (Array.isArray(message) ? message : [message]).filter(isSubscription)
  if (requests.length === 0) return Option.none()
  const ping = (one: unknown) => (isSubscription(one) ? { jsonrpc: "2.0", id: record(one)["id"], method: "ping" } : one)
  return Option.some({
    requests,
    replaced: JSON.stringify(Array.isArray(message) ? message.map(ping) : ping(message))
  })
}

const decoder = new TextDecoder()

/** JSON-RPC: the fields of a request are wrong. */
const wrongFields = -32602

/** Returns the answer to pings as the answer to subscriptions: those that are refused become errors. */
const withRefusals = (
  response: HttpServerResponse.HttpServerResponse,
  refused: ReadonlyMap<unknown, string>
): HttpServerResponse.HttpServerResponse => {
  if (refused.size === 0) return response
  const errorOf = (id: unknown, message: string) => ({ jsonrpc: "2.0", id, error: { code: wrongFields, message } })
  const text = response.body._tag === "Uint8Array" ? decoder.decode(response.body.body) : ""
  const answers = Result.getOrElse(parse(text), () => [...refused].map(([id]) => ({ id })))
  const answerOf = (one: unknown) => {
    const { id } = record(one)
    const problem = refused.get(id)
    return problem === undefined ? one : errorOf(id, problem)
  }
  return HttpServerResponse.jsonUnsafe(Array.isArray(answers) ? answers.map(answerOf) : answerOf(answers))
}

/**
 * Answers a body. `ask` sends the replaced body to the library. `note` notes a request of the session and returns why it is
 * refused; `begin` starts to follow the sessions of the debugger.
 */
export const answer = Effect.fnUntraced(function* <E, R>(
  { replaced, requests }: Subscribing,
  ask: (body: string) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  note: (request: unknown) => string | undefined,
  begin: Effect.Effect<void>
) {
  const response = yield* ask(replaced)
  if (response.status !== 200) return response
  const refused = new Map<unknown, string>()
  for (const request of requests) {
    const problem = Predicate.isString(record(record(request)["params"])["uri"])
      ? (uriProblem(request) ?? note(request))
      : "uri is not a text"
    if (problem !== undefined) refused.set(record(request)["id"], problem)
  }
  if (refused.size < requests.length) yield* begin
  return withRefusals(response, refused)
})

/**
 * Returns the body of a request `subscriptions/listen` for a caller that may see the resources `own` only. Changes of the list of
 * resources are left out, because they tell of other sessions; the acknowledgement says so. Fails with the first other resource.
 */
export const confined = (body: string, own: ReadonlyArray<string>): Result.Result<string, string> => {
  const parsed = parse(body)
  if (Result.isFailure(parsed)) return Result.succeed(body)
  const message = record(parsed.success)
  const params = record(message["params"])
  const { resourcesListChanged: _, ...notifications } = record(params["notifications"])
  const uris = notifications["resourceSubscriptions"]
  const foreign = Array.isArray(uris) ? uris.find((uri) => !own.includes(uri)) : undefined
  if (foreign !== undefined) return Result.fail(String(foreign))
  return Result.succeed(JSON.stringify({ ...message, params: { ...params, notifications } }))
}
