/**
 * The listening server: operations on a port of the loopback.
 */
import { Effect, type Redacted } from "effect"
import * as Listener from "@sigtrap/host/http/Listener"
import type { Payload } from "@sigtrap/protocol"
import * as Api from "./Api.ts"

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

/** Listens on the loopback and serves every operation, as long as the scope is open. */
export const start = Effect.fn("Server.start")(function* (options: Options) {
  const { authority, server, token, tokenFile } = yield* Listener.listen(options.port, options.token)
  const api = yield* Api.make({ ...options, authority, token })
  yield* server.serve(api)
  const address: Address = {
    url: `http://${authority}`,
    ...(tokenFile === undefined ? {} : { token_file: tokenFile })
  }
  return address
})
