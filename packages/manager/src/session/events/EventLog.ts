/**
 * The event log of a session, the snapshot folded from it, and waiting for a snapshot.
 *
 * `emit` is synchronous: the snapshot is up to date before the debugger's next message is decoded. Waiting depends on
 * events only and has no timeout.
 */
import { Caller, MonotonicTime, Snapshot, type Event } from "@sigtrap/protocol"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as WaitingTime from "../WaitingTime.ts"
import { Journal, type Limits } from "./Journal.ts"

interface Waiter {
  readonly test: (snapshot: Snapshot.Snapshot) => boolean
  readonly wake: (snapshot: Snapshot.Snapshot) => void
}

/** Called after every event, with the snapshots before and after it. */
export type Observer = (event: Event.Event, after: Snapshot.Snapshot, before: Snapshot.Snapshot) => void

/** Called before an event is written, with the snapshots before and after it. Returns the event to write. */
export type Prepare = (event: Event.Event, after: Snapshot.Snapshot, before: Snapshot.Snapshot) => Event.Event

/** Maximum length of the output of one event, in UTF-16 code units. */
const maxOutput = 65_536

/** The events that end a session. */
const ends: ReadonlySet<Event.Event["_tag"]> = new Set(["Exited", "Terminated", "Detached", "Lost"])

/** Cuts a text. Surrogate pairs are not split. */
function* parts(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = from + maxOutput
    const unit = end < text.length ? text.charCodeAt(end - 1) : 0
    const to = unit >= 0xd800 && unit < 0xdc00 ? end - 1 : end
    yield text.slice(from, to)
    from = to
  }
}

/** Who resumed the program, at which stop, and when, as `MonotonicTime`. */
export interface Resumed {
  readonly actor: Caller.Identity
  readonly command: string
  readonly stop: number
  readonly time: number
}

/** The log of an earlier run. */
export type Past = Pick<EventLog, "journal" | "latest" | "snapshot">

/** The log of one session. */
export class EventLog {
  readonly journal: Journal
  readonly #clock: Clock.Clock
  readonly #observe: Observer
  readonly #prepare: Prepare
  readonly #waiters = new Set<Waiter>()
  readonly #readers = new Set<() => void>()
  #snapshot: Snapshot.Snapshot
  /** The timestamp of the newest event. */
  #latest: number
  #resumed: Resumed | undefined
  #ending: Caller.Identity | undefined

  /** `before` is the log of the program's earlier run. Event and stop numbers continue from it. */
  constructor(
    clock: Clock.Clock,
    observe: Observer,
    before?: Past,
    limits?: Limits,
    prepare: Prepare = (event) => event
  ) {
    this.journal = before?.journal ?? new Journal(limits)
    this.#clock = clock
    this.#observe = observe
    this.#prepare = prepare
    this.#latest = before === undefined ? 0 : before.latest
    this.#snapshot =
      before === undefined
        ? Snapshot.initial
        : {
            ...Snapshot.initial,
            stop: before.snapshot.stop,
            resumes: before.snapshot.resumes,
            ...(before.snapshot.lease === undefined ? {} : { lease: before.snapshot.lease })
          }
  }

  /** The timestamp of the newest event, in milliseconds since 1970; 0 before the first. */
  get latest(): number {
    return this.#latest
  }

  /** The newest resume that a client caused. */
  get resumed(): Resumed | undefined {
    return this.#resumed
  }

  /** Records that a client ends the session. The end carries that client, whether the debugger or the manager reports it first. */
  endBy(actor: Caller.Actor): void {
    this.#ending = Caller.identity(actor)
  }

  /** The snapshot after the newest event. */
  get snapshot(): Snapshot.Snapshot {
    return this.#snapshot
  }

  /** Records an event, which `actor` caused, and folds it into the snapshot. Long output becomes several events. */
  readonly emit = (event: Event.Event, actor?: Caller.Actor): void => {
    if (event._tag === "Output" && event.text.length > maxOutput) {
      for (const text of parts(event.text)) this.#record({ ...event, text })
    } else this.#record(event, actor === undefined ? undefined : Caller.identity(actor))
  }

  #record(event: Event.Event, client?: Caller.Identity): void {
    const before = this.#snapshot
    const after = Snapshot.fold(before, event)
    const actor = client ?? (after !== before && ends.has(event._tag) ? this.#ending : undefined)
    this.#snapshot = after
    this.journal.append(this.#prepare(event, after, before), this.#timestamp(), after.stop, actor)
    if (event._tag === "Resumed" && actor !== undefined) {
      this.#resumed = { actor, command: event.command, stop: before.stop, time: MonotonicTime.read(this.#clock) }
    }
    this.#observe(event, after, before)
    const readers = [...this.#readers]
    this.#readers.clear()
    if (after !== before) this.#wake(after)
    for (const wake of readers) wake()
  }

  /** Returns milliseconds since 1970; if the clock steps back, those of the event before, so that the order is kept. */
  #timestamp(): number {
    this.#latest = Math.max(this.#latest, this.#clock.currentTimeMillisUnsafe())
    return this.#latest
  }

  #wake(after: Snapshot.Snapshot): void {
    // A woken fiber runs at once and may emit. So all waiters are selected first.
    const woken = [...this.#waiters].filter((waiter) => waiter.test(after))
    for (const waiter of woken) this.#waiters.delete(waiter)
    for (const waiter of woken) waiter.wake(after)
  }

  /** Completes with the first snapshot that satisfies `test`, including the current one. */
  until(test: (snapshot: Snapshot.Snapshot) => boolean): Effect.Effect<Snapshot.Snapshot> {
    const reached = Effect.callback<Snapshot.Snapshot>((resume) => {
      if (test(this.#snapshot)) {
        resume(Effect.succeed(this.#snapshot))
        return Effect.void
      }
      const waiter: Waiter = { test, wake: (snapshot) => resume(Effect.succeed(snapshot)) }
      this.#waiters.add(waiter)
      return Effect.sync(() => this.#waiters.delete(waiter))
    })
    return WaitingTime.during(reached)
  }

  /** Calls `wake` once, after the next event. Returns a function that ends that. */
  onEvent(wake: () => void): () => void {
    this.#readers.add(wake)
    return () => void this.#readers.delete(wake)
  }

  /** Completes when the log has an event with number `seq` or higher. */
  reaches(seq: number): Effect.Effect<void> {
    const reached = Effect.callback<void>((resume) => {
      if (this.journal.next > seq) {
        resume(Effect.void)
        return Effect.void
      }
      const wake = () => resume(Effect.void)
      this.#readers.add(wake)
      return Effect.sync(() => this.#readers.delete(wake))
    })
    return WaitingTime.during(reached)
  }
}
