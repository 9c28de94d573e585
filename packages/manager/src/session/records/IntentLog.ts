/**
 * Records the intent of one session while it changes: the request, the breakpoints after each edit, and the stops.
 *
 * A new session is recorded as a whole just before its program runs, so that a record is never half of a start. Later
 * changes are compared with what is recorded, and only the difference is written. `restarts` continue the record.
 */
import type * as Intent from "../../ports/Intent.ts"
import * as IntentStore from "../../ports/IntentStore.ts"

/** The parts of a session that are recorded. */
export interface Subject {
  /** The listed breakpoints, in the order in which they were set. An item may change after its turn. */
  readonly breakpoints: () => Iterable<Intent.RecordedBreakpoint>
  /** The highest breakpoint number so far. */
  readonly last: () => number
  /** The expressions that are shown at each stop. */
  readonly displays: () => Intent.Displayed
  /** The number of the newest stop. */
  readonly stop: () => number
  /** The number of the next event. */
  readonly next: () => number
}

/** The record of one session. */
export class IntentLog {
  #record: IntentStore.Record
  #recorded: Map<number, Intent.RecordedBreakpoint>
  #subject: Subject | undefined
  #ended: string | undefined
  #isUnusable = false
  #last = 0
  #displays: Intent.Displayed | undefined
  #stop = 0
  #next = 0
  /** Breakpoints that stay recorded although the session does not have them. */
  #held: ReadonlySet<number> = new Set()

  private constructor(record: IntentStore.Record, recorded: Iterable<Intent.RecordedBreakpoint>) {
    this.#record = record
    this.#recorded = new Map([...recorded].map((one) => [one.model.id, one]))
  }

  /** Returns the log of a session that is not recorded yet. */
  static empty(): IntentLog {
    return new IntentLog(IntentStore.none, [])
  }

  /** Returns the log of a lost session. */
  static opened(record: IntentStore.Record, intent: Intent.Intent): IntentLog {
    const log = new IntentLog(record, intent.breakpoints.values())
    log.#ended = intent.ended
    log.#last = intent.last
    log.#displays = intent.displays
    return log
  }

  /** Returns the log of a session whose record cannot be used. */
  static unusable(record: IntentStore.Record): IntentLog {
    const log = new IntentLog(record, [])
    log.#isUnusable = true
    return log
  }

  /** True if the session has a record of an earlier daemon that cannot be used. */
  get isUnusable(): boolean {
    return this.#isUnusable
  }

  /** True if the session is recorded. */
  get isRecorded(): boolean {
    return this.#record !== IntentStore.none && !this.#isUnusable
  }

  /** How the program ended, if it did. */
  get endedBy(): string | undefined {
    return this.#ended
  }

  /** The stored record. */
  get record(): IntentStore.Record {
    return this.#record
  }

  /** Assigns the log to a session. A restart assigns it to the new one. */
  assign(subject: Subject): void {
    this.#subject = subject
  }

  /** Records the session as it is now. Creates the record at the first start. */
  request(request: Intent.Request, create: (intent: Intent.Intent) => IntentStore.Record): void {
    const subject = this.#subject
    if (subject === undefined) return
    this.#ended = undefined
    if (this.isRecorded) {
      this.#record.append({ _tag: "Requested", request })
      return this.edited()
    }
    const breakpoints = new Map([...subject.breakpoints()].map((one) => [one.model.id, copyOf(one)]))
    this.#recorded = breakpoints
    this.#last = subject.last()
    const displays = subject.displays()
    this.#displays = displays
    const shown = displays.last === 0 ? {} : { displays }
    this.#record = create({
      request,
      breakpoints,
      last: this.#last,
      ...shown,
      stop: subject.stop(),
      next: subject.next()
    })
  }

  /** Records the breakpoints and displays that differ from what is recorded. */
  edited(): void {
    const subject = this.#subject
    if (subject === undefined || !this.isRecorded) return
    const displays = subject.displays()
    // The list is replaced when it changes. Without a number that was ever used there is nothing to record.
    if (displays !== this.#displays && displays.last > 0) {
      this.#displays = displays
      this.#record.append({ _tag: "Displayed", ...displays })
    }
    // A model is replaced when it changes, so comparing references finds every change.
    const set: Array<Intent.RecordedBreakpoint> = []
    let known = 0
    for (const one of subject.breakpoints()) {
      const before = this.#recorded.get(one.model.id)
      if (before !== undefined) known += 1
      if (before?.model !== one.model) set.push(copyOf(one))
    }
    const removed = known === this.#recorded.size ? [] : this.#removed(subject)
    const last = subject.last()
    if (set.length === 0 && removed.length === 0 && last === this.#last) return
    for (const one of set) this.#recorded.set(one.model.id, one)
    for (const id of removed) this.#recorded.delete(id)
    this.#last = last
    this.#record.append({ _tag: "Breakpoints", set, removed, last })
  }

  /** Returns the recorded breakpoints that the session does not have any more. */
  #removed(subject: Subject): ReadonlyArray<number> {
    const now = new Set([...subject.breakpoints()].map(({ model }) => model.id))
    return [...this.#recorded.keys()].filter((id) => !now.has(id) && !this.#held.has(id))
  }

  /** Records the number of the newest stop, the number of the next event, and hit counts. Called before each answer. */
  counted(): void {
    const subject = this.#subject
    if (subject === undefined || !this.isRecorded) return
    const stop = subject.stop()
    const next = subject.next()
    const hits: Array<readonly [number, number]> = []
    let isOnlyCounts = true
    for (const one of subject.breakpoints()) {
      const { model } = one
      const before = this.#recorded.get(model.id)?.model
      if (before === model) continue
      if (before === undefined || !isEqualBesideHits(before, model)) {
        isOnlyCounts = false
        continue
      }
      this.#recorded.set(model.id, copyOf(one))
      if (before.hit_count !== model.hit_count) hits.push([model.id, model.hit_count])
    }
    if (hits.length > 0 || stop !== this.#stop || next !== this.#next) {
      this.#stop = stop
      this.#next = next
      this.#record.append({ _tag: "Stopped", stop, next, hits })
    }
    if (!isOnlyCounts) this.edited()
  }

  /** Renames the record, and records the name that the session had. */
  rename(from: string, next: string): void {
    if (this.isRecorded) this.#record.append({ _tag: "Renamed", from })
    this.#record.rename(next)
  }

  /** Records that the program ended. */
  ended(how: string): void {
    this.counted()
    this.#ended = how
    if (this.isRecorded) this.#record.append({ _tag: "Ended", how })
  }

  /** Keeps breakpoints recorded although the session does not have them; none to keep no more. */
  hold(ids: ReadonlyArray<number>): void {
    this.#held = new Set(ids)
    if (ids.length === 0) this.edited()
  }

  /** Writes no more, and leaves the record as it is. */
  keep(): void {
    this.counted()
    this.#record = IntentStore.none
  }

  /** Removes the record and the stored events. */
  remove(): void {
    this.#record.remove()
    this.#record = IntentStore.none
  }
}

const copyOf = ({ model, place }: Intent.RecordedBreakpoint): Intent.RecordedBreakpoint => ({ model, place })

const isEqualBesideHits = (
  { hit_count: _, ...a }: Intent.RecordedBreakpoint["model"],
  { hit_count: __, ...b }: Intent.RecordedBreakpoint["model"]
) => JSON.stringify(a) === JSON.stringify(b)
