/**
 * Stores the events of a session, with its output, in the background: at most one second after they occur, in pieces of
 * limited size, so that a flood of output delays no other session.
 *
 * A killed daemon loses the events of its last second. The intent record has the number of the next event, so a later
 * daemon knows how many are missing. Fibers: `run`, in the scope of the session.
 */
import * as Effect from "effect/Effect"
import type { Record, StoredEvent } from "../../ports/IntentStore.ts"
import type { EventLog } from "../events/EventLog.ts"
import type { Journal } from "../events/Journal.ts"

/** Time between an event and its storage, in milliseconds. */
const delay = 1000

/**
 * Limits of one piece, which is stored in one turn of the event loop. `bytes` is the size of output text in UTF-8; the last event may
 * be longer. 256 KiB took up to 8 ms.
 */
const piece = { events: 500, bytes: 64 * 1024 }

/** The stored events of one session. */
export class EventSpool {
  readonly #journal: Journal
  readonly #record: () => Record
  /** Number of the next event to store. */
  #next: number

  constructor(journal: Journal, record: () => Record, next = 1) {
    this.#journal = journal
    this.#record = record
    this.#next = next
  }

  /** Number of the next event to store. */
  get next(): number {
    return this.#next
  }

  /** Stores one piece. Returns true if more events remain that can be stored. After a failure the piece remains. */
  #store(): boolean {
    const events: Array<StoredEvent> = []
    let size = 0
    let rest: number | undefined
    for (const { bytes, ...event } of this.#journal.from(this.#next)) {
      if (events.length >= piece.events || size >= piece.bytes) {
        rest = event.seq
        break
      }
      size += bytes
      events.push(event)
    }
    const { next } = this.#journal
    if (events.length > 0 && !this.#record().appendEvents(events)) return false
    this.#next = rest ?? next
    return rest !== undefined
  }

  /** Stores all events that remain, or as many as can be stored. */
  readonly finish: Effect.Effect<void> = Effect.suspend(() =>
    this.#store() ? Effect.andThen(Effect.yieldNow, this.finish) : Effect.void
  )

  /** Drops what is stored, and stores again what the journal still has. */
  readonly clear: Effect.Effect<void> = Effect.suspend(() => {
    this.#record().clearEvents()
    this.#next = 1
    return this.finish
  })

  /** Stores events until the session ends. `before` runs each time. */
  run(log: EventLog, before: () => void): Effect.Effect<void> {
    return Effect.suspend(() => log.reaches(this.#next)).pipe(
      Effect.andThen(Effect.sleep(delay)),
      Effect.andThen(Effect.sync(before)),
      Effect.andThen(this.finish),
      Effect.forever
    )
  }
}
