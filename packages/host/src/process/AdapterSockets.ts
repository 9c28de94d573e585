/**
 * Opens connections to debug adapters that listen on this machine, by TCP or on a Unix socket.
 */
import * as NodeSocket from "@effect/platform-node-shared/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node-shared/NodeSocketServer"
import { AdapterSockets } from "@sigtrap/backends"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createServer } from "node:net"

/** Timeout of opening a connection. */
const openTimeout = "5 seconds"

/** Returns a free port of the loopback address. It asks the system for one by listening for a moment. */
export const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.once("error", (error) => resume(Effect.die(error)))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Implements the service with Node's sockets. */
export const layer: Layer.Layer<AdapterSockets.AdapterSockets> = Layer.succeed(AdapterSockets.AdapterSockets, {
  connect: (host, port) => NodeSocket.makeNet({ host, port, openTimeout }),
  open: (path) => NodeSocket.makeNet({ path, openTimeout }),
  listen: (path) => NodeSocketServer.make({ path }),
  freePort
})
