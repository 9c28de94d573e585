/**
 * The `Client` over HTTP, for programs that do not run beside the daemon's socket: a page, a container, another user.
 *
 * It asks for answers in the form of the operation's schemas (`mediaType`), so that a decoded answer is the same as that of any
 * other client. It needs an `HttpClient`, such as `FetchHttpClient.layer` of `effect/http`.
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Answer } from "../answers/Answer.ts"
import * as Client from "./Client.ts"
import * as Errors from "../Errors.ts"
import * as Hint from "../answers/Hint.ts"
import { isPlain } from "../internal/Plain.ts"
import type * as Operation from "../Operation.ts"
import * as Operations from "../Operations.ts"

/** The media type of an answer, or of an error, in the form of the operation's schemas. */
export const mediaType = "application/vnd.sigtrap+json"

/** Returns the path of an operation: `/v1/breakpoint/list`. */
export const path = (operation: { readonly _tag: string }): string => `/v1/${operation._tag.replaceAll(".", "/")}`

/** Where the server is, and the token for it: the content of its token file, or of a grant. */
export interface Options {
  /** Such as `http://127.0.0.1:4711`. */
  readonly url: string
  readonly token: Redacted.Redacted
  /** The name of this client in status and events. */
  readonly name?: string
}

/** What a server sends for this media type. */
interface Sent {
  readonly answer?: unknown
  readonly error?: unknown
}

/** Encodes what a server sends: an answer in the form of the operation's schema. */
export const encodeAnswer = (operation: Operation.Any, answer: Answer<unknown>): Effect.Effect<Sent> => {
  const schema = operation.successSchema
  if (!isPlain(schema)) return Effect.die(`${operation._tag} has no success schema`)
  return Effect.map(Effect.orDie(Schema.encodeUnknownEffect(schema)(answer)), (encoded) => ({ answer: encoded }))
}

const encodeErrorSync = Schema.encodeSync(Errors.SigtrapError)

/** Encodes what a server sends: an error with its fields. */
export const encodeError = (error: Errors.SigtrapError): Sent => ({ error: encodeErrorSync(error) })

const decodeError = Schema.decodeUnknownEffect(Errors.SigtrapError)

const unreachable = (detail: string) => new Errors.DaemonUnreachable({ detail, remedies: [Hint.local("serve")] })

/** Returns the text of an error that the server sent in another form, because it refused the request. */
const messageOf = (error: unknown): string =>
  Predicate.isReadonlyObject(error) && Predicate.isString(error["message"])
    ? error["message"]
    : "it refused the request"

/** Returns the access rule that a refusal names. */
const ruleOf = (error: unknown): string => {
  const details = Predicate.isReadonlyObject(error) ? error["details"] : undefined
  const rule = Predicate.isReadonlyObject(details) ? details["rule"] : undefined
  return Predicate.isString(rule) ? rule : "unknown"
}

const isAnswer = (value: unknown): value is Answer<unknown> =>
  Predicate.isReadonlyObject(value) && "data" in value && Array.isArray(value["warnings"])

const make = ({ name, token, url }: Options) =>
  Effect.map(HttpClient.HttpClient, (http) => {
    const send = Effect.fnUntraced(function* (operation: Operation.Any, payload: unknown) {
      const { payloadSchema } = operation
      if (!isPlain(payloadSchema))
        return yield* new Errors.Internal({ detail: `${operation._tag} has no payload schema` })
      const encoded = yield* Effect.orDie(Schema.encodeUnknownEffect(payloadSchema)(payload))
      const request = HttpClientRequest.post(new URL(path(operation), url)).pipe(
        HttpClientRequest.bearerToken(token),
        HttpClientRequest.setHeader("accept", mediaType),
        name === undefined ? (same) => same : HttpClientRequest.setHeader("sigtrap-as", name),
        HttpClientRequest.bodyJsonUnsafe(encoded)
      )
      const response = yield* http.execute(request)
      return { body: yield* response.json, status: response.status }
    })

    const callAny = Effect.fn("ClientHttp.call")(function* (operation: Operation.Any, payload: unknown) {
      const { body, status } = yield* Effect.mapError(send(operation, payload), (error) =>
        error._tag === "Internal" ? error : unreachable(`${url}: ${error.message}`)
      )
      if (!Predicate.isReadonlyObject(body)) return yield* unreachable(`${url} answered ${status} without an answer`)
      const { answer, error } = body
      if (answer === undefined) {
        return yield* Effect.flatMap(
          Effect.orElseSucceed(
            decodeError(error),
            () => new Errors.AccessDenied({ rule: ruleOf(error), detail: messageOf(error), remedies: [] })
          ),
          Effect.fail
        )
      }
      const schema = operation.successSchema
      const decoded: unknown = isPlain(schema)
        ? yield* Effect.orDie(Schema.decodeUnknownEffect(schema)(answer))
        : answer
      return isAnswer(decoded) ? decoded : yield* unreachable(`${url} answered in another form`)
    })

    function call<T extends Operations.Tag>(
      tag: T,
      payload: Operations.Payload<T>
    ): Effect.Effect<Operations.Answer<T>, Client.Failure<T>>
    function call(tag: Operations.Tag, payload: unknown): Effect.Effect<unknown, Errors.SigtrapError> {
      return callAny(Operations.byTag(tag), payload)
    }
    return Client.Client.of({ call, callAny })
  })

/** The client of a server. It connects at each call. */
export const layer = (options: Options): Layer.Layer<Client.Client, never, HttpClient.HttpClient> =>
  Layer.effect(Client.Client, make(options))
