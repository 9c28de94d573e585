/**
 * The client of the sessions, loaded at the first call of a tool, because agents list tools long before they call one.
 */
import { Context, Effect, Layer } from "effect"
import type { DaemonLauncher } from "@sigtrap/host"
import { Grants } from "@sigtrap/host/http/Grants"
import * as Refusals from "@sigtrap/host/audit/Refusals"
import * as Version from "@sigtrap/host/daemon/Version"
import * as HeapGrowth from "@sigtrap/host/runtime/HeapGrowth"
import { Client } from "@sigtrap/protocol"

type Service = Client.Client["Service"]

const clientOf = (context: Context.Context<Client.Client>) => Context.get(context, Client.Client)

const lazily = (load: () => Promise<Layer.Layer<Client.Client>>): Layer.Layer<Client.Client> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const loaded = yield* Effect.cached(
        Effect.promise(() => HeapGrowth.withDefaults(load)).pipe(
          Effect.flatMap((layer) => Layer.buildWithScope(layer, scope))
        )
      )
      const call: Service["call"] = (tag, payload) =>
        Effect.flatMap(loaded, (context) => clientOf(context).call(tag, payload))
      const client = Client.Client.of({
        call,
        callAny: (operation, payload) =>
          Effect.flatMap(loaded, (context) => clientOf(context).callAny(operation, payload))
      })
      return Context.make(Client.Client, client).pipe(
        Context.add(Refusals.Refusals, (report) =>
          Effect.flatMap(loaded, (context) => Context.get(context, Refusals.Refusals)(report))
        ),
        Context.add(Grants, {
          verify: (token) => Effect.flatMap(loaded, (context) => Context.get(context, Grants).verify(token)),
          ended: (id) => Effect.flatMap(loaded, (context) => Context.get(context, Grants).ended(id))
        })
      )
    })
  )

/** Returns the client whose calls are traced to a collector, if one is named. */
const traced = async (otlp: string | undefined, client: Layer.Layer<Client.Client>) => {
  if (otlp === undefined) return client
  const { clientTo, layer } = await import("@sigtrap/host/tracing/Traces")
  return Layer.provideMerge(clientTo(otlp), Layer.merge(client, layer(Version.product)))
}

/** Sessions in the daemon, which is started if it does not run; `daemon` returns the command for that. */
export const shared = (daemon?: () => Promise<DaemonLauncher.Command | undefined>, otlp?: string) =>
  lazily(async () => {
    const { layer } = await import("@sigtrap/host/daemon/client/RemoteClient")
    return traced(otlp, layer({ actor: { kind: "mcp", project: process.cwd() }, daemon: await daemon?.() }))
  })

/** Sessions in this process; they end with it. */
export const isolated = (otlp?: string) =>
  lazily(async () => traced(otlp, (await import("@sigtrap/host/Platform")).isolated))
