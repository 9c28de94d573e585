/**
 * The server on a port of the loopback: streamable HTTP at `/mcp`, behind the checks of `Access`. A port can be reached by
 * every page and every user of the machine, so every request needs the token, our own name and no foreign origin.
 */
import { ByteSize, Effect, type Redacted } from "effect"
import { McpServer } from "effect/ai"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Access from "@sigtrap/host/http/Access"
import * as Listener from "@sigtrap/host/http/Listener"
import { Envelope } from "@sigtrap/protocol"
import * as Subscriptions from "../resources/Subscriptions.ts"
import * as Server from "./Server.ts"
import * as HintText from "../tools/HintText.ts"
import * as CompactMessages from "./CompactMessages.ts"

/** What to serve. */
export interface Options extends Server.Options {
  /** 0 is any free port. */
  readonly port: number
  /** A token from outside instead of a fresh one in a file. */
  readonly token?: Redacted.Redacted
}

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const refused = ({ error, rule, status }: Access.Refusal) => {
  const envelope = Envelope.failure(error, HintText.write({ profile: "default", input: {} }))
  const body = { ...envelope, error: { ...envelope.error, details: { rule } } }
  return HttpServerResponse.jsonUnsafe(body, { status, headers })
}

const decoder = new TextDecoder()

/** The answer with the tool list as short as on standard output. */
const shorter = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array") return response
  const text = decoder.decode(body.body)
  const short = CompactMessages.shorten(text)
  return short === text
    ? response
    : HttpServerResponse.text(short, { status: response.status, headers: response.headers })
}

/** Listens on the loopback and serves as long as the scope is open. */
export const start = Effect.fn("Http.start")(function* (options: Options) {
  const { authority, server, token, tokenFile } = yield* Listener.listen(options.port, options.token)
  const throttle = yield* Access.throttle
  const news = Subscriptions.latch()
  const endpoint = McpServer.layerHttp({
    ...Server.about(options.version),
    path: "/mcp",
    allowedOrigins: [`http://${authority}`],
    allowSessionTermination: true,
    registrations: Server.registrations({ ...options, follows: false }, news)
  })
  const handle = yield* HttpRouter.toHttpEffect(endpoint)
  const policy = { authority, token }

  const guarded = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const facts = Access.seen(request)
    const stranger = Access.checkOrigin(facts, policy)
    if (stranger !== undefined) return refused(stranger)
    if (request.url === "/health" && request.method === "GET") {
      return HttpServerResponse.jsonUnsafe({ ok: true }, { headers })
    }
    const unknown = Access.checkToken(facts, policy)
    if (unknown !== undefined) {
      yield* throttle
      return refused(unknown)
    }
    if (request.method === "POST") {
      const media = Access.checkMediaType(facts)
      if (media !== undefined) return refused(media)
    }
    if (facts.headers("mcp-method").includes("subscriptions/listen")) yield* news.open
    return shorter(
      yield* Effect.provideService(handle, HttpServerRequest.MaxBodySize, ByteSize.bytes(Access.bodyLimit))
    )
  })
  yield* server.serve(
    Effect.catchCause(guarded, (cause) => Effect.as(Effect.logError(cause), HttpServerResponse.empty({ status: 404 })))
  )
  return { url: `http://${authority}/mcp`, ...(tokenFile === undefined ? {} : { token_file: tokenFile }) }
})
