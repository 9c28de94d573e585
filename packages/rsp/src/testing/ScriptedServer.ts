/**
 * A debug server for tests: answers packets from a table, and can break every rule of the protocol.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Packet from "../Packet.ts"
import type { Transport } from "../Transport.ts"

/** What the server does with a packet: the payload of its answer, bytes as they are, or nothing. */
export type Answer = string | { readonly raw: Uint8Array | string } | undefined

/** A scripted server. */
export interface ScriptedServer {
  readonly transport: Transport
  /** Returns the payloads of all packets that the client has sent. */
  readonly received: () => ReadonlyArray<string>
  /** Sends bytes without framing. */
  readonly raw: (bytes: Uint8Array | string) => void
  /** Sends a packet. */
  readonly packet: (payload: string) => void
  /** Closes the connection. */
  readonly end: Effect.Effect<void>
}

/** Options of a scripted server. */
export interface Options {
  /** Size of the chunks in which its bytes arrive; whole by default. */
  readonly chunk?: number
  /** Whether it acknowledges packets until it is asked not to. Default true. */
  readonly acks?: boolean
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** The answers that begin a connection. */
export const handshake: Readonly<Record<string, Answer>> = {
  QStartNoAckMode: "OK",
  QThreadSuffixSupported: "OK",
  QListThreadsInStopReply: "OK",
  QEnableErrorStrings: "OK"
}

/** Makes a server that answers by a function; the answers of a handshake are added, and `qSupported` without features. */
export const make = Effect.fnUntraced(function* (answer: (packet: string) => Answer, options: Options = {}) {
  const output = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const input = new Packet.Decoder()
  const packets: Array<string> = []
  let acks = options.acks ?? true

  const send = (bytes: Uint8Array) => {
    const size = options.chunk ?? bytes.length
    for (let at = 0; at < bytes.length; at += size) Queue.offerUnsafe(output, bytes.slice(at, at + size))
  }
  const raw = (bytes: Uint8Array | string) => send(typeof bytes === "string" ? encoder.encode(bytes) : bytes)

  const reply = (payload: string) => {
    packets.push(payload)
    if (acks) raw("+")
    const known =
      answer(payload) ?? handshake[payload] ?? (payload.startsWith("qSupported") ? "PacketSize=4000" : undefined)
    if (payload === "QStartNoAckMode" && known === "OK") acks = false
    if (known !== undefined) {
      if (typeof known === "string") send(Packet.encode(known))
      else raw(known.raw)
    }
  }

  const transport: Transport = {
    incoming: Stream.fromQueue(output),
    send: (bytes) => {
      for (const item of input.push(bytes)) {
        if (item.kind === "packet") reply(decoder.decode(item.payload))
        if (item.kind === "interrupt") {
          packets.push("<interrupt>")
          const known = answer("<interrupt>")
          if (typeof known === "string") send(Packet.encode(known))
        }
      }
    }
  }
  const server: ScriptedServer = {
    transport,
    received: () => packets,
    raw,
    packet: (payload) => send(Packet.encode(payload)),
    end: Effect.asVoid(Queue.end(output))
  }
  return server
})
