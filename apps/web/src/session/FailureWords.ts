/**
 * A failed call in the words of the page.
 */
import { personWords } from "./ActorWords.ts"
import type { Failure } from "../connection/Answers.ts"

/** What a call would do that needs a tier, as the beginning of a sentence. */
const doings = new Map([
  ["evaluate", "Running code in the program"],
  ["write", "Setting values"],
  ["admin", "Starting programs"]
])

/** Returns the tiers that a call misses (`missing` of TIER_REQUIRED). */
const missingTiers = (missing: unknown): ReadonlyArray<string> => {
  const uses: ReadonlyArray<unknown> = Array.isArray(missing) ? missing : []
  const tiers = uses.flatMap((use) =>
    typeof use === "object" && use !== null && "tier" in use && typeof use.tier === "string" ? [use.tier] : []
  )
  return [...new Set(tiers)]
}

/** Returns the command that opens a page with tiers. */
const allowCommand = (tiers: ReadonlyArray<string>): string => `sigtrap web --allow ${tiers.join(",")}`

/** A sentence, and the command of a terminal that it leads to. */
interface CommandWords {
  readonly text: string
  readonly command?: string
}

/** Says that something needs a tier which this page does not have, and how to allow it. `granted` are the tiers of the page. */
export const needsTiers = (tiers: ReadonlyArray<string>, granted: ReadonlyArray<string>) => {
  const [first = ""] = tiers
  const doing = doings.get(first) ?? "This"
  const names = tiers.map((tier) => `“${tier}”`).join(" and ")
  const may = granted.length === 0 ? "nothing" : granted.join(" and ")
  return {
    text: `${doing} needs the tier ${names}. This page may ${may}. Allow it in a terminal:`,
    command: allowCommand(tiers)
  }
}

/** Returns who holds the control lease (`holder` of LEASE_HELD). */
const holderOf = (holder: unknown): string =>
  typeof holder === "object" && holder !== null && "role" in holder && holder.role === "person"
    ? personWords("name" in holder && typeof holder.name === "string" ? holder.name : undefined)
    : "agent"

/** Returns everything that is known of a failure: its message, and what the debugger or the build wrote. */
export const wholeWords = ({ details, message }: Failure): string =>
  [message, details["detail"], details["log"]]
    .filter((part): part is string => typeof part === "string" && part !== "")
    .filter((part, at, all) => at === 0 || !(all[0] ?? "").includes(part))
    .join("\n\n")

/** Returns a failure in the words of the page, with the command that they lead to. */
export const failureNotice = ({ code, details, message }: Failure, granted: ReadonlyArray<string>): CommandWords => {
  if (code === "LEASE_HELD") return { text: `${holderOf(details["holder"])} drives. Take control to step.` }
  return code === "TIER_REQUIRED" ? needsTiers(missingTiers(details["missing"]), granted) : { text: message }
}

/** Returns a failure in the words of the page. */
export const failureWords = (failure: Failure, granted: ReadonlyArray<string>): string => {
  const { command, text } = failureNotice(failure, granted)
  return command === undefined ? text : `${text} ${command}`
}
