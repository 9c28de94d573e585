/**
 * Handles of a fake debugger for frames and values. Each resume invalidates them. Assigned values stay.
 */
import type { Value } from "../ports/Backend.ts"
import type * as SimulatedProgram from "./SimulatedProgram.ts"

/** Target of a handle. */
export type Handle =
  | { readonly kind: "frame"; readonly place: SimulatedProgram.Place }
  | { readonly kind: "value"; readonly content: SimulatedProgram.Content; readonly expression: string | undefined }

/** The handles of one program. */
export class Handles {
  /** Assigned texts, by expression. */
  readonly assigned = new Map<string, string>()
  readonly #known = new Map<number, Handle>()
  #last = 1000

  /** Returns the target of a handle, if it is valid. */
  get(handle: number): Handle | undefined {
    return this.#known.get(handle)
  }

  /** Makes a handle. */
  keep(handle: Handle): number {
    this.#known.set(++this.#last, handle)
    return this.#last
  }

  /** Invalidates every handle. */
  clear(): void {
    this.#known.clear()
  }

  /** Returns a value as a debugger shows it, with a handle if it has members. */
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

/** Returns the expression of a member, if it has one. */
export const below = (
  expression: string | undefined,
  name: string,
  part: SimulatedProgram.Content
): string | undefined =>
  expression === undefined || (typeof part !== "string" && part.unnamed === true) ? undefined : `${expression}.${name}`
