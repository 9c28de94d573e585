/**
 * The listening server: where it binds, its limits, and its token.
 *
 * The token is new at every start. It is in a file that only this user can read, and in nothing else: no argument, no
 * log, no environment of a child. The file is gone when the server ends.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, FileSystem, Path, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { Payload } from "@sigtrap/protocol"
import * as Api from "./Api.ts"

const host = "127.0.0.1"

/** A server with limits on slow, large and many requests. A missing `Host` header is ours to refuse, not Node's. */
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

/** Where the server answers, and where its token is. */
interface Address {
  readonly url: string
  /** Absent when the token was given from outside. */
  readonly token_file?: string
}

/** What to serve. */
export interface Options {
  /** 0 is any free port. */
  readonly port: number
  readonly version: string
  readonly caller: Payload.Caller
  readonly configured?: Api.Options["configured"]
  /** A token from outside instead of a fresh one in a file. */
  readonly token?: Redacted.Redacted
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

/** Listens on the loopback and serves every operation, as long as the scope is open. */
export const start = Effect.fn("Server.start")(function* (options: Options) {
  const { token, file } = options.token === undefined ? yield* freshToken : { token: options.token, file: undefined }
  const server = yield* NodeHttpServer.make(make, { host, port: options.port, gracefulShutdownTimeout: "1 second" })
  if (server.address._tag === "UnixPathAddress") return yield* Effect.die("the server listens on no port")
  const authority = `${host}:${server.address.port}`
  const api = yield* Api.make({ ...options, authority, token })
  yield* server.serve(api)
  const address: Address = {
    url: `http://${authority}`,
    ...(file === undefined ? {} : { token_file: file })
  }
  return address
})
