/**
 * What each actor has seen of a session, and what it has selected, so that what one reads changes nothing for another.
 */
import { Caller, MonotonicTime, type OutputPage } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ChangedValues, memberLimits } from "../values/ChangedValues.ts"
import type { Journal } from "../events/Journal.ts"

/** The thread and frame that an actor selected; without a thread, the one that stopped. */
export interface SelectedFrame {
  readonly thread?: number
  readonly frame: number
}

/** Lines of a file that were shown. `from` is the line at which the listing began. */
export interface Listing {
  readonly file: string
  readonly last: number
  readonly from: number | undefined
}

/** A value that belongs to one stop. */
interface AtStop<A> {
  readonly stop: number
  readonly value: A
}

const at = <A>(kept: AtStop<A> | undefined, stop: number): A | undefined =>
  kept?.stop === stop ? kept.value : undefined

/** What one actor has seen and selected. Selections and listings end with their stop. */
export class Viewpoint {
  readonly actor: Caller.Actor
  /** The values that the actor was shown, by stop. */
  readonly changes = new ChangedValues()
  /** The members of values that the actor was shown, by stop. */
  readonly memberChanges = new ChangedValues(memberLimits)
  readonly #journal: Journal
  readonly #stale: Set<string>
  readonly #refused: Set<string>
  #bytes: number
  /** The end of the output that the actor has read with `output`. */
  outputRead: OutputPage.Cursor
  #selected: AtStop<SelectedFrame> | undefined
  #listing: AtStop<Listing> | undefined
  /** When the actor called first, in milliseconds since 1970. */
  readonly since: number
  /** When the actor called last, as `MonotonicTime`. */
  lastCall = -Infinity
  /** True once the actor has done more than read. */
  hasActed = false

  /**
   * `before` is the viewpoint of the actor in the program's earlier run; `skipped` is the number of output bytes that are not new
   * for a new actor.
   */
  constructor(
    actor: Caller.Actor,
    journal: Journal,
    time: number,
    { before, skipped }: { readonly before?: Viewpoint | undefined; readonly skipped: number }
  ) {
    this.actor = actor
    this.#journal = journal
    this.#stale = new Set(before === undefined ? [] : before.#stale)
    this.#refused = new Set(before === undefined ? [] : before.#refused)
    this.#bytes = before === undefined ? skipped : before.#bytes
    this.outputRead = before === undefined ? { seq: 0, offset: 0 } : before.outputRead
    this.since = before === undefined ? time : before.since
  }

  /** Returns the number of output bytes since the previous call. */
  takeOutputBytes(): number {
    const bytes = this.#journal.outputBytes - this.#bytes
    this.#bytes = this.#journal.outputBytes
    return bytes
  }

  /** Records the end of output that the actor has read. What it read before stays read. */
  readOutput(end: OutputPage.Cursor): void {
    const { offset, seq } = this.outputRead
    if (end.seq > seq || (end.seq === seq && end.offset > offset)) this.outputRead = end
  }

  /** True if no report has shown the actor yet that this source file is newer than the program. */
  isUnreportedStale(file: string): boolean {
    return !this.#stale.has(file)
  }

  /** Records that a source file was reported as newer than the program. */
  reportStale(file: string): void {
    this.#stale.add(file)
  }

  /** Records that the text of a source file was not shown. Returns true if that was not recorded before. */
  reportRefused(file: string): boolean {
    const isFirst = !this.#refused.has(file)
    this.#refused.add(file)
    return isFirst
  }

  /** Returns the thread and frame that the actor selected at a stop. */
  selected(stop: number): SelectedFrame {
    return at(this.#selected, stop) ?? { frame: 0 }
  }

  /** Selects a frame for later requests of the actor at a stop. */
  select(stop: number, thread: number, frame: number): void {
    this.#selected = { stop, value: { thread, frame } }
  }

  /** Returns the lines that `source` showed the actor last at a stop. */
  listing(stop: number): Listing | undefined {
    return at(this.#listing, stop)
  }

  /** Records the lines that `source` showed. */
  recordListing(stop: number, listing: Listing): void {
    this.#listing = { stop, value: listing }
  }
}

/** Most actors that are remembered in a session; the one that called longest ago is forgotten. */
const mostActors = 64

/** The viewpoints of all actors of one session. */
export class Viewpoints {
  readonly #journal: Journal
  readonly #before: Viewpoints | undefined
  /** By actor, the one that called last at the end. */
  readonly #known = new Map<string, Viewpoint>()
  /** Output that a new actor is not told of, because it comes from an earlier daemon. */
  #skipped = 0

  /** `before` belongs to the program's earlier run. Both runs have the same journal. */
  constructor(journal: Journal, before?: Viewpoints) {
    this.#journal = journal
    this.#before = before
    this.#skipped = before === undefined ? 0 : before.#skipped
  }

  /** All viewpoints, the one that called last at the end. */
  get all(): ReadonlyArray<Viewpoint> {
    return [...this.#known.values()]
  }

  /** Makes the output so far old for every new actor. */
  skipOutput(): void {
    this.#skipped = this.#journal.outputBytes
  }

  /** Returns the viewpoint of the caller. A new actor has seen no values, whatever others were shown. */
  readonly current: Effect.Effect<Viewpoint> = Effect.map(
    Effect.all([Caller.Current, MonotonicTime.now, Clock.currentTimeMillis]),
    ([{ actor }, now, time]) => this.#of(actor, now, time)
  )

  #of(actor: Caller.Actor, now: number, time: number): Viewpoint {
    const id = Caller.id(actor)
    const known = this.#known.get(id) ?? this.#added(id, actor, time)
    this.#known.delete(id)
    this.#known.set(id, known)
    known.lastCall = now
    const oldest = this.#known.size > mostActors ? this.#known.keys().next().value : undefined
    if (oldest !== undefined) this.#known.delete(oldest)
    return known
  }

  #added(id: string, actor: Caller.Actor, time: number): Viewpoint {
    const before = this.#before?.all.find((one) => Caller.id(one.actor) === id)
    return new Viewpoint(actor, this.#journal, time, { before, skipped: this.#skipped })
  }
}
