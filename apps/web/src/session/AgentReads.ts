/**
 * What agents read at the shown stop. It changes when they read more, not at each event.
 */
import { computed, type ReadonlySignal } from "@preact/signals"
import { framesRead, readsOf } from "./ActsAtStop.ts"
import type { Session } from "./Session.ts"

/** The reads of agents at a stop. */
export class AgentReads {
  readonly #expressions: ReadonlySignal<string>
  readonly #frames: ReadonlySignal<string>

  constructor(session: Session, stop: ReadonlySignal<number>) {
    const reads = computed(() => readsOf(session.events.value, stop.value))
    this.#expressions = computed(() => reads.value.flatMap(({ expressions = [] }) => expressions).join("\n"))
    this.#frames = computed(() => framesRead(reads.value).join(" "))
  }

  /** The expressions, as the agents wrote them. */
  readonly expressions = computed(
    (): ReadonlySet<string> => new Set(this.#expressions.value === "" ? [] : this.#expressions.value.split("\n"))
  )
  /** The frames that they named: indexes of the stopped thread, and references. */
  readonly frames = computed((): ReadonlySet<string> => new Set(this.#frames.value.split(" ")))
}
