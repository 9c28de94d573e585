/**
 * The threads of the program as they were read at a stop: the first hundred, and more on request.
 */
import { batch, signal } from "@preact/signals"
import type { ThreadRow } from "../../connection/Answers.ts"
import type { Calls } from "../../connection/Calls.ts"
import type { Session } from "../Session.ts"

/** Most threads that are read at a stop, and most that are read on request. */
const [usual, most] = [100, 1000]

/** The list of threads of a session. */
export class ThreadList {
  readonly #session: Session
  readonly #calls: Calls
  #limit = usual
  readonly rows = signal<ReadonlyArray<ThreadRow>>([])
  /** The number of threads, also of those that are not in `rows`. */
  readonly total = signal(0)
  /** The stop at which they were read. */
  readonly stop = signal(0)

  constructor(session: Session, calls: Calls) {
    this.#session = session
    this.#calls = calls
  }

  /** Reads the threads at a stop. An answer that comes when this is over is thrown away. */
  async read(stop: number, isOver: () => boolean): Promise<void> {
    const outcome = await this.#calls.call("threads", { session: this.#session.name, limit: this.#limit })
    if (isOver() || !outcome.ok) return
    // Of a program that was resumed meanwhile less is known.
    if (outcome.answer.state !== "stopped" || outcome.answer.stop !== stop) return
    const { threads, total } = outcome.answer.data
    batch(() => ([this.rows.value, this.total.value, this.stop.value] = [threads, total, stop]))
  }

  /** Reads more threads, at this stop and at those that follow. */
  async readMore(): Promise<void> {
    this.#limit = most
    const stop = this.stop.peek()
    await this.read(stop, () => this.#session.snapshot.peek().stop !== stop)
  }
}
