/**
 * A loopback HTTP server for a surface: its port, its limits on slow, large and many requests, and its token.
 *
 * Each start creates a new token. It is stored only in a file that this user alone can read, not in an argument, a log or
 * the environment of a child. The file is removed when the server ends.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import type * as HttpServer from "effect/http/HttpServer"
import { randomBytes } from "node:crypto"
import { createServer, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { type ConnectionRule, connectionRules } from "./Access.ts"
import * as HalfClosedConnections from "./HalfClosedConnections.ts"

const loopback = "127.0.0.1"

/** Limits of a server. Times are milliseconds. */
export interface Limits {
  /** Maximum size of the header block, in bytes. */
  readonly maxHeaderSize: number
  /** Time for the header block to arrive; a slower connection is closed with status 408. */
  readonly headersTimeout: number
  /** Time for the whole request to arrive; a slower connection is closed with status 408. */
  readonly requestTimeout: number
  /**
   * Time without a byte after an answer, until the connection is closed. Longer than a header block may take, so that a further
   * request that arrives slowly is refused as such.
   */
  readonly keepAliveTimeout: number
  /** Time between two looks at the connections, so a timeout takes at most this much longer. */
  readonly connectionsCheckingInterval: number
  /** Maximum number of open connections; further ones are closed at once. */
  readonly maxConnections: number
}

/** The limits of every server. */
export const limits: Limits = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 1000,
  maxConnections: 256
}

/** The rule that a connection broke, by the code of Node's error. One that its client closed breaks none. */
const ruleOf = (code: string | undefined): ConnectionRule =>
  code === "ERR_HTTP_REQUEST_TIMEOUT" ? "request-time" : code === "HPE_HEADER_OVERFLOW" ? "header-size" : "request-form"

/** True if the answer to the request that arrives now has begun. One that was received and answered is followed by another. */
const isAnswered = (newest: HalfClosedConnections.Exchange | undefined): boolean =>
  newest !== undefined && newest.answer.headersSent && !(newest.request.complete && newest.answer.writableFinished)

/** Returns an answer that ends its connection. */
const answerOf = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`

/** Answers on a connection whose request is refused, unless its answer has begun, and closes it. Returns the rule. */
const close = (
  error: Error & { readonly code?: string },
  socket: Duplex,
  newest: HalfClosedConnections.Exchange | undefined
) => {
  const rule = ruleOf(error.code)
  const status = connectionRules[rule] ?? 400
  const isGone = error.code === "ECONNRESET" || error.code === "EPIPE" || !socket.writable
  if (!isGone && !isAnswered(newest)) {
    socket.write(answerOf(status))
  }
  socket.destroy(error)
  return isGone ? undefined : rule
}

/**
 * Creates a server with limits; `refused` gets the rule of each connection that they close. `Access` refuses a missing `Host` header,
 * so Node does not. Connections are counted here, because Bun has no `maxConnections`. Bun reports a connection only with its first
 * request, so idle ones do not count there.
 */
const make = ({ maxConnections, ...options }: Limits, refused: (rule: ConnectionRule) => void) => {
  const newest = new WeakMap<Duplex, HalfClosedConnections.Exchange>()
  const server = createServer({ requireHostHeader: false, ...options })
  server.on("request", (request, answer) => newest.set(request.socket, { request, answer }))
  server.on("clientError", (error, socket) => {
    const rule = close(error, socket, newest.get(socket))
    if (rule !== undefined) refused(rule)
  })
  HalfClosedConnections.allow(server, (socket) => newest.get(socket))
  // Node closes such a connection without an answer.
  server.on("connect", (_, socket) => {
    refused("request-form")
    socket.end(answerOf(400))
  })
  let open = 0
  server.on("connection", (socket) => {
    if (open >= maxConnections) {
      refused("connections")
      return void socket.destroy()
    }
    open++
    socket.once("close", () => open--)
  })
  return server
}

/** A listening server. */
export interface Listener {
  readonly server: HttpServer.HttpServer["Service"]
  /** The only accepted host with port: `127.0.0.1:38473`. */
  readonly authority: string
  readonly port: number
  readonly token: Redacted.Redacted
  /** The file of the token; absent if the caller supplied the token. */
  readonly tokenFile?: string
}

/** Creates a file for a token, in a directory of mode 0700; both are removed with the scope. */
const temporaryFile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return path.join(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-http-" }), "token")
})

/** Creates a token of 256 bits in a file of mode 0600, which replaces an older one and is removed with the scope. */
const freshToken = Effect.fnUntraced(function* (named: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const file = named ?? (yield* temporaryFile)
  const token = randomBytes(32).toString("hex")
  yield* Effect.acquireRelease(
    Effect.andThen(fs.remove(file, { force: true }), fs.writeFileString(file, token, { flag: "wx", mode: 0o600 })),
    () => Effect.ignore(fs.remove(file, { force: true }))
  )
  return { token: Redacted.make(token), file }
})

/** Where a server listens, and its token. Without a token a new one is written to `tokenFile`, or to a temporary file. */
export interface Place {
  /** 0 is any free port. */
  readonly port: number
  /** The numeric address; that of the loopback by default. */
  readonly address?: string | undefined
  readonly token?: Redacted.Redacted | undefined
  readonly tokenFile?: string | undefined
  /** Gets the rule of each connection that the limits close, for the audit log. */
  readonly refused?: (rule: ConnectionRule) => Effect.Effect<void>
}

/** Returns the warning about an address other than the loopback; empty for the loopback. */
export const exposed = (address: string = loopback): string =>
  /^(?:127\.\d+\.\d+\.\d+|::1)$/.test(address)
    ? ""
    : `warning: ${address} can be reached from other machines; every client with the token can run programs here, and HTTP does not encrypt the token\n`

/** Returns an address and a port as one name: `127.0.0.1:4711`, `[::1]:4711`. */
const authorityOf = (address: string, port: number): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`

/** Listens until the scope ends. A test may set shorter limits. */
export const listen = Effect.fn("Listener.listen")(function* (
  { address: host = loopback, port, refused = () => Effect.void, token: given, tokenFile }: Place,
  bounds: Limits = limits
) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const made = () => make(bounds, (rule) => void run(refused(rule)))
  const server = yield* NodeHttpServer.make(made, { host, port, gracefulShutdownTimeout: "1 second" })
  const { file, token } = given === undefined ? yield* freshToken(tokenFile) : { token: given, file: undefined }
  if (server.address._tag === "UnixPathAddress") return yield* Effect.die("the server does not listen on a port")
  const listener: Listener = {
    server,
    authority: authorityOf(host, server.address.port),
    port: server.address.port,
    token,
    ...(file === undefined ? {} : { tokenFile: file })
  }
  return listener
})
