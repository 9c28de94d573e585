/**
 * Whether a pause was requested. A pause lasts until the program runs again after its stop: other threads of that stop are still
 * reported, and a stop before it may be suppressed.
 */

/** The pause of one connection. */
export class PauseState {
  #isRequested = false
  #isReported = false

  /** True if a pause was requested since the last resume by a request. */
  get isRequested(): boolean {
    return this.#isRequested
  }

  /** Records a pause request. Returns true if an earlier one was sent since the last resume. */
  request(): boolean {
    const before = this.#isRequested
    this.#isRequested = true
    return before
  }

  /** Records that a stop with this reason is reported. */
  reported(reason: string): void {
    this.#isReported ||= reason === "pause"
  }

  /** Records that the program runs. A request to resume ends the pause, also if another stop came first. */
  resumed(how: "by a request" | "by the debugger"): void {
    if (how === "by the debugger" && !this.#isReported) return
    this.#isRequested = false
    this.#isReported = false
  }
}
