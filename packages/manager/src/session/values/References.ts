/**
 * References: short names for frames and values, valid at one stop.
 *
 * A frame or value that is read again at the same stop has the same reference. Numbers are never reused, so a stale
 * reference is recognized, and the error names its expression while the reference is among the newest 10,000.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { ThreadNumbers } from "./ThreadNumbers.ts"

/** Target of a reference: the debugger's handle, and the frame and expression to find it again. */
export interface Target {
  readonly handle: number
  readonly frame: number
  /** Identifies the frame among those of all threads. */
  readonly within: string
  readonly expression: string
  /** True if no expression evaluates to the value: `expression` is its name. */
  readonly unnamed?: boolean
  /** True for a part of another value. The name of one that is `unnamed` may be that of another value. */
  readonly member?: boolean
  /** True if the value, and everything inside it, is secret. */
  readonly secret?: boolean
}

/** A reference with its target. */
export interface Reference extends Target {
  readonly ref: string
  readonly stop: number
}

/** Maximum number of references that are remembered. */
const limit = 10_000

/** The references of one session. */
export class References {
  readonly #byRef = new Map<string, Reference>()
  #byKey = new Map<string, string>()
  #stop = 0
  readonly #count = { v: 0, f: 0 }
  readonly threads = new ThreadNumbers()

  /** Returns the reference of a target at a stop. `key` identifies the target: a path or expression within a frame. */
  of(kind: "v" | "f", stop: number, key: string, target: Target): string {
    if (stop !== this.#stop) {
      this.#stop = stop
      this.#byKey = new Map()
    }
    const ref = this.#byKey.get(kind + key) ?? `@${kind}${++this.#count[kind]}`
    this.#byKey.set(kind + key, ref)
    // The newest handle is kept. A target that is read again moves to the end.
    this.#byRef.delete(ref)
    this.#byRef.set(ref, { ...target, ref, stop })
    const oldest = this.#byRef.size > limit ? this.#byRef.keys().next().value : undefined
    if (oldest !== undefined) this.#byRef.delete(oldest)
    return ref
  }

  /** Returns the references that are valid at a stop, in the order in which they were last read. */
  live(stop: number): ReadonlyArray<Reference> {
    return [...this.#byRef.values()].filter((known) => known.stop === stop)
  }

  /** Returns the target of a reference at a stop. `:v7` is accepted for `@v7`. */
  resolve(text: string, stop: number): Effect.Effect<Reference, Errors.StaleReference> {
    const ref = text.startsWith(":") ? `@${text.slice(1)}` : text
    const known = this.#byRef.get(ref)
    if (known !== undefined && known.stop === stop) return Effect.succeed(known)
    const isFrame = ref.startsWith("@f")
    return Effect.fail(
      new Errors.StaleReference({
        ref,
        ...(known === undefined ? {} : { expression: known.expression }),
        ...(isFrame ? { remedies: [Hint.call("backtrace", {})] } : {})
      })
    )
  }
}

/** Returns the expression of a target; fails for a part of a value that no expression names. */
export const expressionOf = ({ expression, member, unnamed }: Target): Effect.Effect<string, Errors.EvaluationFailed> =>
  unnamed === true && member === true
    ? Effect.fail(new Errors.EvaluationFailed({ expression, detail: "no expression names this part of a value" }))
    : Effect.succeed(expression)

/** True if a word is a reference to a value. */
export const isReference = (text: string): boolean => /^[@:]v\d+$/.test(text)
