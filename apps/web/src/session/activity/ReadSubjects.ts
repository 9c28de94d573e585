/**
 * What a call read or evaluated, for its row of Activity.
 */
import { framesRead, type Read } from "./ActsAtStop.ts"
import { withoutAddress } from "../words/ShortValues.ts"
import { cutText } from "../words/Words.ts"

/** A part of the sentence of a row: `code` in the fixed-width font, then `text`. */
export interface Subject {
  readonly code: string
  readonly text: string
}

/** Most characters of a value in a row. */
const mostOfValue = 40

/** Commands that read without an expression, and what they read. */
const wordsOf: ReadonlyMap<string, string> = new Map([
  ["locals", "variables"],
  ["backtrace", "stack"],
  ["backtrace --all-threads", "all stacks"],
  ["threads", "threads"],
  ["registers", "registers"],
  ["disassemble", "instructions"],
  ["modules", "modules"]
])

/** True if an expression assigns, so that a further equals sign would be read as part of it. */
const assigns = (expression: string): boolean => /(?<![=!<>])=(?!=)/.test(expression)

/** Returns what a command without expressions read. One that is not in the table is shown as it is. */
const subjectOf = (command: string): Subject => {
  const [, name = command, frame] = /^(.*?)(?: --frame (\d+))?$/.exec(command) ?? []
  const words = wordsOf.get(name)
  if (words === undefined) return { code: command, text: "" }
  return { code: "", text: frame === undefined ? words : `${words} of frame ${frame}` }
}

/**
 * Returns what a call read or evaluated, with the values that it answered: `total = 30`, and `total = 7 → 7`. `command` is its command
 * line as it is shown. The frame is named if the call names one only, by its index.
 */
export const subjectsOf = (event: Read, command: string): ReadonlyArray<Subject> => {
  const { expressions, values = [] } = event
  if (expressions === undefined) return [subjectOf(command)]
  const [frame = ""] = event.command.includes("; ") ? [] : framesRead([event])
  const place = /^\d+$/.test(frame) ? ` in frame ${frame}` : ""
  return expressions.map((expression) => {
    const found = values.find((one) => one.expression === expression)
    if (found === undefined) return { code: expression, text: place }
    const value = cutText(withoutAddress(found.value, found.type), mostOfValue)
    return { code: expression, text: `${place} ${assigns(expression) ? "→" : "="} ${value}` }
  })
}

/** Returns a subject as text. */
export const textOf = ({ code, text }: Subject): string => code + text
