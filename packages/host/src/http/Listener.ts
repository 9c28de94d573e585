/**
 * A port of the loopback for a surface: where it listens, its limits on slow, large and many requests, and its token.
 *
 * The token is new at every start. It is in a file that only this user can read, and in nothing else: no argument, no
 * log, no environment of a child. The file is gone when the server ends.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import type * as HttpServer from "effect/http/HttpServer"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"

const host = "127.0.0.1"

/** A server with limits. A missing `Host` header is ours to refuse, not Node's. */
const make = () => {
  const server = createServer({
    requireHostHeader: false,
    maxHeaderSize: 16_384,
    headersTimeout: 10_000,
    requestTimeout: 30_000
  })
  server.maxConnections = 256
  return server
}

/** A server that listens. */
export interface Listener {
  readonly server: HttpServer.HttpServer["Service"]
  /** Its only name, port included: `127.0.0.1:38473`. */
  readonly authority: string
  readonly token: Redacted.Redacted
  /** The file of the token; absent when the token was given from outside. */
  readonly tokenFile?: string
}

/** A fresh token of 256 bits in a file of mode 0600, in a directory of mode 0700; both go with the scope. */
const freshToken = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-http-" })
  const file = path.join(directory, "token")
  const token = randomBytes(32).toString("hex")
  yield* fs.writeFileString(file, token, { flag: "wx", mode: 0o600 })
  return { token: Redacted.make(token), file }
})

/** Listens on the loopback as long as the scope is open; port 0 is any free one. */
export const listen = Effect.fnUntraced(function* (port: number, given?: Redacted.Redacted) {
  const { file, token } = given === undefined ? yield* freshToken : { token: given, file: undefined }
  const server = yield* NodeHttpServer.make(make, { host, port, gracefulShutdownTimeout: "1 second" })
  if (server.address._tag === "UnixPathAddress") return yield* Effect.die("the server listens on no port")
  const listener: Listener = {
    server,
    authority: `${host}:${server.address.port}`,
    token,
    ...(file === undefined ? {} : { tokenFile: file })
  }
  return listener
})
