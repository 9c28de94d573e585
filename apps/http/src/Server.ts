/**
 * The HTTP server: listens on a loopback port and serves every operation.
 */
import { Effect, type Redacted } from "effect"
import * as Listener from "@sigtrap/host/http/Listener"
import type { Payload } from "@sigtrap/protocol"
import * as Api from "./Api.ts"

/** The address of the server and the file with its token. */
interface Address {
  readonly url: string
  /** Absent when the environment sets the token. */
  readonly token_file?: string
}

/** The options of the server. */
export interface Options {
  /** 0 selects a free port. */
  readonly port: number
  readonly version: string
  readonly caller: Payload.Caller
  readonly configured?: Api.Options["configured"]
  /** The token from the environment; without one a new token is written to a file. */
  readonly token?: Redacted.Redacted
}

/** Serves every operation until the scope closes. */
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
