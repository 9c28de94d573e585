/**
 * The long operations of an adapter (DAP `progressStart` and `progressEnd`), such as reading symbols. The oldest that has not ended is
 * reported.
 */
import { Events, type Message } from "@sigtrap/dap"
import type { Event } from "@sigtrap/protocol"
import { decode } from "../EventBodies.ts"

/** Most operations that are remembered, and most characters of the words for one. */
const [mostOperations, longest] = [50, 200]

/** The operations of one adapter. */
export class ProgressReports {
  readonly #emit: (event: Event.Event) => void
  /** The words for each operation, by its id. */
  readonly #operations = new Map<string, string>()
  #reported: string | undefined

  constructor(emit: (event: Event.Event) => void) {
    this.#emit = emit
  }

  /** Takes an event of the adapter. */
  take({ body, event }: Message.Event): void {
    if (event === "progressStart")
      decode(Events.ProgressStart, body, ({ message = "", progressId, title }) => {
        const words = message === "" || title.endsWith(message) ? title : `${title}: ${message}`
        if (this.#operations.size < mostOperations) this.#operations.set(progressId, words.slice(0, longest))
      })
    else if (event === "progressEnd")
      decode(Events.ProgressEnd, body, ({ progressId }) => void this.#operations.delete(progressId))
    else return
    const [title] = this.#operations.values()
    if (title === this.#reported) return
    this.#reported = title
    this.#emit({ _tag: "Progress", ...(title === undefined ? {} : { title }) })
  }
}
