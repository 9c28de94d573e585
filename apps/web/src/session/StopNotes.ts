/**
 * What a person must know of a stop beside its reason: values that changed without a report of their watchpoint, and conditions that could
 * not be evaluated.
 */
import { signal } from "@preact/signals"
import type { Report, Warning } from "../connection/Answers.ts"

/** Most stops whose failed conditions are kept. */
const mostStops = 500

/** The conditions that could not be evaluated, as the answers of the newest stops said them. */
export class ConditionErrors {
  readonly #byStop = signal<ReadonlyMap<number, ReadonlyArray<string>>>(new Map())

  /** Records the warnings of the report of a stop, which was read while the program was stopped there. */
  record(stop: number, warnings: ReadonlyArray<Warning> = []): void {
    const messages = warnings.filter(({ code }) => code === "CONDITION_ERROR").map(({ message }) => message)
    if (messages.length === 0 && !this.#byStop.peek().has(stop)) return
    const others = [...this.#byStop.peek()].filter(([other]) => other !== stop)
    this.#byStop.value = new Map([...others, [stop, messages] as const].slice(-mostStops))
  }

  /** Returns the messages of a stop. */
  at(stop: number): ReadonlyArray<string> {
    return this.#byStop.value.get(stop) ?? []
  }
}

/** Returns the writes that no watchpoint reported as sentences. */
export const missedWriteWords = ({
  missed_writes: missed = []
}: Pick<Report, "missed_writes">): ReadonlyArray<string> => {
  const changes = missed.map(
    ({ expression, id, new: value, old }) =>
      `${expression} changed${old === undefined ? "" : ` from ${old}`} to ${value}, but watchpoint ${id} reported no write.`
  )
  return changes.length === 0
    ? []
    : [...changes, "The kernel or another process wrote it, or this machine reports no writes."]
}

/** Returns the conditions that could not be evaluated as sentences. */
export const conditionWords = (messages: ReadonlyArray<string>): ReadonlyArray<string> =>
  messages.length === 0
    ? []
    : [
        ...messages.map((message) => message.replace(/^./, (first) => first.toUpperCase()).replace(/(?<![.!?])$/, ".")),
        "The program stopped because the condition could not be evaluated."
      ]
