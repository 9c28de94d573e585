/**
 * Behaviour of a fake debugger: the order of its events, and the faults of its requests.
 */
import type * as Effect from "effect/Effect"

/** Requests that start a session. */
export type StartRequest = "launch" | "run"

/** Requests to a running debugger. */
export type DebuggerRequest =
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

/** A fault of one request. */
export type Fault<E> =
  /** Not carried out; answered with the error. */
  | { readonly kind: "refuse"; readonly error: E }
  /** Not carried out; answered as if it was. For a pause only. */
  | { readonly kind: "ignore" }
  /** The adapter dies instead of answering. */
  | { readonly kind: "lose" }
  /** Carried out; answered after `until`. With `Effect.never` there is no answer. */
  | { readonly kind: "hold"; readonly until: Effect.Effect<void> }
  /** Carried out; answered with the error. */
  | { readonly kind: "deny"; readonly error: E }

/** Behaviour that adapters may choose. */
export interface Behaviour {
  /** When the next stop or exit is reported: before or after the answer to the resume, or by `Debuggee.go`. */
  readonly pace: "before the answer" | "after the answer" | "on demand"
  readonly continued: "before the answer" | "after the answer" | "never"
  /** Position of the focused thread's event among those of one stop. */
  readonly focus: "first" | "last"
  /** The other events of a stop come with the first, before the next answer, or before the answer after it. */
  readonly others: "together" | "late" | "later"
  /** True if stacks have a total. */
  readonly totals: boolean
  /** How often each answer yields to other fibers; at least once, because no debugger answers synchronously. */
  readonly turns: number
  /**
   * Present if stops at breakpoints are reported as SIGTRAP without their numbers. Returns what `breakpointsAtSignal` then answers about the
   * breakpoints that were hit.
   */
  readonly trapped?: (hit: ReadonlyArray<number>) => ReadonlyArray<number> | undefined
  /** True if the debugger may use up any number of pause requests. */
  readonly usesUpPauses?: boolean
}

/** One request. */
export interface Request {
  readonly request: StartRequest | DebuggerRequest | "end"
  readonly detail?: unknown
}

/** Default behaviour: the answer, then the stop, one event each. */
export const plain: Behaviour = {
  pace: "after the answer",
  continued: "never",
  focus: "first",
  others: "together",
  totals: true,
  turns: 1
}

interface Planned<E> {
  readonly request: Request["request"]
  readonly fault: Fault<E>
}

/** Planned faults. Each occurs once. */
export class Plan<E> {
  readonly #planned: Array<Planned<E>> = []

  add(request: Request["request"], fault: Fault<E>, times: number): void {
    for (let time = 0; time < times; time++) this.#planned.push({ request, fault })
  }

  take(request: Request["request"]): Fault<E> | undefined {
    const index = this.#planned.findIndex((planned) => planned.request === request)
    return index < 0 ? undefined : this.#planned.splice(index, 1)[0]?.fault
  }
}
