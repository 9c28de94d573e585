/**
 * The messages on the daemon's socket: lines of JSON of Effect's RPC. Reading takes time in proportion to the bytes.
 *
 * A request over its limit is answered as soon as that many characters have arrived, and the rest of its line is skipped. An
 * answer over its limit is replaced by an error of that request alone, because a client closes the connection at such a
 * message, and with it every other request.
 */
import { Errors, JsonSize } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Schema from "effect/Schema"
import * as Limits from "./Limits.ts"

/** The payloads of requests over a limit, which were not read, by the limit. */
export const unread = {
  request: Object.freeze({ over: "request" }),
  values: Object.freeze({ over: "values" }),
  depth: Object.freeze({ over: "depth" })
} as const

/** Characters of a message whose values are counted before it is parsed. A shorter one has few. */
const COUNTED = 32 * 1024

/** Values and levels of a message around those of its payload. */
const AROUND = { values: 100, depth: 4 }

/** Returns the id of a request from the beginning of its line, where every client of sigtrap writes it. */
export const requestId = (line: string): string | number | undefined => {
  const found = /^\{"_tag":"Request","id":("[\w-]{1,40}"|\d{1,15}),/.exec(line)?.[1]
  return found === undefined ? undefined : JSON.parse(found)
}

/** Characters of a line that contain the id. */
const HEAD = 100

/** Splits received bytes into lines. A line over `limit` characters is reported by its beginning, and its rest is skipped. */
class Lines {
  readonly #decoder = new TextDecoder()
  readonly #limit: number
  readonly #most: number
  #pieces: Array<string> = []
  #length = 0
  #isSkipping = false

  constructor(limit: number, most: number) {
    this.#limit = limit
    this.#most = most
  }

  /** Calls `line` for each complete line and `long` for each line over the limit. Throws if a line is over `most`. */
  read(bytes: Uint8Array | string, line: (text: string) => void, long: (head: string) => void): void {
    const text = typeof bytes === "string" ? bytes : this.#decoder.decode(bytes, { stream: true })
    let from = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#add(text.slice(from, end), long)
      from = end + 1
      if (!this.#isSkipping && this.#length > 0) line(this.#pieces.join(""))
      this.#pieces = []
      this.#length = 0
      this.#isSkipping = false
    }
    if (from < text.length) this.#add(text.slice(from), long)
  }

  #add(piece: string, long: (head: string) => void): void {
    this.#length += piece.length
    if (this.#length > this.#most) throw new RpcSerialization.MaxBufferSizeExceeded({ maxBufferSize: this.#most })
    if (this.#isSkipping) return
    this.#pieces.push(piece)
    if (this.#length <= this.#limit) return
    this.#isSkipping = true
    const head = this.#pieces.join("").slice(0, HEAD)
    this.#pieces = []
    long(head)
  }
}

const encodeTooLarge = Schema.encodeSync(Errors.AnswerTooLarge)

/** Returns a failure of one request, as it is sent. */
export const failure = (requestId: string | number, error: object) => ({
  _tag: "Exit" as const,
  requestId,
  exit: { _tag: "Failure" as const, cause: [{ _tag: "Fail" as const, error }] }
})

const stringify = (message: unknown, limit: number): string => {
  const text = `${JSON.stringify(message)}\n`
  if (text.length <= limit || !Predicate.hasProperty(message, "requestId")) return text
  const { requestId } = message
  if (typeof requestId !== "string" && typeof requestId !== "number") return text
  const error = new Errors.AnswerTooLarge({ bytes: Buffer.byteLength(text), limit })
  return `${JSON.stringify(failure(requestId, encodeTooLarge(error)))}\n`
}

/** Returns the limit that the payload of a message exceeds. Twice the values are let through, which `Admission` counts. */
const excess = (line: string, { depth, values }: Limits.Limits) =>
  line.length < COUNTED
    ? undefined
    : JsonSize.excess(line, { values: 2 * values + AROUND.values, depth: depth + AROUND.depth })

/** `request` is the limit of received messages. `isServer` is true if values are counted before a message is parsed. */
const make = (limits: Limits.Limits, request: number, isServer: boolean) =>
  RpcSerialization.RpcSerialization.of({
    ...RpcSerialization.ndjson,
    makeUnsafe: () => {
      const { message } = limits
      const lines = new Lines(request, message)
      return {
        decode: (bytes) => {
          const items: Array<unknown> = []
          const skip = (head: string, over: keyof typeof unread) => {
            const id = requestId(head)
            if (id === undefined) throw new RpcSerialization.MaxBufferSizeExceeded({ maxBufferSize: request })
            items.push({ _tag: "Request", id, tag: "", payload: unread[over], headers: [] })
          }
          const take = (line: string) => {
            const over = isServer ? excess(line, limits) : undefined
            if (over === undefined) items.push(JSON.parse(line))
            else skip(line.slice(0, HEAD), over)
          }
          lines.read(bytes, take, (head) => skip(head, "request"))
          return items
        },
        encode: (item) =>
          Array.isArray(item)
            ? item.map((one) => stringify(one, limits.message)).join("")
            : stringify(item, limits.message)
      }
    }
  })

/** The messages of the daemon: requests have their own limit. */
export const server = Layer.effect(
  RpcSerialization.RpcSerialization,
  Effect.map(Limits.Limits, (limits) => make(limits, limits.request, true))
)

/** The messages of a client. */
export const client = Layer.effect(
  RpcSerialization.RpcSerialization,
  Effect.map(Limits.Limits, (limits) => make({ ...limits, message: limits.message + HEAD }, limits.message, false))
)
