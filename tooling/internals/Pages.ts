/**
 * The documents about faults and security, computed from the rules and the mutants: which test covers a rule, and what is
 * missing.
 */
import * as Mutants from "./Mutants.ts"
import * as Rules from "./Rules.ts"

const note = "<!-- Generated from tooling/internals by tooling/src/reference.ts. Do not edit. -->"

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const kinds = { later: "later", platform: "not here", untested: "untested" } as const

/** Returns the state of a rule in one word or two. */
const stateOf = ({ missing }: Rules.Rule, mutants: ReadonlyArray<Mutants.Mutant>): string => {
  if (mutants.length === 0) return missing === undefined ? "untested" : kinds[missing.kind]
  return missing === undefined ? "covered" : "in part"
}

const mutantsOf = ({ id }: Rules.Rule) => Mutants.all.filter(({ ids }) => ids.includes(id))

const summary = (rules: ReadonlyArray<Rules.Rule>) => {
  const counts = Map.groupBy(rules, (rule) => stateOf(rule, mutantsOf(rule)))
  return [...counts].map(([state, list]) => `${list.length} ${state}`).join(", ")
}

const section = (rule: Rules.Rule): string => {
  const mutants = mutantsOf(rule)
  const tests = [...Map.groupBy(mutants, ({ test, title }) => `${test}\n${title}`)].map(([key, list]) => {
    const [test = "", title = ""] = key.split("\n")
    const lines = list.map(({ file, name }) => `\`${name}\` in \`${file}\``).join(", ")
    return `- "${cell(title)}" in \`${test}\` notices ${lines}`
  })
  const { missing } = rule
  return [
    `## ${rule.id}`,
    `${rule.rule} **${stateOf(rule, mutants)}**`,
    ...(tests.length === 0 ? [] : [tests.join("\n")]),
    ...(missing === undefined ? [] : [`Missing: ${missing.text}.`])
  ].join("\n\n")
}

const page = (title: string, introduction: string, rules: ReadonlyArray<Rules.Rule>) =>
  `${[
    note,
    `# ${title}`,
    introduction,
    "A rule counts as covered only if a mutant, which is a small fault put into a line that the rule depends on, makes the named test fail. `npm run mutants` shows it. States: **covered**; **in part** (the text says what is missing); **later** (it needs something that does not exist); **not here** (another system); **untested**.",
    `${rules.length} rules: ${summary(rules)}.`,
    ...rules.map(section)
  ].join("\n\n")}\n`

/** Returns the documents by their path in the repository. */
export const pages = (): { readonly [path: string]: string } => ({
  "docs/internals/faults.md": page(
    "Faults",
    "What sigtrap does when a debugger, a program, a client, the daemon or the machine fails (R), properties that hold for any input (P), and the promises behind them (I).",
    Rules.faults
  ),
  "docs/internals/security.md": page(
    "Security rules",
    "What sigtrap guarantees against other users, web pages, programs, repositories and agents. [SECURITY.md](../../SECURITY.md) has the threat model.",
    Rules.security
  )
})
