/**
 * The values at the ends of source lines: of variables of the shown frame that were read already.
 */
import type { Value } from "../../connection/Answers.ts"
import type { OpenedVariable } from "../values/ReadMembers.ts"
import type { Code } from "./FunctionLines.ts"
import { blocksBefore, linesOfOthers } from "./InnerBlocks.ts"
import { oldBeside, shortened } from "../words/ShortValues.ts"
import { cutText } from "../words/Words.ts"

/** A value at the end of a line. */
export interface InlineValue {
  readonly name: string
  readonly value: string
  readonly old?: string
  /** True for a value that changed and whose old value has no room. */
  readonly isChanged?: boolean
  /** True until the value is read again. */
  readonly isOld?: boolean
  /** The value and the old one in full, if they are shown shortened. */
  readonly whole?: string
}

/** Most values on a line. */
const most = 3

/** Most and least characters of a value that shares its line, so that the beginnings of all are in view. */
const [mostShared, leastShared] = [40, 7]

/** Columns between two values of a line. */
const gap = 4

/** Most characters of an old value at the end of a line. It is there in full where the value is listed. */
const mostOld = 16

/** Returns the old value at the end of a line; none if the shortened values do not differ, such as those of one pointer. */
const oldOf = ({ changed, old, type, value }: Value) =>
  changed !== true ||
  old === undefined ||
  oldBeside(value, old) === undefined ||
  shortened(old, type) === shortened(value, type)
    ? {}
    : { old: cutText(shortened(old, type), mostOld) }

/** Returns a value with the old one. */
export const withWas = (value: string, old: string | undefined): string =>
  old === undefined ? value : `${value} was ${old}`

/** Returns a value of a line; with the whole of it if the line shows less. */
const shownOf = (name: string, variable: Value, isOld: boolean): InlineValue => {
  const { changed, old, type, value } = variable
  const shown = { name, value: shortened(value, type), ...oldOf(variable), ...(isOld ? { isOld } : {}) }
  const whole = withWas(value, changed === true ? old : undefined)
  return whole === withWas(shown.value, shown.old) ? shown : { ...shown, whole }
}

/** Returns the columns of a value of a line of which at most some characters are shown. One that is cut does not show what it was. */
const columnsOf = ({ name, old, value }: InlineValue, most: number): number => {
  const was = old === undefined || value.length > most ? 0 : " was ".length + old.length
  return name.length + " = ".length + Math.min(value.length, most) + was
}

/** Returns the values of a line, so short that all of them begin in its free columns. */
const shared = (values: ReadonlyArray<InlineValue>, columns: number): ReadonlyArray<InlineValue> => {
  if (values.length < 2) return values
  const isTooLong = (most: number) =>
    values.reduce((sum, one) => sum + columnsOf(one, most) + gap, -gap) > columns && most > leastShared
  let most = mostShared
  while (isTooLong(most)) most -= 1
  return values.map((shown) => {
    if (shown.value.length <= most) return shown
    const { old, ...rest } = shown
    return {
      ...rest,
      ...(old === undefined ? {} : { isChanged: true }),
      value: cutText(shown.value, most),
      whole: shown.whole ?? withWas(shown.value, old)
    }
  })
}

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
 * Returns the first occurrence of a name on each line that has it, the last line first. `others` returns the lines in which the name
 * is that of another variable.
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

/** A value that is wanted at an occurrence of its name. */
interface Wanted {
  readonly shown: InlineValue
  /** The columns that show something of it. */
  readonly least: number
  readonly place: number
  /** The occurrences on the lines above. */
  readonly above: ReadonlyArray<Occurrence>
}

/** Matches the types whose values are mostly short: numbers, and what is true or false. */
const shortType =
  /^(?:const |volatile |unsigned |signed )*(?:bool|_Bool|boolean|char|short|int|long|size_t|u?int(?:8|16|32)?(?:_t)?|[iu](?:8|16|32|size)|uint|byte|rune|number|float|double|f32|f64|float32|float64)(?: int)?$/

/**
 * Returns the columns that show something of a value: its name, its beginning and the space after it. Its type has a part in it, the value
 * has none, so that values keep their places between stops.
 */
const leastOf = (name: string, type: string | undefined): number =>
  name.length + " = ".length + (shortType.test(type ?? "") ? 7 : 10)

