/**
 * The client of the sessions, loaded at the first call of a tool, because agents list tools long before they call one.
 */
import { Context, Effect, Layer } from "effect"
import { Client } from "@sigtrap/protocol"

type Service = Client.Client["Service"]

const lazily = (load: () => Promise<Layer.Layer<Client.Client>>): Layer.Layer<Client.Client> =>
  Layer.effect(
    Client.Client,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const loaded = yield* Effect.cached(
        Effect.promise(load).pipe(
          Effect.flatMap((layer) => Layer.buildWithScope(layer, scope)),
          Effect.map((context) => Context.get(context, Client.Client))
        )
      )
      const call: Service["call"] = (tag, payload) => Effect.flatMap(loaded, (client) => client.call(tag, payload))
      return Client.Client.of({
        call,
        callAny: (operation, payload) => Effect.flatMap(loaded, (client) => client.callAny(operation, payload))
      })
    })
  )

/** Sessions in the daemon, which is started if it does not run. */
export const shared = lazily(async () =>
  (await import("@sigtrap/host/daemon/RemoteClient")).layer({ actor: { kind: "mcp", project: process.cwd() } })
)

/** Sessions in this process; they end with it. */
export const isolated = lazily(async () => (await import("@sigtrap/host/Platform")).isolated)
