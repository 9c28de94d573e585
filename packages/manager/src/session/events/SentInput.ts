/**
 * What callers wrote to the standard input of one run of a program, so that another run can get the same. Bounded in memory.
 */

/** Bytes that were written by one call. `eof` is true if the input was closed after them. */
export interface Sent {
  readonly bytes: Uint8Array
  readonly eof: boolean
}

/** Most bytes that are kept. */
const limit = 4 * 1024 * 1024

/** The input of one run. */
export class SentInput {
  #sent: Array<Sent> = []
  #bytes = 0

  /** Records what a call writes. */
  record(bytes: Uint8Array, eof: boolean): void {
    this.#bytes += bytes.length
    if (this.#bytes > limit) this.#sent = []
    else this.#sent.push({ bytes, eof })
  }

  /** All that was written, in order; undefined if it was more than is kept. */
  get all(): ReadonlyArray<Sent> | undefined {
    return this.#bytes > limit ? undefined : this.#sent
  }
}
