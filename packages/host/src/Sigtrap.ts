/**
 * The operations as methods, for programs: `const debug = yield* Sigtrap.make()`, then `debug.start({ program })`.
 *
 * Directory and environment of each call are those of this process unless the options name others. Configuration files are not
 * read: the command line reads them.
 */
import { Client, Methods, type Payload } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as ClientLayers from "./ClientLayers.ts"
import type * as RemoteClient from "./daemon/client/RemoteClient.ts"

/** The operations as methods. */
export interface Debugger extends Methods.Debugger {}

/** Fields that each call gets unless its input has them. */
export interface Caller {
  /** Base directory of relative paths, and the working directory of programs; by default that of this process. */
  readonly directory?: string | undefined
  /** Environment of programs and debuggers; by default that of this process. */
  readonly environment?: { readonly [name: string]: string } | undefined
}

/** Where sessions run, and the fields of calls. */
export interface Options extends Caller {
  /** True if sessions run in this process and end with the scope; by default the shared daemon has them. */
  readonly isolated?: boolean | undefined
  /** How to connect to the daemon. */
  readonly connection?: RemoteClient.Options | undefined
}

/** The service of the operations as methods. */
export class Sigtrap extends Context.Service<Sigtrap, Debugger>()("@sigtrap/host/Sigtrap") {}

const ownEnvironment = (): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  )

const who = ({ directory = process.cwd(), environment = ownEnvironment() }: Caller): Payload.Caller => ({
  directory,
  environment
})

/** Returns the methods of the `Client` that is provided. */
export const fromClient = (caller: Caller = {}): Effect.Effect<Debugger, never, Client.Client> =>
  Effect.map(Client.Client, (client) => Methods.make(client, who(caller)))

/** Connects at the first call and starts a daemon if none answers; or runs sessions in this process. Ends with the scope. */
export const make = (options: Options = {}): Effect.Effect<Debugger, never, Scope.Scope> => {
  const clients: Layer.Layer<Client.Client> =
    options.isolated === true ? ClientLayers.layerIsolated : ClientLayers.layerDaemon(options.connection)
  return Effect.flatMap(Layer.build(clients), (context) => Effect.provideContext(fromClient(options), context))
}

/** Provides `Sigtrap`, made with the options. */
export const layer = (options: Options = {}): Layer.Layer<Sigtrap> => Layer.effect(Sigtrap, make(options))
