/**
 * The events of a session, numbered and in order, within fixed memory limits.
 *
 * Synchronous, because it is written by the debugger's decoder loop, which must not wait. The oldest entries are dropped
 * first. A reader gets the number of dropped entries.
 */
import { type Caller, type Event, Settings } from "@sigtrap/protocol"

/** Limits of one journal. `bytes` is the size of output text in UTF-8. */
export interface Limits {
  readonly events: number
  readonly bytes: number
}

/** 10,000 events, 10 MiB of output. */
export const limits: Limits = { events: 10_000, bytes: 10 * 1024 * 1024 }

/** Returns the configured limits, or the defaults. */
export const limitsOf = (settings: Settings.Values | undefined): Limits => ({
  events: Number(Settings.text(settings, "output.max_events") ?? limits.events),
  bytes: Settings.bytes(Settings.text(settings, "output.max_bytes") ?? "") ?? limits.bytes
})

/** An entry with the number of the stop before it and, for output, its size in bytes. */
export interface Recorded extends Event.Entry {
  readonly stop: number
  readonly bytes: number
}

/** A page of entries, and the number of requested entries that were dropped. */
export interface Reading {
  readonly entries: ReadonlyArray<Recorded>
  readonly dropped: number
  /** Number of the next entry. */
  readonly next: number
}

const encoder = new TextEncoder()
/** Buffer for measuring text, reused so that a flood of output allocates nothing. */
const scratch = new Uint8Array(256 * 1024)

/** Returns the size of a text in UTF-8, in bytes. */
const size = (text: string): number => {
  let bytes = 0
  for (let from = 0; from < text.length;) {
    const { read, written } = encoder.encodeInto(from === 0 ? text : text.slice(from), scratch)
    from += read
    bytes += written
  }
  return bytes
}

/** The log of one session. Numbers start at 1. */
export class Journal {
  readonly #limits: Limits
  /** Dropped entries become holes, which are removed in bulk, so that dropping one takes constant time. */
  #entries: Array<Recorded | undefined> = []
  #head = 0
  #bytes = 0
  #written = 0
  #next = 1

  constructor(bounds: Limits = limits) {
    this.#limits = bounds
  }

  /** Number of the next event. */
  get next(): number {
    return this.#next
  }

  /** Number of the oldest event that is kept; `next` if there is none. */
  get oldest(): number {
    return this.#next - (this.#entries.length - this.#head)
  }

  /** Returns the entry with a number; undefined if it was dropped or does not exist yet. */
  at(seq: number): Recorded | undefined {
    const index = this.#head + seq - this.oldest
    return index < this.#head ? undefined : this.#entries[index]
  }

  /** The same as `at`. The entries of a masked journal differ. */
  unmasked(seq: number): Recorded | undefined {
    return this.at(seq)
  }

  /** Total size of program output, dropped entries included, in bytes. */
  get outputBytes(): number {
    return this.#written
  }

  /** Records one event. */
  append(event: Event.Event, time: number, stop: number, actor?: Caller.Identity): Recorded {
    const bytes = event._tag === "Output" ? size(event.text) : 0
    const entry = { seq: this.#next++, time, event, stop, bytes, ...(actor === undefined ? {} : { actor }) }
    this.#entries.push(entry)
    this.#bytes += bytes
    if (event._tag === "Output" && event.channel !== "console") this.#written += bytes
    this.#evict()
    return entry
  }

  /**
   * Adds events of an earlier daemon, in order, and continues at `next` or after the newest of them. Returns the number of
   * events after them that are missing. The journal must be empty.
   */
  restore(events: ReadonlyArray<Event.Entry & { readonly stop: number }>, next: number): number {
    const after = (events.at(-1)?.seq ?? 0) + 1
    const missing = Math.max(0, next - after)
    this.#next = events[0]?.seq ?? next
    for (const event of events) {
      this.#skip(event.seq)
      const bytes = event.event._tag === "Output" ? size(event.event.text) : 0
      this.#entries.push({ ...event, bytes })
      this.#bytes += bytes
      if (event.event._tag === "Output" && event.event.channel !== "console") this.#written += bytes
      this.#next = event.seq + 1
    }
    this.#skip(next)
    this.#evict()
    return missing
  }

  /** Makes `seq` the number of the next event. Numbers without an entry are holes. */
  #skip(seq: number) {
    if (seq - this.#next > this.#limits.events) {
      this.#entries = []
      this.#head = 0
      this.#bytes = 0
    } else for (let at = this.#next; at < seq; at++) this.#entries.push(undefined)
    this.#next = Math.max(this.#next, seq)
  }

  /** Returns the entries from `seq` on. */
  since(seq: number): Reading {
    const { oldest } = this
    const from = Math.max(seq, 1)
    return {
      entries: this.#entries.slice(this.#head + Math.max(0, from - oldest)).filter((entry) => entry !== undefined),
      dropped: Math.max(0, oldest - from),
      next: this.#next
    }
  }

  /** Drops all output and returns the number of dropped entries. Other entries keep their numbers. */
  clearOutput(): number {
    let cleared = 0
    this.#entries.forEach((entry, index) => {
      if (entry?.event._tag !== "Output") return
      this.#bytes -= entry.bytes
      this.#entries[index] = undefined
      cleared++
    })
    return cleared
  }

  #evict() {
    while (
      this.#entries.length - this.#head > this.#limits.events ||
      (this.#bytes > this.#limits.bytes && this.#entries.length - this.#head > 1)
    ) {
      this.#bytes -= this.#entries[this.#head]?.bytes ?? 0
      this.#entries[this.#head] = undefined
      this.#head++
    }
    if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
  }
}
