/**
 * The event log of a session and the state folded from it, with a way to wait for a state.
 *
 * `emit` is synchronous: the state is right before the next message of the debugger is even decoded. Waiting is on
 * events only; nothing here knows of time-outs.
 */
import { Snapshot, type Event } from "@sigtrap/protocol"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Journal, type Limits } from "./Journal.ts"

interface Waiter {
  readonly test: (snapshot: Snapshot.Snapshot) => boolean
  readonly wake: (snapshot: Snapshot.Snapshot) => void
}

/** Called after every event, with the state before and after it. */
export type Observer = (event: Event.Event, after: Snapshot.Snapshot, before: Snapshot.Snapshot) => void

/** The log of one session. */
export class EventLog {
  readonly journal: Journal
  readonly #clock: Clock.Clock
  readonly #observe: Observer
  readonly #waiters = new Set<Waiter>()
  readonly #readers = new Set<() => void>()
  #snapshot: Snapshot.Snapshot

  /** `before` is the log of the same program's earlier run: its numbers of events and stops go on. */
  constructor(clock: Clock.Clock, observe: Observer, before?: EventLog, limits?: Limits) {
    this.journal = before?.journal ?? new Journal(limits)
    this.#clock = clock
    this.#observe = observe
    this.#snapshot =
      before === undefined
        ? Snapshot.initial
        : { ...Snapshot.initial, stop: before.snapshot.stop, resumes: before.snapshot.resumes }
  }

  /** The state as of the newest event. */
  get snapshot(): Snapshot.Snapshot {
    return this.#snapshot
  }

  /** Records an event and folds it into the state. */
  readonly emit = (event: Event.Event): void => {
    const before = this.#snapshot
    const after = Snapshot.fold(before, event)
    this.#snapshot = after
    this.journal.append(event, this.#clock.currentTimeMillisUnsafe(), after.stop)
    this.#observe(event, after, before)
    const readers = [...this.#readers]
    this.#readers.clear()
    if (after !== before) this.#wake(after)
    for (const wake of readers) wake()
  }

  #wake(after: Snapshot.Snapshot): void {
    // Whoever is woken goes on at once and may emit; all that wait for this state are chosen before.
    const woken = [...this.#waiters].filter((waiter) => waiter.test(after))
    for (const waiter of woken) this.#waiters.delete(waiter)
    for (const waiter of woken) waiter.wake(after)
  }

  /** Completes with the first state that satisfies `test`, this one included. */
  until(test: (snapshot: Snapshot.Snapshot) => boolean): Effect.Effect<Snapshot.Snapshot> {
    return Effect.callback((resume) => {
      if (test(this.#snapshot)) {
        resume(Effect.succeed(this.#snapshot))
        return Effect.void
      }
      const waiter: Waiter = { test, wake: (snapshot) => resume(Effect.succeed(snapshot)) }
      this.#waiters.add(waiter)
      return Effect.sync(() => this.#waiters.delete(waiter))
    })
  }

  /** Completes when there is an event numbered `seq` or later. */
  reaches(seq: number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (this.journal.next > seq) {
        resume(Effect.void)
        return Effect.void
      }
      const wake = () => resume(Effect.void)
      this.#readers.add(wake)
      return Effect.sync(() => this.#readers.delete(wake))
    })
  }
}
