/**
 * The stops of sessions that stop independently, reported one at a time.
 *
 * While the stop of one session is shown, stops of others are queued; they are shown when the program is resumed. A stop
 * that a pause of all sessions caused joins the shown stop. `continue` resumes every session whose stop was shown or
 * joined; a step resumes one.
 */

/** A stopped session, with the body of its `stopped` event in the connection's numbers. */
export interface Stopped {
  readonly session: number
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * What happens to a stop: it is shown, it joins the shown stop, it is queued, or the session is resumed because the
 * pause that caused the stop is obsolete.
 */
export type Verdict = "shown" | "joined" | "queued" | "obsolete"

/** The stops of one connection. */
export class Stops {
  #shown: Stopped | undefined
  /** Stopped sessions that resume together with the shown one. */
  readonly #joined = new Map<number, Stopped>()
  #queued: ReadonlyArray<Stopped> = []
  /** Sessions with a pause request that has not caused a stop yet. */
  readonly #pausing = new Set<number>()
  /** Sessions that may still stop for a pause that was sent before the last resume. */
  readonly #obsolete = new Set<number>()
  readonly #stepping = new Set<number>()

  /** Returns the session whose stop is shown. */
  shown(): number | undefined {
    return this.#shown?.session
  }

  /** Returns whether a session is stopped. */
  isStopped(session: number): boolean {
    return (
      this.#shown?.session === session ||
      this.#joined.has(session) ||
      this.#queued.some((one) => one.session === session)
    )
  }

  /** Records a pause request to a session. */
  pausing(session: number): void {
    this.#obsolete.delete(session)
    this.#pausing.add(session)
  }

  /** Records a stop. */
  stopped(session: number, body: Stopped["body"]): Verdict {
    // An adapter may report a pause with the reason `step`, although no step was requested.
    const isPause = body["reason"] === "pause" || (body["reason"] === "step" && !this.#stepping.has(session))
    this.#stepping.delete(session)
    const requested = this.#pausing.delete(session)
    // The pause was sent before the last resume. A pause sent since then causes a stop of its own.
    if (this.#obsolete.delete(session) && isPause && !requested) return "obsolete"
    if (this.#shown === undefined || this.#shown.session === session) {
      this.#shown = { session, body }
      return "shown"
    }
    if (isPause && requested) {
      this.#joined.set(session, { session, body })
      return "joined"
    }
    this.#queued = [...this.#queued.filter((one) => one.session !== session), { session, body }]
    return "queued"
  }

  /** Records a `continued` event; returns whether it is to be reported. */
  continued(session: number): boolean {
    this.#joined.delete(session)
    this.#queued = this.#queued.filter((one) => one.session !== session)
    if (this.#shown !== undefined && this.#shown.session !== session) return false
    this.#shown = undefined
    return true
  }

  /**
   * Records that a session is about to be resumed: `alone` (a step, `singleThread`) or with all joined sessions, which
   * are returned.
   */
  resuming(session: number, alone: boolean): ReadonlyArray<Stopped> {
    for (const one of this.#pausing) this.#obsolete.add(one)
    this.#pausing.clear()
    const before = this.#shown
    this.#shown = undefined
    this.#joined.delete(session)
    if (before !== undefined && before.session !== session) this.#joined.set(before.session, before)
    if (alone) {
      this.#stepping.add(session)
      return []
    }
    const others = [...this.#joined.values()]
    this.#joined.clear()
    return others
  }

  /** Records that the request to resume failed. */
  resumeFailed(session: number): void {
    this.#shown ??= { session, body: {} }
  }

  /** Shows the first queued stop, if none is shown, and returns it. */
  showNext(): Stopped | undefined {
    if (this.#shown !== undefined) return undefined
    const [first, ...rest] = this.#queued
    this.#queued = rest
    this.#shown = first
    return first
  }

  /** Removes a session that has ended; returns whether its stop was shown. */
  remove(session: number): boolean {
    const wasShown = this.#shown?.session === session
    this.#pausing.delete(session)
    this.#obsolete.delete(session)
    this.#stepping.delete(session)
    this.#joined.delete(session)
    this.#queued = this.#queued.filter((one) => one.session !== session)
    if (!wasShown) return false
    this.#shown = undefined
    // The stops that had joined the shown one are stops of their own now.
    this.#queued = [...this.#joined.values(), ...this.#queued]
    this.#joined.clear()
    return true
  }
}
