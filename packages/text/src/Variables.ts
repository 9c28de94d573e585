/**
 * Variables as text: short values on one line, with a reference if there are children.
 *
 * Strings have at most 120 characters, aggregates 80; longer ones end in `…`. `*` marks a value that changed since the
 * previous stop.
 */
import { Variable } from "@sigtrap/protocol"
import * as Change from "./Change.ts"
import * as Doc from "./Doc.ts"
import * as Sanitise from "./Sanitise.ts"
import * as View from "./View.ts"

const longest = {
  string: 120,
  aggregate: Variable.lineLength,
  brief: 16,
  inLine: 60,
  report: 200,
  items: 5,
  inReport: 8
} as const

/** A limit that no value reaches. */
const unlimited = 1_000_000

const isElement = (name: string) => /^\[\d+\]$/.test(name)
const member = (child: Variable.Variable): string => {
  const text = child.children === undefined ? child.value : (contents(child, longest.aggregate) ?? child.value)
  return isElement(child.name) ? text : `${child.name}:${text}`
}
const isPointer = (value: string) => /^0x[0-9a-fA-F]+$/.test(value)
const isOpaque = (variable: Variable.Variable) =>
  /^(?:|\{\.\.\.\}|\{…\}|\[\.\.\.\])$/.test(variable.value) || variable.value === variable.type

/** `{id:2 name:"beta" score:20.25}`, with as many members as fit into `limit` characters. */
const contents = (variable: Variable.Variable, limit: number): string | undefined => {
  const { children } = variable
  if (children === undefined || children.length === 0) return undefined
  const shown: Array<string> = []
  let used = 2
  for (const child of children) {
    const text = Doc.cut(Change.shortAddresses(Sanitise.line(member(child))), longest.string)
    if (used + text.length > limit || (isElement(child.name) && shown.length === longest.items)) break
    shown.push(text)
    used += text.length + 1
  }
  const whole = shown.length === Math.max(children.length, variable.child_count ?? 0)
  return `{${[...shown, ...(whole ? [] : ["…"])].join(" ")}}`
}

