/**
 * What a person must know of a stop beside its reason: values that changed without a report of their watchpoint, and the warnings of its
 * report.
 */
import { signal } from "@preact/signals"
import type { Report, Warning } from "../../connection/Answers.ts"
import { conditionError, warningsOfStop } from "../Warnings.ts"
import { sentence } from "../words/Words.ts"

/** Most stops whose warnings are kept. */
const mostStops = 500

/** The warnings of stops, as the answers at these stops said them. */
export class StopWarnings {
  readonly #byStop = signal<ReadonlyMap<number, ReadonlyArray<Warning>>>(new Map())

  /** Records the warnings of the report of a stop, which was read while the program was stopped there. */
  record(stop: number, warnings: ReadonlyArray<Warning> = []): void {
    const found = warningsOfStop(warnings)
    if (found.length === 0 && !this.#byStop.peek().has(stop)) return
    const others = [...this.#byStop.peek()].filter(([other]) => other !== stop)
    this.#byStop.value = new Map([...others, [stop, found] as const].slice(-mostStops))
  }

  /** Returns the warnings of a stop. */
  at(stop: number): ReadonlyArray<Warning> {
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

/** Returns the warnings of a stop as sentences. */
export const stopWarningWords = (warnings: ReadonlyArray<Warning>): ReadonlyArray<string> => [
  ...warnings.map(({ message }) => sentence(message)),
  ...(warnings.some(({ code }) => code === conditionError)
    ? ["The program stopped because the condition could not be evaluated."]
    : [])
]
