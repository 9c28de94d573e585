/**
 * The body of a message that arrives in several chunks, or is large.
 *
 * Parsing takes as long as a body has values, and holds the event loop. So a body with more than `limits.values` quotes and
 * commas, or more than `limits.bytes` bytes, is not kept. Of such a body only the two ends are read, which tell the
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

/** Returns the group of a pattern in the first end that matches. A quote inside of a string has a backslash before it. */
const find = (pattern: RegExp, ends: ReadonlyArray<string>) => {
  for (const text of ends) {
    const found = pattern.exec(text)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

/** Collects the body of one message. */
export class LargeBody {
  readonly size: number
  #filled = 0
  #values = 0
  #bytes: Uint8Array | undefined
  readonly #first: Uint8Array
  #last: Uint8Array = new Uint8Array()

  constructor(size: number) {
    this.size = size
    this.#bytes = size > limits.bytes ? undefined : new Uint8Array(size)
    this.#first = new Uint8Array(Math.min(size, endBytes))
  }

  /** Number of bytes that have arrived. */
  get filled(): number {
    return this.#filled
  }

  /** The bytes of a complete body; undefined if it is not parsed. */
  get bytes(): Uint8Array | undefined {
    return this.#bytes
  }

  /** The first bytes of those that have arrived. */
  get beginning(): Uint8Array {
    return this.#first.subarray(0, this.#filled)
  }

  /** Adds the next bytes, at most those that are missing. */
  add(chunk: Uint8Array): void {
    if (this.#filled < endBytes) {
      this.#first.set(chunk.subarray(0, this.#first.length - this.#filled), this.#filled)
    }
    if (this.#bytes !== undefined) this.#keep(this.#bytes, chunk)
    if (this.#bytes === undefined) this.#keepEnd(chunk)
    this.#filled += chunk.length
  }

  #keep(bytes: Uint8Array, chunk: Uint8Array): void {
    bytes.set(chunk, this.#filled)
    if (this.size <= limits.small) return
    let values = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === QUOTE || byte === COMMA) values++
    }
    this.#values += values
    if (this.#values <= limits.values) return
    this.#last = bytes.slice(Math.max(0, this.#filled - endBytes), this.#filled)
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
    const ends = [latin1.decode(this.#first), latin1.decode(this.#last)]
    const seq = find(/(?<!\\)"request_seq"\s*:\s*(\d{1,15})/, ends)
    return {
      requestSeq: seq === undefined ? undefined : Number(seq),
      event: find(/(?<!\\)"event"\s*:\s*"(\w{1,40})"/, ends)
    }
  }
}
