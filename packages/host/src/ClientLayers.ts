/**
 * The two implementations of `Client`: the shared daemon, or a manager in this process.
 */
import * as RemoteClient from "./daemon/RemoteClient.ts"
import * as Platform from "./Platform.ts"

/** Connects to the daemon and starts one if none answers. */
export const layerDaemon = RemoteClient.layer

/** Runs a manager in this process; its sessions end with the process. */
export const layerIsolated: typeof Platform.isolated = Platform.isolated
