/**
 * Memory of the program, in pieces that fit into packets.
 */
import * as Effect from "effect/Effect"
import * as Errors from "../Errors.ts"
import * as Hex from "../Hex.ts"
import { textOf, type Ask } from "./Target.ts"

/** Makes the requests for a server that takes packets of this size. */
export const make = (ask: Ask, packetSize: number) => {
  const piece = Math.floor((packetSize - 64) / 2)
  return {
    read: Effect.fn("Client.readMemory")(function* (address: bigint, size: number) {
      const all = new Uint8Array(size)
      let filled = 0
      while (filled < size) {
        const wanted = Math.min(piece, size - filled)
        const packet = `m${(address + BigInt(filled)).toString(16)},${wanted.toString(16)}`
        const answer = yield* filled === 0
          ? ask(packet)
          : ask(packet).pipe(Effect.catchTag("RequestFailed", () => Effect.succeed(new Uint8Array())))
        const bytes = Hex.decode(textOf(answer))
        if (bytes === undefined || bytes.length > wanted) {
          return yield* new Errors.ProtocolBroken({ reason: "unexpected", excerpt: textOf(answer.subarray(0, 80)) })
        }
        all.set(bytes, filled)
        filled += bytes.length
        if (bytes.length < wanted) break
      }
      return all.slice(0, filled)
    }),
    write: Effect.fn("Client.writeMemory")(function* (address: bigint, bytes: Uint8Array) {
      for (let at = 0; at < bytes.length; at += piece) {
        const part = bytes.subarray(at, at + piece)
        yield* ask(`M${(address + BigInt(at)).toString(16)},${part.length.toString(16)}:${Hex.encode(part)}`)
      }
    })
  }
}
