/**
 * The body of a message that arrives in several chunks, or is large.
 *
 * Parsing takes as long as a body has values, and holds the event loop. So a body with more than `limits.values` quotes and
 * commas, or more than `limits.bytes` bytes, is not kept. Only the two ends of such a body are read, which tell the
 * request that it answers: adapters write the body of a message either last or first.
 */

/** Limits of one body. */
export const limits = {
  /** Bytes of a body up to which it is parsed whatever it contains. */
  small: 1024 * 1024,
  /** Bytes of a body that is parsed: about 100 ms at most, if it is one text. */
  bytes: 32 * 1024 * 1024,
  /** Quotes and commas of a body that is parsed: about 100 ms at most. */
  values: 1_500_000
} as const

const QUOTE = 0x22
const COMMA = 0x2c

/** Bytes that are kept of each end of a body that is not parsed. */
const endBytes = 1024

/** What the ends of a body tell of its message. */
export interface Ends {
  readonly requestSeq: number | undefined
  readonly event: string | undefined
}

const latin1 = new TextDecoder("latin1")

const none = new Uint8Array()
const noWords = new Int32Array()

/** The four bytes of a word. */
const words = { quotes: QUOTE * 0x01010101, commas: COMMA * 0x01010101, low: 0x7f7f7f7f, ones: 0x01010101 } as const

/** Words after which the counts of the four bytes are added up: each is at most 255. */
const wordsAtOnce = 255

/**
 * Returns the number of quotes and commas from an offset on. Four bytes are compared at once: in `word ^ quotes` a quote is a
 * zero byte, and of a byte that is not zero the addition or the byte itself sets the highest bit.
 */
const countValues = (bytes: Uint8Array, from: number, to: number): number => {
  const isOne = (byte: number | undefined) => (byte === QUOTE || byte === COMMA ? 1 : 0)
  let values = 0
  let at = from
  // Words begin at multiples of four. A view is not worth its cost for a few bytes.
  const first = to - from < 64 ? to : from + ((4 - ((bytes.byteOffset + from) % 4)) % 4)
  for (; at < first; at++) values += isOne(bytes[at])
  const count = (to - at) >>> 2
  const list = count === 0 ? noWords : new Int32Array(bytes.buffer, bytes.byteOffset + at, count)
  for (let next = 0; next < count;) {
    const end = Math.min(count, next + wordsAtOnce)
    let sums = 0
    for (; next < end; next++) {
      const word = list[next] ?? 0
      const quote = word ^ words.quotes
      const comma = word ^ words.commas
      const others = (((quote & words.low) + words.low) | quote) & (((comma & words.low) + words.low) | comma)
      sums = (sums + ((~others >>> 7) & words.ones)) | 0
    }
    values += (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24)
  }
  for (at += count * 4; at < to; at++) values += isOne(bytes[at])
  return values
}

/** Returns the group of a pattern in the first end that matches. A quote inside of a string has a backslash before it. */
const find = (pattern: RegExp, ends: ReadonlyArray<string>) => {
  for (const text of ends) {
    const found = pattern.exec(text)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

/** Bytes of a chunk up to which a loop copies it faster than a call. */
const fewBytes = 16

/** Collects the body of one message. */
export class LargeBody {
  readonly size: number
  /** Number of bytes that have not arrived yet. */
  missing: number
  #values = 0
  #bytes: Uint8Array | undefined
  /** The first bytes of a body that is not parsed. */
  #first: Uint8Array
  #last: Uint8Array = none

  /** `buffer` has `size` bytes and may be used again once the body was read; without it the body has its own. */
  constructor(size: number, buffer?: Uint8Array) {
    this.size = size
    this.missing = size
    this.#bytes = size > limits.bytes ? undefined : (buffer ?? new Uint8Array(size))
    this.#first = size > limits.bytes ? new Uint8Array(endBytes) : none
  }

  /** The bytes of a complete body; undefined if it is not parsed. */
  get bytes(): Uint8Array | undefined {
    return this.#bytes
  }

  /** The first bytes of those that have arrived. */
  get beginning(): Uint8Array {
    return (this.#bytes ?? this.#first).subarray(0, Math.min(this.size - this.missing, endBytes))
  }

  /** Adds the next bytes, at most those that are missing. */
  add(chunk: Uint8Array): void {
    const filled = this.size - this.missing
    const bytes = this.#bytes
    if (bytes === undefined) {
      if (filled < endBytes) this.#first.set(chunk.subarray(0, endBytes - filled), filled)
      this.#keepEnd(chunk)
    } else if (chunk.length <= fewBytes) {
      for (let at = 0; at < chunk.length; at++) bytes[filled + at] = chunk[at] ?? 0
    } else {
      bytes.set(chunk, filled)
    }
    this.missing -= chunk.length
    if (bytes !== undefined && this.size > limits.small) this.#judge(bytes, filled, chunk.length)
  }

  /** Counts the values of the next bytes; gives the bytes up if the body has too many. */
  #judge(bytes: Uint8Array, from: number, count: number): void {
    this.#values += countValues(bytes, from, from + count)
    if (this.#values <= limits.values) return
    const filled = from + count
    this.#first = bytes.slice(0, endBytes)
    this.#last = bytes.slice(Math.max(0, filled - endBytes), filled)
    this.#bytes = undefined
  }

  #keepEnd(chunk: Uint8Array): void {
    if (chunk.length >= endBytes) {
      this.#last = chunk.slice(-endBytes)
      return
    }
    const before = this.#last.subarray(Math.max(0, this.#last.length + chunk.length - endBytes))
    const last = new Uint8Array(before.length + chunk.length)
    last.set(before)
    last.set(chunk, before.length)
    this.#last = last
  }

  /** Returns what the ends tell of the message. */
  ends(): Ends {
    const ends = [latin1.decode(this.beginning), latin1.decode(this.#last)]
    const seq = find(/(?<!\\)"request_seq"\s*:\s*(\d{1,15})/, ends)
    return {
      requestSeq: seq === undefined ? undefined : Number(seq),
      event: find(/(?<!\\)"event"\s*:\s*"(\w{1,40})"/, ends)
    }
  }
}
