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

  /**
   * Adds a display, unless the same expression is shown in the same format. `readsOnly` if the client that adds it may not run code of the
   * program: the reports of others do not run it either. A client that may adds this to a display that is there.
   */
  add(expression: string, format: string | undefined, readsOnly: boolean): void {
    const known = this.items.find((one) => one.expression === expression && one.format === format)
    if (known !== undefined && (readsOnly || known.reads_only !== true)) return
    const id = known?.id ?? this.#recorded.last + 1
    const added: RecordedDisplay = {
      id,
      expression,
      ...(format === undefined ? {} : { format }),
      ...(readsOnly ? { reads_only: true } : {})
    }
    const items = known === undefined ? [...this.items, added] : this.items.map((one) => (one === known ? added : one))
    this.#recorded = { items, last: Math.max(id, this.#recorded.last) }
  }

  remove(ids: ReadonlyArray<number>): void {
    this.#recorded = { ...this.#recorded, items: this.items.filter(({ id }) => !ids.includes(id)) }
  }
}