const isAggregate = (variable: Variable.Variable) =>
  variable.children !== undefined ||
  (variable.child_count ?? 0) > 0 ||
  /^(?:0x[0-9a-fA-F]+ )?[{[(]/.test(variable.value)

/** Cuts the debugger's own `{a:1, b:2}` after a whole member. */
const cutMembers = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const end = text.lastIndexOf(", ", Math.max(limit - 3, text.indexOf(", ")))
  return end < 0 ? Doc.cut(text, limit) : `${text.slice(0, end)} …}`
}

/** Renders the value on one line; `arrow` separates a pointer from its target. */
const value = (variable: Variable.Variable, limit: number, arrow: string, text: number = longest.string): string => {
  const own = Change.shortAddresses(Sanitise.line(variable.value))
  const [, address, pointee] = /^(0x[0-9a-f]+) (\{.*)$/s.exec(own) ?? []
  if (address !== undefined && pointee !== undefined) return `${address}${arrow}${cutMembers(pointee, limit)}`
  const inside = /[{[]/.test(own) && !isOpaque(variable) ? undefined : contents(variable, limit)
  if (inside !== undefined) {
    return isOpaque(variable) ? inside : isPointer(own) ? `${own}${arrow}${inside}` : `${Doc.cut(own, limit)} ${inside}`
  }
  if (own === "" && variable.attributes?.includes("optimized-out")) return "<optimized out>"
  const shown = Doc.cut(own, isAggregate(variable) ? limit : text)
  return variable.truncated === true && !shown.endsWith("…") ? `${shown}…` : shown
}

const unreliable = new Set(["optimized-out", "unknown", "uninitialized"])

const isUnreliable = (variable: Variable.Variable) =>
  variable.attributes?.some((attribute) => unreliable.has(attribute)) ?? false

const mark = (variable: Variable.Variable) => (variable.changed === true ? Doc.span("*", "changed") : "")

/** `total=10* items=0x7ffe10 {id:1 …}@v2`: the first locals on one line, unreliable values last. */
export const brief = (variables: ReadonlyArray<Variable.Variable>): Doc.Line | undefined => {
  const sorted = [...variables.filter((variable) => !isUnreliable(variable)), ...variables.filter(isUnreliable)]
  const texts: Array<string> = []
  let used = 0
  for (const variable of sorted.slice(0, longest.inReport)) {
    const text = Doc.cut(value(variable, longest.brief, " "), longest.inLine)
    const length = variable.name.length + text.length + (variable.ref?.length ?? 0) + 3
    if (texts.length > 0 && used + length > longest.report) break
    texts.push(text)
    used += length
  }
  if (texts.length === 0) return undefined
  const rest = sorted.length - texts.length
  // The values share the room that is left, the first ones first.
  let room = longest.report - used - (rest === 0 ? 0 : ` … ${rest} more`.length)
  const parts = texts.flatMap((text, index): ReadonlyArray<Doc.Span | string> => {
    const variable = sorted[index]
    if (variable === undefined) return []
    const longer = room <= 0 ? text : Doc.cut(value(variable, longest.brief + room, " "), longest.inLine + room)
    const shown = longer.length <= text.length + room ? longer : text
    room -= Math.max(0, shown.length - text.length)
    const words = [Doc.span(variable.name, "name"), `=${shown}`, mark(variable), variable.ref ?? ""]
    return index === 0 ? words : [" ", ...words]
  })
  return Doc.line(...parts, Doc.span(rest === 0 ? "" : ` … ${rest} more`, "dim"))
}

const notes = (view: View.View, variable: Variable.Variable): string => {
  const showsType = view.verbose === true || view.input?.["type"] === true
  const type = showsType && variable.type !== undefined ? [variable.type] : []
  // The text of these values says the same.
  const silent = new Set(["lazy", "read-only", "masked", "unreadable", "unknown"])
  const isSaid = (attribute: string) => silent.has(attribute) || variable.value.includes(attribute.replace("-", " "))
  const odd = (variable.attributes ?? []).filter((attribute) => !isSaid(attribute))
  const address = view.verbose === true && variable.address !== undefined ? [`at ${variable.address}`] : []
  const old = variable.old === undefined ? [] : [`was ${Doc.cut(variable.old, 60)}`]
  const file = variable.file === undefined ? [] : [Sanitise.line(variable.file)]
  const all = [...type, ...odd, ...address, ...file, ...old]
  return all.length === 0 ? "" : `  (${all.join(", ")})`
}

/** `items = 0x7ffe10 -> {id:1 name:"alpha" score:10.5}  @v2`. */
const assignment = (view: View.View, variable: Variable.Variable, name: string): Doc.Line => {
  // A statement, such as an assignment of Python, has no value.
  const isEmpty = variable.value === "" && variable.type === undefined && variable.ref === undefined
  if (isEmpty && variable.children === undefined)
    return Doc.line(Doc.span(name, "name"), Doc.span("  (no value)", "dim"))
  return Doc.line(
    Doc.span(name, "name"),
    " = ",
    value(
      variable,
      view.input?.["full"] === true ? unlimited : longest.aggregate,
      " -> ",
      View.number(view, "max_string", view.input?.["full"] === true ? unlimited : longest.string)
    ),
    mark(variable),
    Doc.span(notes(view, variable), "dim"),
    Doc.span(variable.ref === undefined ? "" : `  ${variable.ref}`, "dim")
  )
}

/** Renders one line per variable, with aligned names. */
export const rows = (view: View.View, variables: ReadonlyArray<Variable.Variable>): ReadonlyArray<Doc.Line> => {
  const byPath = view.input?.["path"] === true
  const names = variables.map((variable) =>
    Doc.cut(Sanitise.line(byPath ? (variable.expression ?? variable.name) : variable.name), byPath ? 80 : 40)
  )
  const columns = Math.max(0, ...names.map(Doc.width))
  return variables.map((variable, index) => assignment(view, variable, Doc.pad(names[index] ?? "", columns)))
}

/** True if one line shows a value with all of the members that were read. */
const fitsOneLine = (variable: Variable.Variable): boolean => {
  const inside = contents(variable, longest.aggregate)
  if (inside === undefined) return false
  const own = Sanitise.line(variable.value)
  if (!/[{[]/.test(own) || isOpaque(variable)) return !inside.includes("…")
  // The text of a pointer shows what it points to, not the elements that were read behind it.
  const isList = own.startsWith("0x") && variable.children?.some(({ name }) => isElement(name)) === true
  return !isList && variable.value !== "" && !Variable.leavesOut(variable.value) && own.length <= longest.aggregate
}

/** Renders a value and its children, indented by depth. */
export const tree = (view: View.View, variable: Variable.Variable, depth = 0): ReadonlyArray<Doc.Line> => {
  const { children = [], ...shown } = variable
  const fits = children.length > 0 && fitsOneLine(variable)
  const [own] = rows(view, [fits ? variable : shown])
  const indent = "  ".repeat(depth)
  return [
    ...(own === undefined ? [] : [Doc.line(indent, ...own)]),
    ...(fits ? [] : children.flatMap((child) => tree(view, child, depth + 1)))
  ]
}

/** Renders variables of a list: one line each, and with `depth` their members. `full` adds those that the line leaves out. */
export const entries = (
  view: View.View,
  variables: ReadonlyArray<Variable.Variable>
): ReadonlyArray<ReadonlyArray<Doc.Line>> =>
  View.number(view, "depth", 0) > 0
    ? variables.map((variable) => tree(view, variable))
    : rows(view, variables).map((row, index) => {
        const variable = variables[index]
        const isWhole = view.input?.["full"] !== true || variable === undefined || !Variable.leavesOut(variable.value)
        return isWhole ? [row] : [row, ...tree(view, variable).slice(1)]
      })

/** Renders a requested value. Members that do not fit on its line follow, one per line. */
const opened = (view: View.View, variable: Variable.Variable): ReadonlyArray<Doc.Line> => {
  const first = assignment(view, variable, variable.expression ?? variable.name)
  const children = variable.children ?? []
  const fits = children.length === 0 || fitsOneLine(variable)
  if (fits && view.input?.["path"] !== true) return [first]
  const deep = children.some((child) => child.children !== undefined)
  const inside = deep
    ? children.flatMap((child) => tree(view, child, 1))
    : rows(view, children).map((row) => Doc.line("  ", ...row))
  return [first, ...inside]
}

/** `nosuch: no variable 'nosuch' in this frame [VARIABLE_NOT_FOUND]`. */
const failed = ({ error, name }: Variable.Reading): Doc.Line =>
  Doc.line(
    Doc.span(Doc.cut(Sanitise.line(name), 60), "name"),
    Doc.span(`: ${Doc.cut(error?.message ?? "", 400)}`, "warning"),
    Doc.span(error === undefined ? "" : ` [${error.code}]`, "dim")
  )

/** The lines of one of several values. */
const mostLines = 8

/** The call that shows one of several values alone. An expression of `eval` is not evaluated again. */
const alone = (view: View.View, command: string, { expression, name, ref }: Variable.Reading): string =>
  command === "eval" && ref !== undefined
    ? View.other(view, "expand", { target: ref })
    : View.other(view, "print", { expressions: [expression ?? name] })

/** Renders the answer of `print` and `eval`. */
export const values = (view: View.View, command: string, readings: ReadonlyArray<Variable.Reading>): Doc.Doc => {
  const [only, second] = readings
  const complete = () => View.again(view, command, { budget: 0 })
  const lines = (reading: Variable.Reading) => (Variable.hasValue(reading) ? opened(view, reading) : [failed(reading)])
  if (only === undefined || second !== undefined) {
    // A value with many members leaves room for the others.
    const parts = readings.map((reading) => {
      const all = lines(reading)
      const more = all.length - mostLines
      if (more <= 1) return all
      const note = `  … ${more} more lines${view.quiet === true ? "" : ` · ${alone(view, command, reading)}`}`
      return [...all.slice(0, mostLines), Doc.line(Doc.span(note, "dim"))]
    })
    return Doc.list(parts, complete)
  }
  const [first, ...rest] = lines(only)
  return Doc.concat(
    first === undefined ? Doc.empty : Doc.lines(first),
    Doc.list(
      rest.map((row) => [row]),
      complete
    )
  )
}

/** Renders the answer of `locals`. */
export const locals = (
  view: View.View,
  data: { readonly variables: ReadonlyArray<Variable.Variable>; readonly not_found: ReadonlyArray<string> }
): Doc.Doc => {
  const start = View.number(view, "start", 0)
  const isEmpty = data.variables.length === 0 && data.not_found.length === 0
  return Doc.concat(
    isEmpty ? Doc.lines(Doc.line("no local variables")) : Doc.empty,
    Doc.list(
      entries(view, data.variables),
      (shown) => View.again(view, "locals", { start: start + shown }),
      () => View.again(view, "locals", { budget: 0 })
    ),
    data.not_found.length === 0
      ? Doc.empty
      : Doc.lines(Doc.line(Doc.span(`not found: ${data.not_found.join(", ")}`, "warning")))
  )
}
