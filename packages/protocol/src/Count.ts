/**
 * Which hits of a breakpoint count: `N` from the N-th on, `==N` only that one, `%N` each N-th, and comparisons.
 */
import * as Schema from "effect/Schema"

const form = /^(==|%|<=|<|>=|>)?\s*(\d{1,9})$/u

/** A count as text. */
export const Count = Schema.String.check(
  Schema.isPattern(form, { message: "Write a count as N, ==N, %N, <N, <=N, >N or >=N" })
).annotate({ description: "Which hits stop: N (from the N-th on), ==N, %N, <N, <=N, >N or >=N" })

/** A count that was read. */
export interface Counted {
  readonly how: "from" | "==" | "%" | "<" | "<=" | ">" | ">="
  readonly times: number
}

/** Reads a count; absent when it follows no form, or divides by nothing. */
export const parse = (text: string): Counted | undefined => {
  const [, how, digits] = form.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const times = Number(digits)
  switch (how) {
    case "%":
      return times === 0 ? undefined : { how, times }
    case "==":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return { how, times }
    default:
      return { how: "from", times }
  }
}

/** Whether the hit of this number, from 1, is one of those. */
export const includes = ({ how, times }: Counted, hit: number): boolean => {
  switch (how) {
    case "==":
      return hit === times
    case "%":
      return hit % times === 0
    case "<":
      return hit < times
    case "<=":
      return hit <= times
    case ">":
      return hit > times
    case "from":
    case ">=":
      return hit >= times
  }
}
