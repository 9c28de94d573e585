/**
 * The rules of reliability and security: their sentences, and what is known about rules that no mutant covers.
 *
 * Ids: `R` faults, `P` properties, `I` promises, `S` security. An id keeps its meaning.
 */
import { readFileSync } from "node:fs"
import { Schema } from "effect"
import type { Mutant } from "./Mutants.ts"

/** Why a rule, or a part of it, is not covered. */
const Missing = Schema.Struct({
  /** `later`: it needs something that does not exist. `platform`: another system. `untested`: no test shows it. */
  kind: Schema.Literals(["later", "platform", "untested"]),
  /** What is missing: a clause without a full stop. */
  text: Schema.String
})

/** One rule. */
const Rule = Schema.Struct({
  id: Schema.String,
  /** The rule in one sentence. */
  rule: Schema.String,
  missing: Schema.optionalKey(Missing)
})
/** One rule. */
export type Rule = typeof Rule.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Rule)), { onExcessProperty: "error" })

const read = (name: string) => decode(readFileSync(new URL(`rules/${name}.json`, import.meta.url), "utf8"))

/** The rules about faults, properties and promises. */
export const faults = read("faults")
/** The rules about security. */
export const security = read("security")

const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)

/** The ids that the documents have, in their order. */
const ids = {
  faults: [...numbered("R", 82), ...numbered("P", 14), ...numbered("I", 8)],
  security: numbered("S", 66)
}

/** Returns what is wrong with the rules: absent ids, ids without mutant and reason, mutants of unknown ids. */
export const problems = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<string> => {
  const covered = new Set(mutants.flatMap((mutant) => mutant.ids))
  const known = new Set([...faults, ...security].map(({ id }) => id))
  const list = (rules: ReadonlyArray<Rule>) => rules.map(({ id }) => id).join(" ")
  return [
    ...(list(faults) === ids.faults.join(" ")
      ? []
      : ["rules/faults.json does not have R1-R82, P1-P14 and I1-I8 in order"]),
    ...(list(security) === ids.security.join(" ") ? [] : ["rules/security.json does not have S1-S66 in order"]),
    ...[...faults, ...security].flatMap(({ id, missing }) =>
      covered.has(id) || missing !== undefined ? [] : [`${id} has neither a mutant nor a reason (missing)`]
    ),
    ...[...covered].filter((id) => !known.has(id)).map((id) => `mutants name ${id}, which is not a rule`)
  ]
}
