/**
 * The framing of the GDB remote protocol: `$payload#checksum`, acknowledgements, notifications, escapes and run lengths.
 *
 * A `Decoder` takes bytes that may be cut anywhere and returns items. It verifies checksums, but decides nothing: the owner
 * acknowledges, asks for a repetition, or gives up. Sizes are bounded, so a server cannot fill the memory.
 */
import * as Errors from "./Errors.ts"

/** Something a server or a client sent. */
export type Item =
  | { readonly kind: "packet"; readonly payload: Uint8Array }
  /** Does not answer a request, such as `Stop:` of non-stop mode. */
  | { readonly kind: "notification"; readonly payload: Uint8Array }
  /** A packet whose checksum, escape or run length is wrong. */
  | { readonly kind: "damaged" }
  | { readonly kind: "ack" }
  | { readonly kind: "nack" }
  /** The byte 0x03, which stops a running program. */
  | { readonly kind: "interrupt" }

const dollar = 0x24
const percent = 0x25
const hash = 0x23
const escape = 0x7d
const star = 0x2a
const plus = 0x2b
const minus = 0x2d
const etx = 0x03

/** Largest payload after decoding, in bytes: 16 MiB. */
export const payloadLimit = 16 * 1024 * 1024

/** Most bytes outside packets before the stream is given up. */
export const noiseLimit = 4096

const encoder = new TextEncoder()

/** Returns the sum of the bytes modulo 256. */
export const checksum = (bytes: Uint8Array): number => {
  let sum = 0
  for (const byte of bytes) sum = (sum + byte) & 0xff
  return sum
}

const isSpecial = (byte: number) => byte === dollar || byte === hash || byte === escape || byte === star

/** Escapes the bytes `$`, `#`, `}` and `*` of binary data. */
export const escaped = (bytes: Uint8Array): Uint8Array => {
  let extra = 0
  for (const byte of bytes) if (isSpecial(byte)) extra++
  if (extra === 0) return bytes
  const all = new Uint8Array(bytes.length + extra)
  let at = 0
  for (const byte of bytes) {
    if (isSpecial(byte)) {
      all[at++] = escape
      all[at++] = byte ^ 0x20
    } else {
      all[at++] = byte
    }
  }
  return all
}

const digit = (value: number) => value + (value < 10 ? 0x30 : 0x57)

/** Returns the bytes of a packet. The payload is escaped. */
export const encode = (payload: Uint8Array | string): Uint8Array => {
  const body = escaped(typeof payload === "string" ? encoder.encode(payload) : payload)
  const sum = checksum(body)
  const packet = new Uint8Array(body.length + 4)
  packet[0] = dollar
  packet.set(body, 1)
  packet[body.length + 1] = hash
  packet[body.length + 2] = digit(sum >> 4)
  packet[body.length + 3] = digit(sum & 15)
  return packet
}

/** Returns a payload without escapes and run lengths; undefined if they are malformed or the result exceeds the limit. */
export const expand = (body: Uint8Array, limit: number = payloadLimit): Uint8Array | undefined => {
  if (!body.includes(escape) && !body.includes(star)) return body.length > limit ? undefined : body.slice()
  let size = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === star) size += (body[++at] ?? 0) - 29
    else {
      if (byte === escape) at++
      size++
    }
    if (size > limit) return undefined
  }
  const all = new Uint8Array(Math.max(size, 0))
  let filled = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0
    if (byte === escape) {
      const next = body[++at]
      if (next === undefined) return undefined
      all[filled++] = next ^ 0x20
    } else if (byte === star) {
      const count = (body[++at] ?? 0) - 29
      const last = all[filled - 1]
      if (count < 3 || count > 97 || last === undefined) return undefined
      all.fill(last, filled, filled + count)
      filled += count
    } else {
      all[filled++] = byte
    }
  }
  return all
}

const hexDigit = (byte: number | undefined): number => {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Options of a decoder. */
export interface Options {
  /** Whether checksums are verified. Default true. */
  readonly verify?: boolean
}

/** Decodes the bytes of one direction of a connection. */
export class Decoder {
  /** Why the stream is not decoded any further. */
  failure: Errors.ProtocolBroken | undefined
  #buffer = new Uint8Array(4096)
  #start = 0
  #end = 0
  /** Where the search for the end of the current packet continues. */
  #scanned = 0
  #noise = 0
  readonly #verify: boolean

  constructor(options: Options = {}) {
    this.#verify = options.verify ?? true
  }

  /** Returns the items that the bytes complete. Returns none after a failure. */
  push(bytes: Uint8Array): Array<Item> {
    const items: Array<Item> = []
    if (this.failure !== undefined) return items
    this.#append(bytes)
    while (this.failure === undefined) {
      const item = this.#next()
      if (item === undefined) break
      items.push(item)
    }
    return items
  }

  /** Takes the bytes of an incomplete packet out of the decoder. */
  rest(): Uint8Array {
    const rest = this.#buffer.slice(this.#start, this.#end)
    this.#start = this.#end = this.#scanned = 0
    return rest
  }

  #append(bytes: Uint8Array) {
    if (this.#end + bytes.length > this.#buffer.length) {
      const used = this.#end - this.#start
      const room = used + bytes.length
      const next = room * 2 > this.#buffer.length ? new Uint8Array(room * 2) : this.#buffer
      next.set(this.#buffer.subarray(this.#start, this.#end))
      this.#buffer = next
      this.#scanned -= this.#start
      this.#start = 0
      this.#end = used
    }
    this.#buffer.set(bytes, this.#end)
    this.#end += bytes.length
  }

  #next(): Item | undefined {
    while (this.#start < this.#end) {
      const byte = this.#buffer[this.#start]
      if (byte === dollar || byte === percent) return this.#packet(byte === dollar ? "packet" : "notification")
      this.#start++
      this.#scanned = this.#start
      if (byte === plus) return { kind: "ack" }
      if (byte === minus) return { kind: "nack" }
      if (byte === etx) return { kind: "interrupt" }
      if (++this.#noise > noiseLimit) {
        this.failure = new Errors.ProtocolBroken({ reason: "noise" })
        return undefined
      }
    }
    if (this.#start === this.#end) this.#start = this.#end = this.#scanned = 0
    return undefined
  }

  #packet(kind: "packet" | "notification"): Item | undefined {
    const from = Math.max(this.#scanned, this.#start + 1)
    const found = this.#buffer.subarray(from, this.#end).indexOf(hash)
    if (found === -1 || from + found + 3 > this.#end) {
      this.#scanned = found === -1 ? this.#end : from + found
      if (this.#end - this.#start > 2 * payloadLimit) this.failure = new Errors.ProtocolBroken({ reason: "tooLarge" })
      return undefined
    }
    const end = from + found
    const body = this.#buffer.subarray(this.#start + 1, end)
    const [high, low] = [hexDigit(this.#buffer[end + 1]), hexDigit(this.#buffer[end + 2])]
    const intact = high !== -1 && low !== -1 && (!this.#verify || checksum(body) === high * 16 + low)
    this.#start = this.#scanned = end + 3
    this.#noise = 0
    const payload = intact ? expand(body) : undefined
    return payload === undefined ? { kind: "damaged" } : { kind, payload }
  }
}
