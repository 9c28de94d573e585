/**
 * The listeners to the notices of one LLDB. Notices that come before the first listener are kept for it.
 */
import type { Notice } from "../Notice.ts"

/** The listeners of one LLDB. */
export class NoticeListeners {
  readonly #listeners = new Set<(notice: Notice) => void>()
  readonly #early: Array<Notice> = []

  /** Calls all listeners. */
  emit(notice: Notice): void {
    if (this.#listeners.size === 0) this.#early.push(notice)
    for (const listener of this.#listeners) listener(notice)
  }

  /** Adds a listener and calls it for the notices that were kept; returns the function that removes it. */
  add(listener: (notice: Notice) => void): () => void {
    for (const notice of this.#early.splice(0)) listener(notice)
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
