import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Packet } from "../src/index.ts"
import { handshake } from "../src/internal/Splice.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (all: ReadonlyArray<Uint8Array>) => all.map((part) => new TextDecoder().decode(part)).join("")
const packet = (payload: string) => text([Packet.encode(payload)])

const sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 }))).check(Schema.isMinLength(1))

const pass = (input: string, by: ReadonlyArray<number>) => {
  const start = handshake()
  const server: Array<Uint8Array> = []
  const client: Array<Uint8Array> = []
  for (let at = 0, turn = 0; at < input.length; turn++) {
    const size = by[turn % by.length] ?? 1
    const sent = start.push(bytes(input.slice(at, at + size)))
    server.push(sent.server)
    client.push(sent.client)
    at += size
  }
  return { server: text(server), client: text(client) }
}

describe("the handshake of another client", () => {
  it.prop("is answered here, and what follows reaches the server, however it is cut", [sizes], ([by]) => {
    const after = packet("qSupported:xmlRegisters=i386") + packet("?")
    assert.deepStrictEqual(pass(`+${packet("QStartNoAckMode")}+${after}`, by), { server: after, client: "+$OK#9a" })
  })

  it.prop("acknowledges what comes before the end of acknowledgements", [sizes], ([by]) => {
    const first = packet("qSupported:a+")
    assert.deepStrictEqual(pass(`+${first}+${packet("QStartNoAckMode")}+${packet("g")}`, by), {
      server: first + packet("g"),
      client: "++$OK#9a"
    })
  })
})
