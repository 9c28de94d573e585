/**
 * The handles that a fake debugger gives out for frames and values. They end with each resume, as real ones do, and
 * what was assigned to a variable stays.
 */
import type { Value } from "../ports/Backend.ts"
import type * as SimulatedProgram from "./SimulatedProgram.ts"

/** What a handle opens. */
export type Handle =
  | { readonly kind: "frame"; readonly place: SimulatedProgram.Place }
  | { readonly kind: "value"; readonly content: SimulatedProgram.Content; readonly expression: string | undefined }

/** The handles of one program. */
export class Handles {
  /** Texts that were assigned, by the expression they were assigned to. */
  readonly assigned = new Map<string, string>()
  readonly #known = new Map<number, Handle>()
  #last = 1000

  /** What a handle opens, if it is of this stop. */
  get(handle: number): Handle | undefined {
    return this.#known.get(handle)
  }

  /** A new handle. */
  keep(handle: Handle): number {
    this.#known.set(++this.#last, handle)
    return this.#last
  }

  /** Ends every handle. */
  clear(): void {
    this.#known.clear()
  }

  /** A value as a debugger shows it, with a handle when it has parts. */
  value(name: string, content: SimulatedProgram.Content, expression: string | undefined): Value {
    const named = expression === undefined ? { name } : { name, expression }
    if (typeof content === "string") {
      return { ...named, value: this.assigned.get(expression ?? "") ?? content, type: "int", handle: 0 }
    }
    return {
      ...named,
      value: content.value,
      ...(content.type === undefined ? {} : { type: content.type }),
      child_count: Object.keys(content.parts).length,
      handle: this.keep({ kind: "value", content, expression })
    }
  }
}

/** The expression of a part of a value, where it has one. */
export const below = (
  expression: string | undefined,
  name: string,
  part: SimulatedProgram.Content
): string | undefined =>
  expression === undefined || (typeof part !== "string" && part.unnamed === true) ? undefined : `${expression}.${name}`
