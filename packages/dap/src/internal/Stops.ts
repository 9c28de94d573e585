/**
 * The stops of sessions that stop each by itself, told as the stops of one: one at a time, and none is lost.
 *
 * While one session's stop is shown, the others' wait and are shown when the program is set going again. What stopped
 * because everything was to be paused belongs to the stop that is shown. Every stopped session of which the user knows
 * goes on with the next `continue`; a step moves one of them.
 */

/** A session that has stopped, with the body of the event that says so, as it is told outside. */
export interface Stopped {
  readonly session: number
  readonly body: Readonly<Record<string, unknown>>
}

/** What becomes of a stop: told as the stop, told as part of it, kept for later, or undone since nobody waits for it. */
export type Verdict = "shown" | "joins" | "waits" | "unwanted"

/** The stops of one connection. */
export class Stops {
  #shown: Stopped | undefined
  readonly #beside = new Map<number, Stopped>()
  #waiting: ReadonlyArray<Stopped> = []
  readonly #asked = new Set<number>()
  readonly #late = new Set<number>()
  readonly #stepping = new Set<number>()

  /** The session whose stop is shown. */
  shown(): number | undefined {
    return this.#shown?.session
  }

  /** Whether a session stands still. */
  isStopped(session: number): boolean {
    return (
      this.#shown?.session === session ||
      this.#beside.has(session) ||
      this.#waiting.some((one) => one.session === session)
    )
  }

  /** Notes that a session was asked to stop. */
  asked(session: number): void {
    this.#late.delete(session)
    this.#asked.add(session)
  }

  /** Takes a stop. */
  stopped(session: number, body: Stopped["body"]): Verdict {
    // A pause can be told as the end of a step, where there was none.
    const pause = body["reason"] === "pause" || (body["reason"] === "step" && !this.#stepping.has(session))
    this.#stepping.delete(session)
    const wished = this.#asked.delete(session)
    // It was asked to stop at a time that is over; what another asked of it since is another stop.
    if (this.#late.delete(session) && pause && !wished) return "unwanted"
    if (this.#shown === undefined || this.#shown.session === session) {
      this.#shown = { session, body }
      return "shown"
    }
    if (pause && wished) {
      this.#beside.set(session, { session, body })
      return "joins"
    }
    this.#waiting = [...this.#waiting.filter((one) => one.session !== session), { session, body }]
    return "waits"
  }

  /** A session says that it runs; whether that is told. */
  continued(session: number): boolean {
    this.#beside.delete(session)
    this.#waiting = this.#waiting.filter((one) => one.session !== session)
    if (this.#shown !== undefined && this.#shown.session !== session) return false
    this.#shown = undefined
    return true
  }

  /** A session is about to be set going, with all others that are known to stand or alone. Gives those that go too. */
  departing(session: number, alone: boolean): ReadonlyArray<Stopped> {
    for (const one of this.#asked) this.#late.add(one)
    this.#asked.clear()
    const before = this.#shown
    this.#shown = undefined
    this.#beside.delete(session)
    if (before !== undefined && before.session !== session) this.#beside.set(before.session, before)
    if (alone) {
      this.#stepping.add(session)
      return []
    }
    const others = [...this.#beside.values()]
    this.#beside.clear()
    return others
  }

  /** It was not set going after all. */
  stayed(session: number): void {
    this.#shown ??= { session, body: {} }
  }

  /** The next stop to show, now that none is. */
  next(): Stopped | undefined {
    if (this.#shown !== undefined) return undefined
    const [first, ...rest] = this.#waiting
    this.#waiting = rest
    this.#shown = first
    return first
  }

  /** A session is gone; whether it was the one that is shown. */
  gone(session: number): boolean {
    const wasShown = this.#shown?.session === session
    this.#asked.delete(session)
    this.#late.delete(session)
    this.#stepping.delete(session)
    this.#beside.delete(session)
    this.#waiting = this.#waiting.filter((one) => one.session !== session)
    if (!wasShown) return false
    this.#shown = undefined
    // What stood beside it is a stop of its own now.
    this.#waiting = [...this.#beside.values(), ...this.#waiting]
    this.#beside.clear()
    return true
  }
}
