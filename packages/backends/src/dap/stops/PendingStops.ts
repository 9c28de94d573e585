/**
 * Reports the `stopped` events (DAP) of one stop together, in the order of their arrival, when the details of all are known. A caller that
 * resumed the program after the first one would lose the others.
 */
import type { StoppedBody } from "./Stops.ts"

interface Pending {
  isKnown: boolean
  /** Undefined if the program was resumed instead. */
  body: StoppedBody | undefined
}

/** The events of one connection whose details are not all known. */
export class PendingStops {
  readonly #report: (body: StoppedBody) => void
  #pending: ReadonlyArray<Pending> = []
  /** True while the events of one stop are added. */
  #isAdding = false
  #isFirst = true

  constructor(report: (body: StoppedBody) => void) {
    this.#report = report
  }

  /** True if the next event is the first one of its stop. */
  get isFirst(): boolean {
    return this.#isFirst
  }

  /** Records that the program was resumed. An event of the stop before may still wait for its details. */
  resumed(): void {
    this.#isFirst = true
  }

  /** Runs a function that adds the events of one stop. None of them is reported before the function has added all. */
  together(add: () => void): void {
    this.#isAdding = true
    try {
      add()
    } finally {
      this.#isAdding = false
      this.#flush()
    }
  }

  /** Adds an event without missing details. */
  add(body: StoppedBody): void {
    this.#isFirst = false
    this.#pending = [...this.#pending, { isKnown: true, body }]
    this.#flush()
  }

  /** Adds an event and returns the function that receives its details. */
  wait(): (body: StoppedBody | undefined) => void {
    const pending: Pending = { isKnown: false, body: undefined }
    this.#isFirst = false
    this.#pending = [...this.#pending, pending]
    return (body) => {
      pending.isKnown = true
      pending.body = body
      this.#flush()
    }
  }

  #flush(): void {
    if (this.#isAdding || !this.#pending.every(({ isKnown }) => isKnown)) return
    const all = this.#pending
    this.#pending = []
    for (const { body } of all) if (body !== undefined) this.#report(body)
  }
}
