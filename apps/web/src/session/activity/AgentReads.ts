/**
 * What agents read at the shown stop. It changes when they read more, not at each event.
 */
import { computed, type ReadonlySignal } from "@preact/signals"
import type { StackFrame } from "../../connection/Answers.ts"
import { expressionsRead, framesRead, readsOf, stopFrame } from "./ActsAtStop.ts"
import type { Session } from "../Session.ts"

/** The reads of agents at a stop. */
export class AgentReads {
  readonly #expressions: ReadonlySignal<string>
  readonly #frames: ReadonlySignal<string>

  constructor(session: Session, stop: ReadonlySignal<number>) {
    const reads = computed(() => readsOf(session.events.value, stop.value))
    this.#expressions = computed(() => JSON.stringify(expressionsRead(reads.value)))
    this.#frames = computed(() => framesRead(reads.value).join(" "))
  }

  /** The expressions, as the agents wrote them, by the frame that they named. */
  readonly #read = computed((): ReadonlyArray<readonly [frame: string, expression: string]> =>
    JSON.parse(this.#expressions.value)
  )
  /** The frames that they named: indexes of the stopped thread, and references. */
  readonly frames = computed((): ReadonlySet<string> => new Set(this.#frames.value.split(" ")))

  /** Returns the expressions that were read in a frame. `thread`: it is of the thread that stopped; `reported`: the stop is about it. */
  expressionsIn(frame: StackFrame | undefined, thread: boolean, reported: boolean): ReadonlySet<string> {
    const keys = [reported ? stopFrame : undefined, thread ? String(frame?.index) : undefined, frame?.ref]
    return new Set(this.#read.value.flatMap(([key, expression]) => (keys.includes(key) ? [expression] : [])))
  }
}
