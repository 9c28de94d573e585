/**
 * A failed call in the words of the page.
 */
import { personWords } from "./ActorWords.ts"
import type { Failure } from "../../connection/Answers.ts"
import { sentence } from "./Words.ts"
import { controlFor } from "./RefusalWords.ts"

/** What a call would do that needs a tier, as the beginning of a sentence: by its effect, or by the tier. */
const doings = new Map([
  ["write-file", "Writing files"],
  ["raw", "Running a command of the debugger"],
  ["evaluate", "Running code in the program"],
  ["write", "Setting values"],
  ["admin", "Starting programs"]
])

/** Returns what a call misses (`missing` of TIER_REQUIRED): tiers, each once, and the first effect. */
const missingOf = (missing: unknown): { readonly tiers: ReadonlyArray<string>; readonly effect?: string } => {
  const uses: ReadonlyArray<unknown> = Array.isArray(missing) ? missing : []
  const words = (field: "tier" | "effect") =>
    uses.flatMap((use) => {
      const found: unknown = typeof use === "object" && use !== null ? Reflect.get(use, field) : undefined
      return typeof found === "string" ? [found] : []
    })
  const [effect] = words("effect")
  return { tiers: [...new Set(words("tier"))], ...(effect === undefined ? {} : { effect }) }
}

/** The tiers that every page has. */
const usual: ReadonlyArray<string> = ["observe", "control"]

/** Returns the command that opens a page with the tiers that this one has, and others. */
const allowCommand = (tiers: ReadonlyArray<string>, granted: ReadonlyArray<string>): string =>
  `sigtrap web --allow ${[...new Set([...granted.filter((one) => !usual.includes(one)), ...tiers])].join(",")}`

/** Returns words as a list: `observe, control and write`. */
const listOf = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

/** A sentence, and the command of a terminal that it leads to. */
interface CommandWords {
  readonly text: string
  readonly command?: string
}

/**
 * Says that something needs a tier which this page does not have, and how to allow it. `granted` are the tiers of the page, `effect` what
 * the call would do.
 */
export const needsTiers = (tiers: ReadonlyArray<string>, granted: ReadonlyArray<string>, effect = "") => {
  const [first = ""] = tiers
  const doing = doings.get(effect) ?? doings.get(first) ?? "This"
  const names = tiers.map((tier) => `“${tier}”`).join(" and ")
  const may = granted.length === 0 ? "do nothing" : listOf(granted)
  return {
    text: `${doing} needs the tier ${names}. This page may ${may}. Allow it in a terminal:`,
    command: allowCommand(tiers, granted)
  }
}

/** Returns who an actor is (`holder` of LEASE_HELD, `by` of STALE_STOP). */
const clientOf = (actor: unknown): string =>
  typeof actor === "object" && actor !== null && "role" in actor && actor.role === "person"
    ? personWords("name" in actor && typeof actor.name === "string" ? actor.name : undefined)
    : "agent"

/** Returns that another client, or another page of the person, has resumed the program (`by` of STALE_STOP). `own` is the id of the page. */
const staleWords = (by: unknown, own: string): string => {
  if (typeof by !== "object" || by === null || !("id" in by)) return "The program has left this stop. Nothing was done."
  const who =
    by.id === own ? "You resumed the program on another page" : `${clientOf(by)} resumed the program meanwhile`
  return `${who}. Nothing was done.`
}

/** Returns everything that is known of a failure: its message, and what the debugger or the build wrote. */
export const wholeWords = ({ details, message }: Failure): string =>
  [message, details["detail"], details["log"]]
    .filter((part): part is string => typeof part === "string" && part !== "")
    .filter((part, at, all) => at === 0 || !(all[0] ?? "").includes(part))
    .join("\n\n")

/** Returns why a breakpoint was not set (`reason` of BREAKPOINT_UNRESOLVED), without its place, and the similar names of the message. */
const unresolvedWords = (message: string, reason: string): string => {
  const at = message.lastIndexOf(`(${reason})`)
  return `No breakpoint was set: ${reason}${at === -1 ? "" : message.slice(at + reason.length + 2)}.`
}

/**
 * Returns a failure in the words of the page, with the command that they lead to. `own` is the id of the page, `operation` that of the call.
 */
export const failureNotice = (
  { code, details, message }: Failure,
  granted: ReadonlyArray<string>,
  { operation, own = "" }: { readonly operation?: string; readonly own?: string } = {}
): CommandWords => {
  if (code === "LEASE_HELD")
    return { text: `${clientOf(details["holder"])} drives. Take control to ${controlFor(operation)}.` }
  if (code === "REQUEST_NOT_FOUND")
    return { text: "This request was answered already, or its time was over. Nothing was done." }
  if (code === "STALE_STOP") return { text: staleWords(details["by"], own) }
  const reason = details["reason"]
  if (code === "BREAKPOINT_UNRESOLVED" && typeof reason === "string") return { text: unresolvedWords(message, reason) }
  if (code !== "TIER_REQUIRED") return { text: sentence(message) }
  const { effect, tiers } = missingOf(details["missing"])
  return needsTiers(tiers, granted, effect)
}

/** Returns a failure in the words of the page. */
export const failureWords = (failure: Failure, granted: ReadonlyArray<string>, operation?: string): string => {
  const { command, text } = failureNotice(failure, granted, operation === undefined ? {} : { operation })
  return command === undefined ? text : `${text} ${command}`
}
