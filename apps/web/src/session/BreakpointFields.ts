/**
 * The fields of a breakpoint that a person edits, and the command lines that set them.
 */
import type { Breakpoint } from "../connection/Answers.ts"
import { quoted } from "./Words.ts"

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

const lineOf = (words: ReadonlyArray<string>, options: Fields & Cleared, session: string): string =>
  quoted([
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
