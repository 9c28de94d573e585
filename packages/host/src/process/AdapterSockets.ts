/**
 * Opens connections to debug adapters that listen on this machine, by TCP or on a Unix socket.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { AdapterSockets } from "@sigtrap/backends"
import * as Layer from "effect/Layer"

/** Timeout of opening a connection. */
const openTimeout = "5 seconds"

/** Implements the service with Node's sockets. */
export const layer: Layer.Layer<AdapterSockets.AdapterSockets> = Layer.succeed(AdapterSockets.AdapterSockets, {
  connect: (host, port) => NodeSocket.makeNet({ host, port, openTimeout }),
  open: (path) => NodeSocket.makeNet({ path, openTimeout })
})
