/**
 * The newest stops of a session: first as their events say them, then with their places and what changed.
 */
import { computed, signal } from "@preact/signals"
import type { PastStop } from "../../connection/Answers.ts"
import type { Calls } from "../../connection/Calls.ts"
import { notedStops } from "./StopsFromEvents.ts"
import type { Session } from "../Session.ts"

/** Most stops that are kept. */
const mostStops = 200

const none: ReadonlyArray<PastStop> = []

/** The stops of a session, in order. */
export class StopList {
  /** The stops, and the identity of the session when they were. */
  readonly #known = signal<{ readonly id: string; readonly stops: ReadonlyArray<PastStop> }>({ id: "", stops: [] })
  /** The stops. Those of a daemon that was killed cannot be shown again. */
  readonly stops = computed((): ReadonlyArray<PastStop> =>
    this.#known.value.id === this.#session.id ? this.#known.value.stops : none
  )
  readonly #session: Session
  readonly #calls: Calls

  constructor(session: Session, calls: Calls) {
    this.#session = session
    this.#calls = calls
  }

  /** Adds the stops after the last known one, and after `first`, with what their events say. */
  note(first: number): void {
    const known = this.stops.peek()
    const after = Math.max(first, known.at(-1)?.stop ?? 0)
    const noted = notedStops(this.#session.snapshot.peek(), this.#session.events.peek(), after)
    if (noted.length > 0) this.#keep([...known, ...noted])
  }

  /** Reads the stops from the last that is known whole. */
  async read(): Promise<void> {
    const known = this.stops.peek()
    const since = known.at(-2)?.stop
    const session = this.#session.name
    const outcome = await this.#calls.call(
      "stops",
      since === undefined ? { session, limit: mostStops } : { session, since: String(since), limit: mostStops }
    )
    if (!outcome.ok) return
    const { stops } = outcome.answer.data
    const before = stops[0]?.stop === since ? known.filter(({ stop }) => stop < (since ?? 0)) : []
    const newest = Math.max(stops.at(-1)?.stop ?? 0, known.at(-1)?.stop ?? 0)
    this.#keep([...before, ...stops, ...this.stops.peek().filter(({ stop }) => stop > newest)].slice(-mostStops))
  }

  #keep(stops: ReadonlyArray<PastStop>): void {
    this.#known.value = { id: this.#session.id, stops }
  }
}
