/**
 * Responses of the server: envelopes, refusals, and documents that a browser may keep.
 */
import { HttpServerResponse } from "effect/http"
import type * as Access from "@sigtrap/host/http/Access"
import * as Content from "@sigtrap/host/http/Content"
import { Envelope, Errors, Hint, type Operation } from "@sigtrap/protocol"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { Predicate } from "effect"
import * as HintText from "./HintText.ts"

/** The headers of every response. */
export const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** The methods of a path that is read. */
export const get = "GET, HEAD"

/** True if a request reads: by GET, or by HEAD, whose answer has no body. */
export const isGet = ({ method }: { readonly method: string }): boolean => method === "GET" || method === "HEAD"

/** Returns a response with a JSON body. */
export const reply = (status: number, body: object): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, { status, headers })

/** Returns the response of an error; its status is that of the error's class unless another one is given. */
export const failed = (
  error: Errors.SigtrapError,
  operation?: Operation.Any,
  status?: number
): HttpServerResponse.HttpServerResponse =>
  reply(
    status ?? Errors.meta(error).httpApiStatus,
    Envelope.failure(error, HintText.write, operation && Envelope.command(operation))
  )

/** The longest command line in an answer, in characters. */
const longestCommand = 4096

/** Returns the call as a command line, for a person who wants to repeat it; nothing if it is too long. */
const commandOf = (operation: Operation.Any, input: unknown): { readonly command?: string } => {
  if (!Predicate.isReadonlyObject(input)) return {}
  const command = Commands.line(Commands.argvOf(operation, input))
  return command.length > longestCommand ? {} : { command }
}

/** Returns the response of a call: its envelope, and the call as a command line. */
export const answered = (
  operation: Operation.Any,
  input: unknown,
  envelope: object
): HttpServerResponse.HttpServerResponse => reply(200, { ...envelope, ...commandOf(operation, input) })

/** Returns the response of a call that failed. That the program still runs after the timeout of a call is an answer. */
export const answeredError = (
  operation: Operation.Any,
  input: unknown,
  error: Errors.SigtrapError
): HttpServerResponse.HttpServerResponse => {
  const failure = Envelope.failure(error, HintText.ofRequest(input), Envelope.command(operation))
  if (error._tag !== "WaitTimeout" || !error.runs) {
    return reply(Errors.meta(error).httpApiStatus, { ...failure, ...commandOf(operation, input) })
  }
  const { error: _, ...rest } = failure
  return answered(operation, input, { ...rest, ok: true, warnings: [], truncated: [] })
}

/** Returns the response of a refused request, which names the rule. */
export const refused = ({ error, rule, status }: Access.Refusal): HttpServerResponse.HttpServerResponse => {
  const envelope = Envelope.failure(error, HintText.write)
  return reply(status, { ...envelope, error: { ...envelope.error, details: { rule } } })
}

/** Returns the response of a request for a path or with a method that is not served; `allow` are the methods that are. */
export const misrouted = (
  status: 404 | 405,
  problem: string,
  allow?: string
): HttpServerResponse.HttpServerResponse => {
  const response = failed(
    new Errors.Usage({ problem, near: [], remedies: [Hint.remedy("GET /openapi.json")] }),
    undefined,
    status
  )
  return allow === undefined ? response : HttpServerResponse.setHeader(response, "allow", allow)
}

/** Sends a document; only its name if the client has it already. */
export const document = (
  content: Content.Content,
  requestHeaders: { readonly [name: string]: string | undefined },
  more: { readonly [name: string]: string } = {}
): HttpServerResponse.HttpServerResponse => {
  const shared = { ...headers, "cache-control": "no-cache", ...more, etag: content.etag, vary: "accept-encoding" }
  if (Content.isKnown(content, requestHeaders["if-none-match"])) {
    return HttpServerResponse.empty({ status: 304, headers: shared })
  }
  const gzipped = Content.readsGzip(requestHeaders["accept-encoding"]) ? content.gzipped : undefined
  return HttpServerResponse.uint8Array(gzipped ?? content.bytes, {
    contentType: content.type,
    headers: gzipped === undefined ? shared : { ...shared, "content-encoding": "gzip" }
  })
}
