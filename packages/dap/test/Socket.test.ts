import { NodeSocket } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Server } from "node:net"
import { Client, Framing, Requests, Transport } from "../src/index.ts"

/** An adapter on a TCP port: it answers an expression with its text, and closes the connection at disconnect. */
const listening = Effect.acquireRelease(
  Effect.callback<{ readonly server: Server; readonly port: number }>((resume) => {
    const server = createServer((socket) => {
      const decoder = new Framing.Decoder()
      socket.on("data", (chunk: Buffer) => {
        for (const { message } of decoder.push(chunk)) {
          if (message.type !== "request") continue
          const { arguments: args, command, seq = 0 } = message
          const body = {
            result: typeof args === "object" && args !== null && "expression" in args ? args.expression : ""
          }
          socket.write(Framing.encode({ seq: 0, type: "response", request_seq: seq, success: true, command, body }))
          if (command === "disconnect") socket.end()
        }
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address === "object" && address !== null) resume(Effect.succeed({ server, port: address.port }))
    })
  }),
  ({ server }) => Effect.sync(() => server.close())
)

describe("a socket", () => {
  it.live("connects a client, and closing it ends the connection", () =>
    Effect.gen(function* () {
      const { port } = yield* listening
      const transport = yield* Transport.socket(yield* NodeSocket.makeNet({ host: "127.0.0.1", port }))
      const client = yield* Client.make({ transport, onEvent: () => {} })
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      for (const expression of ["a", "日🧵", "x".repeat(300_000)]) {
        assert.strictEqual((yield* client.request(Requests.Evaluate, { expression })).result, expression)
      }
      yield* client.request(Requests.Disconnect)
      assert.strictEqual((yield* client.closed).reason, "ended")
    })
  )

  it.live("without a listener fails the requests", () =>
    Effect.gen(function* () {
      const { port, server } = yield* listening
      yield* Effect.sync(() => server.close())
      const transport = yield* Transport.socket(yield* NodeSocket.makeNet({ host: "127.0.0.1", port }))
      const client = yield* Client.make({ transport, onEvent: () => {} })
      const error = yield* Effect.flip(client.request(Requests.Initialize, { adapterID: "x" }))
      assert.strictEqual(error._tag, "ConnectionClosed")
    })
  )
})
