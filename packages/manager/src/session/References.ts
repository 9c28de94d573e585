/**
 * Short names for frames and values, good for one stop.
 *
 * Within a stop the same thing has the same reference, however often it is read. Numbers are never used again, so an
 * old reference is recognised, and what it stood for is remembered as long as the limit allows.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** What a reference opens: the debugger's handle, and the frame and expression to find it again. */
export interface Target {
  readonly handle: number
  readonly frame: number
  /** What tells the frame from those of other threads. */
  readonly within: string
  readonly expression: string
  /** It is the value of a secret name, and so is everything inside. */
  readonly secret?: boolean
}

/** A reference with what it opens. */
export interface Known extends Target {
  readonly ref: string
  readonly stop: number
}

/** Most references that are remembered. */
export const limit = 10_000

/** The references of one session. */
export class References {
  readonly #byRef = new Map<string, Known>()
  #byKey = new Map<string, string>()
  #stop = 0
  readonly #count = { v: 0, f: 0 }

  /** The reference of a thing at a stop. `key` tells things apart: path or expression within a frame. */
  of(kind: "v" | "f", stop: number, key: string, target: Target): string {
    if (stop !== this.#stop) {
      this.#stop = stop
      this.#byKey = new Map()
    }
    const ref = this.#byKey.get(kind + key) ?? `@${kind}${++this.#count[kind]}`
    this.#byKey.set(kind + key, ref)
    // The newest handle is kept, and what is read again counts as new.
    this.#byRef.delete(ref)
    this.#byRef.set(ref, { ...target, ref, stop })
    const oldest = this.#byRef.size > limit ? this.#byRef.keys().next().value : undefined
    if (oldest !== undefined) this.#byRef.delete(oldest)
    return ref
  }

  /** Those that are good at a stop, in the order in which they were read last. */
  live(stop: number): ReadonlyArray<Known> {
    return [...this.#byRef.values()].filter((known) => known.stop === stop)
  }

  /** What a reference stands for at a stop. `:v7` is accepted for `@v7`. */
  resolve(text: string, stop: number): Effect.Effect<Known, Errors.StaleReference> {
    const ref = text.startsWith(":") ? `@${text.slice(1)}` : text
    const known = this.#byRef.get(ref)
    if (known !== undefined && known.stop === stop) return Effect.succeed(known)
    return Effect.fail(
      new Errors.StaleReference({ ref, ...(known === undefined ? {} : { expression: known.expression }) })
    )
  }
}

/** Whether a word is a reference to a value. */
export const isReference = (text: string): boolean => /^[@:]v\d+$/.test(text)
