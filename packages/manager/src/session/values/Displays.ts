/**
 * The expressions that a session shows at its stops. A restart and `recover` keep them, with their numbers.
 */
import type { Displayed, RecordedDisplay } from "../../ports/Intent.ts"

/** The displays of one session. */
export class Displays {
  #recorded: Displayed

  constructor(recorded: Displayed = { items: [], last: 0 }) {
    this.#recorded = recorded
  }

  /** The displays and the highest number so far. Replaced as a whole at each change. */
  get recorded(): Displayed {
    return this.#recorded
  }

  /** The displays in the order in which they were added. */
  get items(): ReadonlyArray<RecordedDisplay> {
    return this.#recorded.items
  }

  /** Adds a display, unless the same expression is shown in the same format. */
  add(expression: string, format: string | undefined): void {
    if (this.items.some((one) => one.expression === expression && one.format === format)) return
    const id = this.#recorded.last + 1
    const added = { id, expression, ...(format === undefined ? {} : { format }) }
    this.#recorded = { items: [...this.items, added], last: id }
  }

  remove(ids: ReadonlyArray<number>): void {
    this.#recorded = { ...this.#recorded, items: this.items.filter(({ id }) => !ids.includes(id)) }
  }
}
