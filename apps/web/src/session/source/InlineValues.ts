/**
 * The values at the ends of source lines: of variables of the shown frame that were read already.
 */
import type { Value } from "../../connection/Answers.ts"
import type { OpenedVariable } from "../values/ReadMembers.ts"
import type { Code } from "./FunctionLines.ts"
import { blocksBefore, linesOfOthers } from "./InnerBlocks.ts"
import { oldBeside, shortened } from "../words/ShortValues.ts"

/** A value at the end of a line. */
export interface InlineValue {
  readonly name: string
  readonly value: string
  readonly old?: string
  /** True until the value is read again. */
  readonly isOld?: boolean
}

/** Most values on a line. */
const most = 3

/** Returns the old value at the end of a line; none if the shortened values do not differ, such as those of one pointer. */
const oldOf = ({ changed, old, type, value }: Value) =>
  changed !== true ||
  old === undefined ||
  oldBeside(value, old) === undefined ||
  shortened(old, type) === shortened(value, type)
    ? {}
    : { old: shortened(old, type) }

const isReadable = ({ attributes = [] }: Value): boolean =>
  !attributes.some((one) => ["optimized-out", "unknown", "unreadable", "masked", "uninitialized"].includes(one))

/** True for a function of JavaScript or Python, whose value says least. */
const isFunction = ({ type = "" }: Value): boolean => /^(?:function|method)$/i.test(type)

/** True for a pointer that points to something. */
const isPointer = ({ value }: Value): boolean => /^0x0*[1-9a-f]/i.test(value)

/** Where a name occurs: the number of the line, and the index of its first character in the text. */
interface Occurrence {
  readonly line: number
  readonly column: number
}

/** A line of the function, with its text. */
interface ScopeLine {
  readonly line: number
  readonly text: string
}

/**
 * Returns the first occurrence of a name on each line that has it, the last line first: at most the last two. `others` returns the lines
 * in which the name is that of another variable.
 */
const occurrencesOf = (
  name: string,
  lines: ReadonlyArray<ScopeLine>,
  others: (name: string) => ReadonlySet<number>
): ReadonlyArray<Occurrence> => {
  const having = lines.filter(({ text }) => text.includes(name))
  // An open array has a thousand members, of which the text names few.
  if (having.length === 0) return []
  const word = new RegExp(`(?<![\\w.>])${name.replaceAll(/[^\w]/g, "\\$&")}(?!\\w)`)
  const found: Array<Occurrence> = []
  const hidden = others(name)
  for (const { line, text } of having) {
    if (hidden.has(line)) continue
    const column = text.search(word)
    if (column >= 0) found.push({ line, column })
    if (found.length === 2) break
  }
  return found
}

/** Returns the names of a member in the text: `p->n`; of the object of a method also `n`. One that no expression names has none. */
const namesOf = (parent: Value, { expression, name }: Value): ReadonlyArray<string> => [
  ...(parent.name === "this" && /^[A-Za-z_]\w*$/.test(name) ? [name] : []),
  ...(expression === undefined ? [] : [expression])
]

/** A value with its name in the text. */
interface Named {
  readonly name: string
  readonly value: Value
  readonly isOld: boolean
}

/** Returns the variables and their members. A variable hides a member of its name. */
const namedValues = (variables: ReadonlyArray<OpenedVariable>): ReadonlyArray<Named> => {
  const hidden = new Set(variables.map(({ value }) => value.name))
  return variables.flatMap(({ isOld, members, value: parent }) => [
    { name: parent.name, value: parent, isOld: false },
    ...members.flatMap((member) =>
      namesOf(parent, member)
        .filter((name) => !hidden.has(name))
        .map((name) => ({ name, value: member, isOld }))
    )
  ])
}

/**
 * Returns the values by line. Each name is shown on the last line at or above the current one where it occurs. One that occurs on
 * the current line is also shown on the last line above it; a pointer is shown only there, because it says less, but a null pointer on
 * both. Values of a line are in the order of their names in its text, functions last. `scope` are the lines of the function, the
 * current one first.
 */
export const inlineValues = (
  code: Code,
  scope: ReadonlyArray<number>,
  current: number,
  variables: ReadonlyArray<OpenedVariable>
): ReadonlyMap<number, ReadonlyArray<InlineValue>> => {
  const found = new Map<number, Array<{ readonly place: number; readonly shown: InlineValue }>>()
  const lines = scope.map((line) => ({ line, text: code(line - 1) }))
  // Each line is read once.
  const texts = new Map(lines.map(({ line, text }) => [line - 1, text]))
  const known: Code = (index) => texts.get(index) ?? code(index)
  const blocks = blocksBefore(known, scope)
  for (const { isOld, name, value } of namedValues(variables)) {
    const [last, above] = occurrencesOf(name, lines, (one) => linesOfOthers(known, blocks, one))
    if (last === undefined || !isReadable(value)) continue
    const chosen =
      last.line !== current ? [last] : above === undefined ? [last] : isPointer(value) ? [above] : [last, above]
    const shown = { name, value: shortened(value.value, value.type), ...oldOf(value), ...(isOld ? { isOld } : {}) }
    for (const { column, line } of chosen) {
      const place = column + (isFunction(value) ? 10_000 : 0)
      found.set(line, [...(found.get(line) ?? []), { place, shown }])
    }
  }
  return new Map(
    [...found].map(([line, row]) => [
      line,
      row
        .toSorted((one, other) => one.place - other.place)
        .slice(0, most)
        .map(({ shown }) => shown)
    ])
  )
}
