/**
 * The client that the tools call, loaded at the first call: a client of this server asks for the tools long before it
 * uses one.
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

/** Sessions of the daemon, which is started when none answers. */
export const shared = lazily(async () => (await import("@sigtrap/host/daemon/RemoteClient")).layer())

/** Sessions of this process, which end with it. */
export const isolated = lazily(async () => (await import("@sigtrap/host/Platform")).isolated)
