/**
 * The Content-Length framing of the Debug Adapter Protocol: decodes bytes to messages, encodes messages to bytes.
 *
 * The decoder is a synchronous class, one per connection. Each header byte is read once; a body within one chunk is
 * decoded in place, several small ones together; any other is copied once into a buffer of its announced size. Headers may have any case,
 * and other headers are skipped. After a syntax error the stream is not decoded any further, because the start of the next message
 * is unknown. A message that is too large to be parsed at once (`LargeBody`) is skipped: it becomes a failed response to
 * the request that it answers, or an event without a body.
 */
import * as Errors from "./Errors.ts"
import { COLON, contentLength, CR, escape, LF, lower, maxBody, readHeader } from "./internal/FrameHeader.ts"
import { LargeBody, limits } from "./internal/LargeBody.ts"
import * as Message from "./Message.ts"

export { encode } from "./internal/FrameEncoder.ts"
export { maxBody } from "./internal/FrameHeader.ts"

/** Maximum size of a header block with its blank line, in bytes. */
export const maxHeader = 8 * 1024

/** Maximum of the `noise` option, in bytes. */
export const maxNoise = 4 * 1024

/** Number of bodies that are not protocol messages after which the stream fails. */
export const maxBadFrames = 3

/** One decoded message. */
export interface Frame {
  readonly message: Message.Message
  /** True if the body was not valid UTF-8; invalid bytes are replaced by U+FFFD. */
  readonly lossy: boolean
  /** Size of a body that was too large to be parsed, in bytes. */
  readonly skipped?: number
}

/** The states of the header scanner: in a name, in a value, after CR, after CRLF, after CRLF CR. */
const scanner = { name: 0, value: 1, cr: 2, line: 3, last: 4 } as const

const excerptBytes = 200

/** Size of a body up to which a connection uses the same buffer for each, in bytes. */
const sharedBytes = 16 * 1024

/** Number of chunks after one that is not ASCII whose messages are decoded one by one. */
const afterOther = 64
const nothing: ReadonlyArray<Frame> = Object.freeze([])
const usual = new TextEncoder().encode("Content-Length: ")

/** 1 for each character of a header name (RFC 9110 `token`). */
const isToken = Uint8Array.from({ length: 256 }, (_, byte) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]$/.test(String.fromCharCode(byte)) ? 1 : 0
)

/** Decodes a stream of bytes incrementally. It never throws. */
export class Decoder {
  #failure: Errors.FramingError | undefined
  #lossy = 0
  #badFrames = 0
  readonly #noise: number
  /** Number of text bytes so far; undefined from the start of the first header. */
  #noiseSeen: number | undefined
  #noiseMatched = 0
  readonly #header = new Uint8Array(maxHeader)
  #headerSize = 0
  #state: number = scanner.line
  #need = -1
  #body: LargeBody | undefined
  #shared: Uint8Array | undefined
  /** Number of chunks whose messages are decoded one by one. */
  #oneByOne = 0
  readonly #strict = new TextDecoder("utf-8", { fatal: true })
  readonly #replacing = new TextDecoder("utf-8")

  /** `noise` is the number of text bytes that may precede the first header: default 0, at most 4 KiB. */
  constructor(options?: { readonly noise?: number }) {
    this.#noise = Math.min(options?.noise ?? 0, maxNoise)
    this.#noiseSeen = this.#noise > 0 ? 0 : undefined
  }

  /** The failure of the stream, if it has failed. */
  get failure(): Errors.FramingError | undefined {
    return this.#failure
  }

  /** Number of bodies that were not valid UTF-8. */
  get lossy(): number {
    return this.#lossy
  }

  /** Number of bodies that were skipped because they are not protocol messages. */
  get badFrames(): number {
    return this.#badFrames
  }

  /**
   * Decodes the next bytes and returns the messages that they complete, in order. The chunk is not kept.
   *
   * Messages before a failure are returned, later ones are not.
   */
  push(chunk: Uint8Array): ReadonlyArray<Frame> {
    const body = this.#body
    // Most chunks of a large body, and most single bytes, complete nothing.
    if (body !== undefined && chunk.length < body.missing) {
      body.add(chunk)
      return nothing
    }
    return this.#read(chunk)
  }

