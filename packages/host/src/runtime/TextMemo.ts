/**
 * Values that were computed from a text alone. The number and the length of the texts are bounded; the oldest is dropped first.
 */

/** The limits of a memo: its entries, and the characters of a text that is kept. */
export interface Limits {
  readonly entries: number
  readonly characters: number
}

/** Values by the text that they were computed from. */
export class TextMemo<A> {
  readonly #limits: Limits
  readonly #known = new Map<string, A>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Returns the value of a text; undefined if it is not kept. */
  get(text: string): A | undefined {
    return this.#known.get(text)
  }

  /** Keeps the value of a text, unless the text is too long. */
  set(text: string, value: A): void {
    if (text.length > this.#limits.characters) return
    this.#known.set(text, value)
    for (const [oldest] of this.#known) {
      if (this.#known.size <= this.#limits.entries) return
      this.#known.delete(oldest)
    }
  }
}
