/**
 * The two implementations of `Client`: the shared daemon, or a manager in this process. Both trace the calls of clients that
 * name a collector.
 */
import * as Layer from "effect/Layer"
import * as RemoteClient from "./daemon/client/RemoteClient.ts"
import * as Version from "./daemon/Version.ts"
import * as Platform from "./Platform.ts"
import * as Traces from "./tracing/Traces.ts"

const tracing = Traces.layer(Version.product)

/** Connects to the daemon and starts one if none answers. */
export const layerDaemon: typeof RemoteClient.layer = (options) => Layer.merge(RemoteClient.layer(options), tracing)

/** Runs a manager in this process; its sessions end with the process. */
export const layerIsolated: typeof Platform.isolated = Layer.merge(Platform.isolated, tracing)
