/**
 * How a fake debugger behaves: which of the legal ways it takes, and what goes wrong with which request.
 */
import type * as Effect from "effect/Effect"

/** Requests that begin a session. */
export type Beginning = "launch" | "run"

/** Requests to a debugger that is there. */
export type Question =
  | "setBreakpoints"
  | "lines"
  | "exception"
  | "goOn"
  | "resume"
  | "pause"
  | "threads"
  | "stack"
  | "locals"
  | "children"
  | "evaluate"
  | "command"

/** What goes wrong with one request. */
export type Fault<E> =
  /** Not carried out; answered with the error. */
  | { readonly kind: "refuse"; readonly error: E }
  /** Answered as if it had been carried out; has a meaning for a pause only. */
  | { readonly kind: "ignore" }
  /** The adapter dies instead of answering. */
  | { readonly kind: "lose" }
  /** Carried out, answered only after `until`; `Effect.never` is no answer at all. */
  | { readonly kind: "hold"; readonly until: Effect.Effect<void> }
  /** Answered with the error although it was carried out. */
  | { readonly kind: "deny"; readonly error: E }

/** Which of the legal ways an adapter takes. */
export interface Conduct {
  /** When the next stop or end is told: around the answer to the resume, or when `Debuggee.go` is called. */
  readonly pace: "before the answer" | "after the answer" | "when told"
  readonly continued: "before the answer" | "after the answer" | "never"
  /** Where the event of the thread to show comes among those of one stop. */
  readonly focus: "first" | "last"
  /** Whether the other events of a stop come with the first, or only before the next answer. */
  readonly others: "together" | "late"
  /** Whether stacks say how deep they are. */
  readonly totals: boolean
  /** How often every answer lets other fibers go first; at least once, since no debugger answers within a call. */
  readonly turns: number
}

/** One request as it arrived. */
export interface Asked {
  readonly request: Beginning | Question | "end"
  readonly detail?: unknown
}

/** The plainest conduct: the answer, then the stop, one event each. */
export const plain: Conduct = {
  pace: "after the answer",
  continued: "never",
  focus: "first",
  others: "together",
  totals: true,
  turns: 1
}

interface Planned<E> {
  readonly request: Asked["request"]
  readonly fault: Fault<E>
}

/** Faults that have not happened yet; each happens once. */
export class Plan<E> {
  readonly #planned: Array<Planned<E>> = []

  add(request: Asked["request"], fault: Fault<E>, times: number): void {
    for (let time = 0; time < times; time++) this.#planned.push({ request, fault })
  }

  take(request: Asked["request"]): Fault<E> | undefined {
    const index = this.#planned.findIndex((planned) => planned.request === request)
    return index < 0 ? undefined : this.#planned.splice(index, 1)[0]?.fault
  }
}
