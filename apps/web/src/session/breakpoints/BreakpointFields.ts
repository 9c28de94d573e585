/**
 * The fields of a breakpoint: what they say of it, and the command lines that set those which a person edits.
 */
import type { Breakpoint } from "../../connection/Answers.ts"
import { ordinal } from "../words/StopWords.ts"
import { join } from "@sigtrap/protocol/ShellWords"

/** Fields that have a value. */
interface Fields {
  readonly condition?: string
  readonly hits?: string
  readonly log?: string
}

/** Fields that an edit removes. */
interface Cleared {
  readonly no_condition?: true
  readonly no_hits?: true
  readonly no_log?: true
}

/** Returns the fields that are not empty. */
export const fieldsOf = ({ condition, hits, log }: Required<Fields>): Fields => ({
  ...(condition === "" ? {} : { condition }),
  ...(hits === "" ? {} : { hits }),
  ...(log === "" ? {} : { log })
})

/** Returns the fields of a breakpoint that the edited ones remove. */
export const clearedOf = (
  known: Pick<Breakpoint, "condition" | "hits_wanted" | "log">,
  { condition, hits, log }: Fields
): Cleared => ({
  ...(condition === undefined && known.condition !== undefined ? { no_condition: true } : {}),
  ...(hits === undefined && known.hits_wanted !== undefined ? { no_hits: true } : {}),
  ...(log === undefined && known.log !== undefined ? { no_log: true } : {})
})

/** Returns the sign of a breakpoint: off or not placed, writes a line, stops with a condition or at a hit count, or stops. */
export const signOf = (one: Breakpoint): "off" | "log" | "when" | "on" =>
  !one.enabled || !one.resolved
    ? "off"
    : one.log !== undefined
      ? "log"
      : one.condition === undefined && one.hits_wanted === undefined
        ? "on"
        : "when"

/** A fact of a breakpoint: words, and a text of the program after them. */
interface Limit {
  readonly words: string
  readonly code?: string
}

const hitsOf = (wanted: string): Limit => {
  const [, comparison = "", digits = ""] = /^(==|>=|%)?\s*(\d{1,9})$/.exec(wanted.trim()) ?? []
  const count = Number(digits)
  if (digits === "") return { words: "at hit", code: wanted }
  if (comparison === "==") return { words: `at hit ${count}` }
  return { words: comparison === "%" ? `at every ${ordinal(count)} hit` : `from hit ${count} on` }
}

/** Returns when a breakpoint stops the program, and what it does there. */
export const limitsOf = (one: Breakpoint): ReadonlyArray<Limit> => [
  ...(one.condition === undefined ? [] : [{ words: "when", code: one.condition }]),
  ...(one.hits_wanted === undefined ? [] : [hitsOf(one.hits_wanted)]),
  ...(one.thread === undefined ? [] : [{ words: `in thread ${one.thread}` }]),
  ...(one.thread_name === undefined ? [] : [{ words: "in threads named", code: one.thread_name }]),
  ...(one.log === undefined ? [] : [{ words: "writes", code: one.log }]),
  ...(one.continue === true && one.log === undefined ? [{ words: "does not stop" }] : []),
  ...(one.max === undefined ? [] : [{ words: `off after ${one.max} ${one.log === undefined ? "stops" : "messages"}` }])
]

const lineOf = (words: ReadonlyArray<string>, options: Fields & Cleared, session: string): string =>
  join([
    "sigtrap",
    ...words,
    ...Object.entries(options).flatMap(([name, value]) => [
      `--${name.replace("_", "-")}`,
      ...(typeof value === "string" ? [value] : [])
    ]),
    "--session",
    session
  ])

/** Returns the command line that sets a breakpoint. */
export const breakCommand = (file: string, line: number, { condition, ...others }: Fields, session: string): string =>
  lineOf(["break", `${file}:${line}`, ...(condition === undefined ? [] : ["--if", condition])], others, session)

/** Returns the command line that changes a breakpoint. */
export const editCommand = (id: number, options: Fields & Cleared, session: string): string =>
  lineOf(["breakpoint", "edit", String(id)], options, session)