/**
 * Returns those that a line has room for: first those that no line below shows and whose name occurs on no line above, then the others that
 * no line below shows. `columns` are those that are free in the line, `placed` the names that lines below show.
 */
const withRoom = (row: ReadonlyArray<Wanted>, columns: number, placed: ReadonlySet<string>): ReadonlySet<Wanted> => {
  const isPlaced = ({ shown }: Wanted) => placed.has(shown.name)
  const alone = row.filter((one) => one.above.length === 0 && !isPlaced(one)).slice(0, most)
  const taken = new Set(alone)
  let left = alone.reduce((rest, { least }) => rest - least, columns)
  for (const one of row.toSorted((a, b) => Number(isPlaced(a)) - Number(isPlaced(b)))) {
    if (taken.has(one) || taken.size === most || left < one.least) continue
    // What is shown below takes no room of a value that is shown here only.
    const used = [...taken].reduce((sum, { shown }) => sum + columnsOf(shown, mostShared) + gap, 0)
    if (isPlaced(one) && used + one.least > columns) continue
    taken.add(one)
    left -= one.least
  }
  return taken
}

/** The values that are wanted on the lines of a function. */
const makeRows = (room: (line: number) => number) => {
  const rows = new Map<number, Array<Wanted>>()
  const placed = new Set<string>()
  /** Wants a value on the first of the lines. */
  const want = (
    shown: InlineValue,
    { isLast, least }: { readonly isLast: boolean; readonly least: number },
    [here, ...above]: ReadonlyArray<Occurrence>
  ) => {
    if (here === undefined) return
    const row = rows.get(here.line) ?? []
    if (row.some((one) => one.shown.name === shown.name)) return
    rows.set(here.line, [...row, { shown, least, place: here.column + (isLast ? 10_000 : 0), above }])
  }
  /** Takes the values of a line, in the order of their names in its text. Those without room are wanted above. */
  const take = (line: number): ReadonlyArray<InlineValue> => {
    const row = (rows.get(line) ?? []).toSorted((one, other) => one.place - other.place)
    const columns = room(line)
    const shown = withRoom(row, columns, placed)
    for (const one of shown) placed.add(one.shown.name)
    for (const one of row)
      if (!shown.has(one)) want(one.shown, { isLast: one.place >= 10_000, least: one.least }, one.above)
    return shared(
      row.filter((one) => shown.has(one)).map((one) => one.shown),
      columns
    )
  }
  return { want, take }
}

/**
 * Returns the values by line. Each name is shown on the last line at or above the current one where it occurs. One that occurs on
 * the current line is also shown on the last line above it; a pointer is shown only there, because it says less, but a null pointer on
 * both. A line has at most three values: another one is shown on the last line above that has its name and room. Values of a line are
 * in the order of their names in its text, functions last. `scope` are the lines of the function, the current one first. `room` returns
 * how many columns are free after the text of a line.
 */
export const inlineValues = (
  code: Code,
  scope: ReadonlyArray<number>,
  current: number,
  variables: ReadonlyArray<OpenedVariable>,
  room: (line: number) => number = () => Infinity
): ReadonlyMap<number, ReadonlyArray<InlineValue>> => {
  const lines = scope.map((line) => ({ line, text: code(line - 1) }))
  // Each line is read once.
  const texts = new Map(lines.map(({ line, text }) => [line - 1, text]))
  const known: Code = (index) => texts.get(index) ?? code(index)
  const blocks = blocksBefore(known, scope)
  const { take, want } = makeRows(room)
  for (const { isOld, name, value } of namedValues(variables)) {
    const places = occurrencesOf(name, lines, (one) => linesOfOthers(known, blocks, one))
    if (places.length === 0 || !isReadable(value)) continue
    const shown = shownOf(name, value, isOld)
    const isHere = places[0]?.line === current
    const how = { isLast: isFunction(value), least: leastOf(name, value.type) }
    if (!isHere || places.length === 1 || !isPointer(value)) want(shown, how, places)
    if (isHere) want(shown, how, places.slice(1))
  }
  // From the last line up, because what has no room is shown above.
  return new Map(
    scope.flatMap((line) => {
      const row = take(line)
      return row.length === 0 ? [] : [[line, row] as const]
    })
  )
}
