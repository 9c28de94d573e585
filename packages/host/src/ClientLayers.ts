/**
 * The two ways to a `Client` that a surface chooses from: the daemon that everybody shares, or a manager of its own.
 */
import * as RemoteClient from "./daemon/RemoteClient.ts"
import * as Platform from "./Platform.ts"

/** Through the daemon, which is started when none answers. */
export const layerDaemon = RemoteClient.layer

/** A manager in this process; its sessions end with it. */
export const layerIsolated: typeof Platform.isolated = Platform.isolated
