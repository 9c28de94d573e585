/**
 * The events of a session, numbered and in order, within fixed memory limits.
 *
 * Synchronous, because it is written by the debugger's decoder loop, which must not wait. The oldest entries are dropped
 * first. A reader gets the number of dropped entries. Output and other events have limits of their own, so that what
 * clients do drops no output, and output drops no event.
 */
import { type Caller, type Event, Settings } from "@sigtrap/protocol"
import { EntryQueue, type Recorded } from "./EntryQueue.ts"

export type { Recorded } from "./EntryQueue.ts"

/**
 * Limits of one journal. `events` is the number of pieces of output, and the number of other events; `bytes` is the size of output
 * text in UTF-8.
 */
export interface Limits {
  readonly events: number
  readonly bytes: number
}

/** 10,000 pieces of output with 10 MiB, 10,000 other events. */
export const limits: Limits = { events: 10_000, bytes: 10 * 1024 * 1024 }

/** Returns the configured limits, or the defaults. */
export const limitsOf = (settings: Settings.Values | undefined): Limits => ({
  events: Number(Settings.text(settings, "output.max_events") ?? limits.events),
  bytes: Settings.bytes(Settings.text(settings, "output.max_bytes") ?? "") ?? limits.bytes
})

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
  /** The pieces of output. */
  readonly output: EntryQueue
  /** All other events. */
  readonly #events: EntryQueue
  #written = 0
  #next = 1
  /** True if events are missing that an earlier daemon had, so that it is not known what the program wrote with them. */
  #isRestoredInPart = false

  constructor(bounds: Limits = limits) {
    this.output = new EntryQueue({ entries: bounds.events, bytes: bounds.bytes })
    this.#events = new EntryQueue({ entries: bounds.events, bytes: Infinity })
  }

  /** Number of the next event. */
  get next(): number {
    return this.#next
  }

  /** Number of the oldest event that is kept; `next` if there is none. */
  get oldest(): number {
    return this.#after(0)?.seq ?? this.#next
  }

  /** True if events other than output were dropped. */
  get isCut(): boolean {
    return this.#events.dropped > 0
  }

  /** Returns the entry with a number; undefined if it was dropped or does not exist yet. */
  at(seq: number): Recorded | undefined {
    const found = this.#after(seq)
    return found?.seq === seq ? found : undefined
  }

  /** Total size of program output, dropped entries included, in bytes. */
  get outputBytes(): number {
    return this.#written
  }

  /** Returns how much the program wrote before the oldest kept output with number `seq` or higher, in bytes. */
  writtenBefore(seq: number): number {
    return this.output.get(this.output.positionOf(seq))?.written ?? this.#written
  }

  /** What the program wrote before the first entry, in bytes; undefined if the first entries are those of an earlier daemon and are missing. */
  get writtenAtFirst(): 0 | undefined {
    return this.#isRestoredInPart ? undefined : 0
  }

  /** Records one event. */
  append(event: Event.Event, time: number, stop: number, actor?: Caller.Identity): Recorded {
    return this.#add({ seq: this.#next, time, event, stop, ...(actor === undefined ? {} : { actor }) })
  }

  /**
   * Adds events of an earlier daemon, in order, and continues at `next` or after the newest of them. Returns the number of
   * events after them that are missing. The journal must be empty.
   */
  restore(events: ReadonlyArray<Event.Entry & { readonly stop: number }>, next: number): number {
    const first = events[0]?.seq ?? next
    // The earlier daemon knew what they were.
    for (const queue of [this.output, this.#events]) if (first > 1) queue.miss(first - 1, first - 1)
    this.#isRestoredInPart = first > 1
    for (const event of events) this.#add(event)
    const missing = Math.max(0, next - this.#next)
    this.#next = Math.max(this.#next, next)
    return missing
  }

  #add(entry: Event.Entry & { readonly stop: number }): Recorded {
    const { event } = entry
    const bytes = event._tag === "Output" ? size(event.text) : 0
    const recorded = { ...entry, bytes, written: this.#written }
    if (event._tag === "Output") {
      this.output.push(recorded)
      if (event.channel !== "console") this.#written += event.written ?? bytes
    } else this.#events.push(recorded)
    this.#next = entry.seq + 1
    return recorded
  }

  /** Iterates over the entries from `seq` on. What is recorded meanwhile is included. */
  *from(seq: number): Generator<Recorded> {
    for (let next = seq; ;) {
      const entry = this.#after(next)
      if (entry === undefined) return
      yield entry
      next = entry.seq + 1
    }
  }

  /** Iterates over the entries before `seq`, the newest first. */
  *before(seq: number): Generator<Recorded> {
    let [output, event] = [this.output.positionOf(seq), this.#events.positionOf(seq)]
    for (;;) {
      const [one, other] = [this.output.get(output - 1), this.#events.get(event - 1)]
      const newest = one === undefined || (other !== undefined && other.seq > one.seq) ? other : one
      if (newest === undefined) return
      if (newest === one) output--
      else event--
      yield newest
    }
  }

  /** Returns the entries from `seq` on. */
  since(seq: number): Reading {
    return { entries: [...this.from(seq)], dropped: this.droppedSince(seq), next: this.#next }
  }

  /** Returns how many entries from `seq` on were dropped. */
  droppedSince(seq: number): number {
    return this.droppedFor(seq, true).count
  }

  /**
   * Returns how many entries from `seq` on were dropped, with or without output, and the number of the newest of them. Without
   * output, they are at most that many if output was dropped, too.
   */
  droppedFor(seq: number, withOutput: boolean): { readonly count: number; readonly newest: number } {
    const queues = withOutput ? [this.output, this.#events] : [this.#events]
    const newest = Math.max(...queues.map(({ newestDropped }) => newestDropped))
    const dropped = queues.reduce((sum, queue) => sum + queue.dropped, 0)
    return { count: Math.min(dropped, this.#missing(seq, newest)), newest }
  }

  /** Returns how many pieces of output from `seq` on were dropped: at most that many if other events were dropped, too. */
  outputDroppedSince(seq: number): number {
    return Math.min(this.output.dropped, this.#missing(seq, this.output.newestDropped))
  }

  /** Drops all output and returns the number of dropped entries. Other entries keep their numbers. */
  clearOutput(): number {
    return this.output.clear()
  }

  /** Returns how many numbers from `first` to `last` have no entry. */
  #missing(first: number, last: number): number {
    const from = Math.max(first, 1)
    if (last < from) return 0
    const kept = [this.output, this.#events].reduce(
      (sum, queue) => sum + queue.positionOf(last + 1) - queue.positionOf(from),
      0
    )
    return last + 1 - from - kept
  }

  /** Returns the oldest entry with number `seq` or higher. */
  #after(seq: number): Recorded | undefined {
    const output = this.output.get(this.output.positionOf(seq))
    const event = this.#events.get(this.#events.positionOf(seq))
    return output === undefined || (event !== undefined && event.seq < output.seq) ? event : output
  }
}
