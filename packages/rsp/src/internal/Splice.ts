/**
 * Connects another client to a server whose connection this process has, byte by byte.
 *
 * The other client begins as on a new connection: it acknowledges packets and asks to end that. The server has ended it already,
 * so the request is answered here. All other packets reach the server.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Socket from "effect/socket/Socket"
import type * as Errors from "../Errors.ts"
import * as Packet from "../Packet.ts"
import * as Transport from "../Transport.ts"
import type { Exchange } from "./Exchange.ts"

const decoder = new TextDecoder()

const concat = (first: Uint8Array, second: Uint8Array) => {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

const plus = new Uint8Array([0x2b])

/** What the handshake of a client makes of its bytes. */
export interface Handshake {
  /** Returns bytes for the server and bytes for the client. */
  readonly push: (bytes: Uint8Array) => { readonly server: Uint8Array; readonly client: Uint8Array }
}

/** Makes the handshake of one client. */
export const handshake = (): Handshake => {
  const packets = new Packet.Decoder()
  let acks = true
  // The acknowledgement of the answer that ended acknowledgements.
  let lastAck = false
  return {
    push: (bytes) => {
      let server = new Uint8Array()
      let client = new Uint8Array()
      let rest = bytes
      if (acks) {
        for (const item of packets.push(bytes)) {
          if (item.kind === "interrupt") server = concat(server, new Uint8Array([3]))
          if (item.kind !== "packet") {
            // An acknowledgement after the request that ended them, read at once with it.
            if (item.kind === "ack") lastAck = false
            continue
          }
          const ends = decoder.decode(item.payload) === "QStartNoAckMode"
          if (acks) client = concat(client, ends ? concat(plus, Packet.encode("OK")) : plus)
          if (ends) {
            acks = false
            lastAck = true
          } else server = concat(server, Packet.encode(item.payload))
        }
        if (acks) return { server, client }
        rest = packets.rest()
      }
      if (lastAck && rest[0] === plus[0]) {
        lastAck = false
        rest = rest.subarray(1)
      }
      return { server: concat(server, rest), client }
    }
  }
}

/** Connects the two until either side closes its connection. */
export const run = Effect.fnUntraced(function* (
  exchange: Exchange,
  peer: Socket.Socket
): Effect.fn.Return<void, Errors.RequestError, Scope.Scope> {
  const writer = yield* peer.writer
  const start = handshake()
  yield* exchange.takeOver((bytes) => Effect.ignore(writer.write(bytes)))
  const outgoing = Transport.received(peer).pipe(
    Stream.runForEach((bytes) => {
      const { client, server } = start.push(bytes)
      if (server.length > 0) exchange.sendRaw(server)
      return client.length > 0 ? Effect.ignore(writer.write(client)) : Effect.void
    }),
    Effect.ignore
  )
  yield* Effect.race(outgoing, Effect.asVoid(exchange.lost))
}, Effect.scoped)
