/**
 * What a server tells of its target: process, registers, objects. Each fact is requested once.
 */
import * as Effect from "effect/Effect"
import type * as Duration from "effect/Duration"
import * as Errors from "../Errors.ts"
import * as Features from "../Features.ts"
import * as Hex from "../Hex.ts"
import * as Packet from "../Packet.ts"
import * as Registers from "../Registers.ts"
import * as StopReply from "../StopReply.ts"
import { nameOf, type Outcome } from "./Exchange.ts"

/** Sends a request and returns its answer. */
export type Ask = (
  packet: string | Uint8Array,
  timeout?: Duration.Input
) => Effect.Effect<Uint8Array, Errors.RequestError>

const decoder = new TextDecoder()

/** Returns an answer as text. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Fails for an empty answer and for `Enn`. A text follows a semicolon, or as LLDB does it, in hexadecimal digits. */
export const checked = (
  packet: string | Uint8Array,
  bytes: Uint8Array
): Effect.Effect<Uint8Array, Errors.NotSupported | Errors.RequestFailed> => {
  if (bytes.length === 0) return Effect.fail(new Errors.NotSupported({ packet: nameOf(packet) }))
  // `E` begins no other answer whose third character is a digit and that ends or continues with `;`.
  if (bytes[0] !== 0x45 || bytes.length > 4096) return Effect.succeed(bytes)
  const match = /^E([0-9a-fA-F]{2})(?:;(.*))?$/s.exec(textOf(bytes))
  const named = match === null ? /^E\.(.*)$/s.exec(textOf(bytes)) : null
  if (match === null && named === null) return Effect.succeed(bytes)
  const words = match?.[2] ?? named?.[1]
  const text = words === undefined ? undefined : (Hex.text(words) ?? words)
  const code = match === null ? 0 : Number.parseInt(match[1] ?? "", 16)
  return Effect.fail(
    new Errors.RequestFailed({ packet: nameOf(packet), code, ...(text === undefined ? {} : { text }) })
  )
}

/** Parses a stop or an end. */
export const outcomeOf = (payload: string, packet: string): Effect.Effect<Outcome, Errors.RequestError> => {
  const reply = StopReply.parse(payload)
  if (reply === undefined || reply.kind === "output" || reply.kind === "none") {
    const excerpt = JSON.stringify(payload.slice(0, 80))
    return Effect.fail(
      payload === "OK"
        ? new Errors.WrongState({ packet, state: "none" })
        : new Errors.ProtocolBroken({ reason: "unexpected", excerpt })
    )
  }
  return Effect.succeed(reply)
}

/** Parses `key:value;key:value;`. */
const pairsOf = (payload: string): ReadonlyMap<string, string> =>
  new Map(
    payload.split(";").flatMap((pair) => {
      const colon = pair.indexOf(":")
      return colon <= 0 ? [] : [[pair.slice(0, colon), pair.slice(colon + 1)] as const]
    })
  )

/** Most bytes of one object, and most documents of a target description. */
const objectLimit = Packet.payloadLimit
const documentLimit = 16
const registerLimit = 4096

/** Reads facts of one target. */
export const make = Effect.fnUntraced(function* (ask: Ask, features: Features.Features) {
  const piece = Math.max(Features.packetSize(features) - 64, 128).toString(16)

  const object = Effect.fn("Client.object")(function* (kind: string, annex = "") {
    const parts: Array<Uint8Array> = []
    let size = 0
    for (;;) {
      const packet = `qXfer:${kind}:read:${annex}:${size.toString(16)},${piece}`
      const answer = yield* ask(packet)
      const [mark] = answer
      if (mark !== 0x6c && mark !== 0x6d) {
        return yield* new Errors.ProtocolBroken({ reason: "unexpected", excerpt: textOf(answer.subarray(0, 80)) })
      }
      parts.push(answer.subarray(1))
      size += answer.length - 1
      if (mark === 0x6c || answer.length === 1 || size > objectLimit) break
    }
    const all = new Uint8Array(size)
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.length
    }
    return all
  })

  const described = Effect.fnUntraced(function* () {
    const documents: Array<string> = []
    const names = ["target.xml"]
    for (let at = 0; at < names.length && at < documentLimit; at++) {
      const xml = textOf(yield* object("features", names[at] ?? ""))
      documents.push(xml)
      for (const name of Registers.includes(xml)) if (!names.includes(name)) names.push(name)
    }
    return Registers.parseDescription(documents)
  })

  const listed = Effect.fnUntraced(function* () {
    const found: Array<Registers.Register> = []
    for (let number = 0; number < registerLimit; number++) {
      const answer = yield* ask(`qRegisterInfo${number.toString(16)}`).pipe(
        Effect.catchTag(["RequestFailed", "NotSupported"], () => Effect.succeed(undefined))
      )
      const register = answer === undefined ? undefined : Registers.parseInfo(textOf(answer), number)
      if (register === undefined) break
      found.push(register)
    }
    return found
  })

  const registers = yield* Effect.cached(
    Effect.suspend(() => (Features.has(features, "qXfer:features:read") ? described() : listed()))
  )

  const processInfo = Effect.map(ask("qProcessInfo"), (bytes) => pairsOf(textOf(bytes)))

  const pid = processInfo.pipe(
    Effect.map((info) => Hex.number(info.get("pid") ?? "")),
    Effect.catchTag("NotSupported", () =>
      Effect.map(ask("qC"), (bytes) => {
        const id = StopReply.threadId(textOf(bytes).replace(/^QC/, ""))
        return id?.process ?? id?.thread
      })
    ),
    Effect.flatMap((pid) =>
      pid === undefined ? Effect.fail(new Errors.NotSupported({ packet: "qProcessInfo" })) : Effect.succeed(pid)
    )
  )

  // The shortest instruction: 4 bytes where all have that size, else 1.
  const instructionSize = yield* Effect.cached(
    Effect.map(registers, (list) => (list.some(({ name }) => name === "x29") ? 4 : 1))
  )

  return { object, registers, processInfo, pid, instructionSize }
})

/** The facts of one target. */
export type Target = Effect.Success<ReturnType<typeof make>>
