/**
 * Hit counts, which select the hits of a breakpoint that stop: `N` (from the Nth on), `==N` (only the Nth), `%N` (every
 * Nth), and comparisons.
 */
import * as Schema from "effect/Schema"
import * as FieldFacts from "./FieldFacts.ts"

const form = /^(==|%|<=|<|>=|>)?\s*(\d{1,9})$/u

/** A hit count as text. */
export const HitCount = Schema.String.check(
  Schema.isPattern(form, { message: "Write a count as N, ==N, %N, <N, <=N, >N or >=N" })
).annotate({
  description: "Which hits stop: N (Nth on), ==N, %N, <N, <=N, >N or >=N",
  ...FieldFacts.placeholder("COUNT")
})

/** A parsed hit count. */
export interface Parsed {
  readonly how: "from" | "==" | "%" | "<" | "<=" | ">" | ">="
  readonly times: number
}

/** Parses a hit count. Returns undefined if it has no valid form, or is `%0`. */
export const parse = (text: string): Parsed | undefined => {
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

/** Returns true if the hit of this number, counted from 1, stops. */
export const includes = ({ how, times }: Parsed, hit: number): boolean => {
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