  #read(chunk: Uint8Array): ReadonlyArray<Frame> {
    const size = chunk.length
    let frames: Array<Frame> | undefined
    let at = 0
    let text: string | undefined
    let textStart = -1
    while (at < size && this.#failure === undefined) {
      if (this.#need < 0) {
        if (this.#noiseSeen !== undefined) at = this.#skipNoise(chunk, at)
        else at = (this.#headerSize === 0 && this.#usual(chunk, at)) || this.#scan(chunk, at)
      }
      const need = this.#need
      if (need < 0) continue
      let frame: Frame | undefined
      if (this.#body === undefined && need <= limits.small && size - at >= need) {
        if (textStart < 0) {
          textStart = at
          // Another message of this size may follow. One call that decodes many costs little more than one for each.
          if (size - at > 2 * need) text = this.#ascii(chunk.subarray(at))
        }
        const from = at - textStart
        frame =
          text === undefined
            ? this.#decode(chunk.subarray(at, at + need))
            : this.#parse(text.slice(from, from + need), false, chunk, at, need)
        at += need
      } else {
        if (at === size) break
        const whole = (this.#body ??= this.#collect(need))
        const count = Math.min(whole.missing, size - at)
        whole.add(count === size ? chunk : chunk.subarray(at, at + count))
        at += count
        if (whole.missing > 0) break
        this.#body = undefined
        frame = whole.bytes === undefined ? this.#skip(whole) : this.#decode(whole.bytes)
      }
      this.#need = -1
      if (frame !== undefined) (frames ??= []).push(frame)
    }
    return frames ?? nothing
  }

  /** Ends the stream; returns its failure if it is truncated or has failed before. */
  end(): Errors.FramingError | undefined {
    if (this.#failure !== undefined) return this.#failure
    if (this.#need >= 0) {
      this.#fail("truncated", this.#body?.beginning ?? new Uint8Array())
    } else if (this.#headerSize > 0) {
      const text = this.#noiseSeen !== undefined
      this.#fail(text ? "notProtocol" : "truncated", this.#header.subarray(0, Math.min(this.#headerSize, excerptBytes)))
    }
    return this.#failure
  }

  /** Starts a body that is not within one chunk. Small ones share a buffer: the text of a complete one is a copy. */
  #collect(need: number): LargeBody {
    if (need > sharedBytes) return new LargeBody(need)
    this.#shared ??= new Uint8Array(sharedBytes)
    return new LargeBody(need, this.#shared.subarray(0, need))
  }

  /** Parses a header in the usual spelling in place and returns its end; 0 for any other header. */
  #usual(chunk: Uint8Array, from: number): number {
    for (let index = 0; index < usual.length; index++) {
      if (chunk[from + index] !== usual[index]) return 0
    }
    const first = from + usual.length
    let at = first
    let length = 0
    for (let digit = (chunk[at] ?? 0) - 48; digit >= 0 && digit <= 9; digit = (chunk[at] ?? 0) - 48) {
      length = length * 10 + digit
      if (length > maxBody) return 0
      at++
    }
    if (at === first || chunk[at] !== CR || chunk[at + 1] !== LF || chunk[at + 2] !== CR || chunk[at + 3] !== LF)
      return 0
    this.#need = length
    return at + 4
  }

  /** Copies header bytes up to the blank line; fails at the first byte that cannot be part of a header. */
  #scan(chunk: Uint8Array, from: number): number {
    const header = this.#header
    let size = this.#headerSize
    let state = this.#state
    let at = from
    while (at < chunk.length) {
      const byte = chunk[at++] ?? 0
      header[size++] = byte
      let good: boolean
      switch (state) {
        case scanner.name:
          good = byte === COLON || isToken[byte] === 1
          if (byte === COLON) state = scanner.value
          break
        case scanner.value:
          good = byte === CR || byte === 9 || (byte >= 32 && byte !== 127)
          if (byte === CR) state = scanner.cr
          break
        case scanner.line:
          good = isToken[byte] === 1 || (byte === CR && size > 1)
          state = byte === CR ? scanner.last : scanner.name
          break
        default:
          good = byte === LF
          if (good && state === scanner.last) {
            this.#headerSize = 0
            this.#state = scanner.line
            const length = readHeader(header, size)
            if (typeof length === "number") this.#need = length
            else this.#failAt(length, size, chunk, at)
            return at
          }
          state = scanner.line
      }
      if (!good) {
        this.#failAt("notProtocol", size, chunk, at)
        return at
      }
      if (size === maxHeader) {
        this.#failAt("headerTooLong", size, chunk, at)
        return at
      }
    }
    this.#headerSize = size
    this.#state = state
    return at
  }

  /** Skips text up to `Content-Length:`, with which the first header starts. */
  #skipNoise(chunk: Uint8Array, from: number): number {
    let seen = this.#noiseSeen ?? 0
    let matched = this.#noiseMatched
    let at = from
    while (at < chunk.length) {
      const byte = chunk[at++] ?? 0
      if (matched === contentLength.length && byte === COLON) {
        this.#header.set(contentLength)
        this.#header[matched] = COLON
        this.#headerSize = matched + 1
        this.#state = scanner.value
        this.#noiseSeen = undefined
        return at
      }
      if (lower(byte) === contentLength[matched]) {
        matched++
        continue
      }
      for (let index = 0; index < matched; index++) this.#keepNoise(seen++, contentLength[index] ?? 0)
      matched = lower(byte) === contentLength[0] ? 1 : 0
      if (matched === 0) this.#keepNoise(seen++, byte)
      if (seen > this.#noise) {
        this.#failAt("notProtocol", Math.min(seen, excerptBytes), chunk, at)
        return at
      }
    }
    this.#noiseSeen = seen
    this.#noiseMatched = matched
    return at
  }

