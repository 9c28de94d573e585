/**
 * The HTTP server: listens on a loopback port and serves every operation.
 */
import { Deferred, Effect } from "effect"
import * as Refusals from "@sigtrap/host/audit/Refusals"
import * as Listener from "@sigtrap/host/http/Listener"
import type { Payload } from "@sigtrap/protocol"
import * as Api from "./Api.ts"
import * as PageFiles from "./PageFiles.ts"

/** The address of the server and the file with its token. */
interface Address {
  readonly url: string
  readonly port: number
  /** Absent when the environment sets the token. */
  readonly token_file?: string
}

/** The options of the server. */
export interface Options extends Listener.Place {
  readonly version: string
  readonly caller: Payload.Caller
  readonly configured?: Api.Options["configured"]
  /** The folder of the page's files, if it is not that of this program. */
  readonly pageFolder?: string | undefined
}

/** Serves every operation until the scope closes. */
export const start = Effect.fn("Server.start")(function* (options: Options) {
  const { authority, port, server, token, tokenFile } = yield* Listener.listen({
    ...options,
    refused: yield* Refusals.ofConnections("http")
  })
  const closing = yield* Deferred.make<void>()
  const page = yield* PageFiles.load(options.pageFolder)
  const api = yield* Api.make({ ...options, authority, token, page, closing: Deferred.await(closing) })
  yield* server.serve(api)
  // Runs before the server stops, so that streams end with a last line.
  yield* Effect.addFinalizer(() => Deferred.succeed(closing, undefined))
  const address: Address = {
    url: `http://${authority}`,
    port,
    ...(tokenFile === undefined ? {} : { token_file: tokenFile })
  }
  return address
})
