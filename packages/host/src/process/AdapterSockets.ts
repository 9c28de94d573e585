/**
 * Connections to debug adapters that listen on this machine, by TCP or by a socket of the file system.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { AdapterSockets } from "@sigtrap/backends"
import * as Layer from "effect/Layer"

/** How long an adapter may take to accept a connection. */
const openTimeout = "5 seconds"

/** The service. */
export const layer: Layer.Layer<AdapterSockets.AdapterSockets> = Layer.succeed(AdapterSockets.AdapterSockets, {
  connect: (host, port) => NodeSocket.makeNet({ host, port, openTimeout }),
  open: (path) => NodeSocket.makeNet({ path, openTimeout })
})