  #keepNoise(index: number, byte: number): void {
    if (index < excerptBytes) {
      this.#header[index] = byte
      this.#headerSize = index + 1
    }
  }

  /** Returns what can be said of a message that is not parsed. */
  #skip(body: LargeBody): Frame {
    const { event = "", requestSeq } = body.ends()
    if (requestSeq === undefined) return { message: { type: "event", event }, lossy: false, skipped: body.size }
    const message = `its answer has ${body.size} bytes, more than can be read at once`
    return {
      message: { type: "response", request_seq: requestSeq, success: false, message },
      lossy: false,
      skipped: body.size
    }
  }

  /** Returns bytes as text if all are ASCII, so that an offset in the text is one in the bytes. */
  #ascii(bytes: Uint8Array): string | undefined {
    if (this.#oneByOne > 0) {
      this.#oneByOne--
      return undefined
    }
    try {
      const text = this.#strict.decode(bytes)
      if (text.length === bytes.length) return text
    } catch {
      // The message with the invalid bytes is decoded alone.
    }
    this.#oneByOne = afterOther
    return undefined
  }

  /** Decodes a body. Only a text with U+FFFD is checked: the body may have that character, or invalid bytes. */
  #decode(bytes: Uint8Array): Frame | undefined {
    const text = this.#replacing.decode(bytes)
    const lossy = text.includes("\ufffd") && !this.#isValid(bytes)
    if (lossy) this.#lossy++
    return this.#parse(text, lossy, bytes, 0, bytes.length)
  }

  #isValid(bytes: Uint8Array): boolean {
    try {
      this.#strict.decode(bytes)
      return true
    } catch {
      return false
    }
  }

  /** Parses the text of a body, which has `size` bytes from an offset of `bytes` on. */
  #parse(text: string, lossy: boolean, bytes: Uint8Array, start: number, size: number): Frame | undefined {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      message = undefined
    }
    if (Message.isMessage(message)) return { message, lossy }
    this.#badFrames++
    if (this.#badFrames === maxBadFrames) this.#fail("badFrames", bytes.subarray(start, start + size))
    return undefined
  }

  /** Fails with an excerpt: the header so far and what follows it in the same chunk. */
  #failAt(reason: Errors.FramingReason, size: number, chunk: Uint8Array, at: number): void {
    const head = this.#header.subarray(0, Math.min(size, excerptBytes))
    const rest = chunk.subarray(at, at + excerptBytes - head.length)
    const bytes = new Uint8Array(head.length + rest.length)
    bytes.set(head)
    bytes.set(rest, head.length)
    this.#fail(reason, bytes)
  }

  #fail(reason: Errors.FramingReason, bytes: Uint8Array): void {
    this.#failure = new Errors.FramingError({ reason, excerpt: escape(bytes.subarray(0, excerptBytes)) })
    this.#body = undefined
    this.#need = -1
  }
}
