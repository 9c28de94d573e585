/**
 * TCP connections to debug adapters that listen on this machine.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { AdapterSockets } from "@sigtrap/backends"
import * as Layer from "effect/Layer"

/** How long an adapter may take to accept a connection. */
const openTimeout = "5 seconds"

/** The service. */
export const layer: Layer.Layer<AdapterSockets.AdapterSockets> = Layer.succeed(AdapterSockets.AdapterSockets, {
  connect: (host, port) => NodeSocket.makeNet({ host, port, openTimeout })
})
