/**
 * Recognises a stop that a debug adapter reports twice. lldb-dap may do so with the stop of a program that existed before the
 * debugger: once for the stop itself, once as it answers `configurationDone`.
 */

/** The stops of a program that existed before the debugger, until it is resumed. */
export class RepeatedStops {
  readonly #threads = new Set<number | undefined>()
  #isOver: boolean

  /** `isPossible` is true if the program existed before the debugger. */
  constructor(isPossible: boolean) {
    this.#isOver = !isPossible
  }

  /** Records that the program was resumed: each later stop is a new one. */
  resume(): void {
    this.#isOver = true
  }

  /** Records a stop of a thread. Returns true if it was recorded before. */
  has(thread: number | undefined): boolean {
    if (this.#isOver) return false
    const isKnown = this.#threads.has(thread)
    this.#threads.add(thread)
    return isKnown
  }
}
