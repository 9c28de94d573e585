/**
 * Entries of one kind in a journal, in order, within a limit of entries and of bytes. The oldest are dropped first.
 *
 * An entry has a position besides its number: the count of entries of its kind before it. Positions have no gaps and do not
 * change when entries are dropped.
 */
import type { Event } from "@sigtrap/protocol"

/**
 * An entry with the number of the stop before it and, for output, its size in bytes. `written` is what the program wrote before it, in
 * bytes.
 */
export interface Recorded extends Event.Entry {
  readonly stop: number
  readonly bytes: number
  readonly written: number
}

/** Limits of one queue. */
export interface Limits {
  readonly entries: number
  readonly bytes: number
}

/** The entries of one kind. */
export class EntryQueue {
  readonly #limits: Limits
  /** Dropped entries become holes, which are removed in bulk, so that dropping one takes constant time. */
  #entries: Array<Recorded | undefined> = []
  #head = 0
  #bytes = 0
  /** The position of the first element of `#entries`. */
  #base = 0
  #dropped = 0
  #newestDropped = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** The position of the oldest entry that is kept; `end` if there is none. */
  get start(): number {
    return this.#base + this.#head
  }

  /** The position of the next entry. */
  get end(): number {
    return this.#base + this.#entries.length
  }

  /** Number of entries that were dropped to keep within the limits. */
  get dropped(): number {
    return this.#dropped
  }

  /** Number of the newest entry that was dropped; 0 if there is none. */
  get newestDropped(): number {
    return this.#newestDropped
  }

  /** Returns the entry at a position; undefined if it was dropped or does not exist yet. */
  get(position: number): Recorded | undefined {
    return this.#entries[position - this.#base]
  }

  /** Returns the position of the oldest kept entry with number `seq` or higher; `end` if there is none. */
  positionOf(seq: number): number {
    let [low, high] = [this.#head, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#entries[middle]?.seq ?? 0) < seq) low = middle + 1
      else high = middle
    }
    return this.#base + low
  }

  /** Adds an entry whose number is higher than that of all others. */
  push(entry: Recorded): void {
    this.#entries.push(entry)
    this.#bytes += entry.bytes
    while (
      this.#entries.length - this.#head > this.#limits.entries ||
      (this.#bytes > this.#limits.bytes && this.#entries.length - this.#head > 1)
    ) {
      this.#dropOldest()
    }
    if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
      this.#base += this.#head
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
  }

  /** Counts entries up to number `seq` as dropped that this queue never had. */
  miss(count: number, seq: number): void {
    this.#dropped += count
    this.#newestDropped = Math.max(this.#newestDropped, seq)
  }

  /** Removes all entries and returns their number. They do not count as dropped. */
  clear(): number {
    const count = this.end - this.start
    this.#base = this.end
    this.#entries = []
    this.#head = 0
    this.#bytes = 0
    return count
  }

  #dropOldest(): void {
    const oldest = this.#entries[this.#head]
    this.#entries[this.#head] = undefined
    this.#head++
    if (oldest === undefined) return
    this.#bytes -= oldest.bytes
    this.miss(1, oldest.seq)
  }
}
