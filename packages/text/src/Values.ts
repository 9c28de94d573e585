/**
 * The answers of `expand`, `set`, `args`, `globals`, `vars`, `changed`, `find`, `refs`, `type` and `complete` as text.
 */
import type { Frame, Operations, Stop, Variable } from "@sigtrap/protocol"
import * as Change from "./Change.ts"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as StopReport from "./StopReport.ts"
import * as Variables from "./Variables.ts"
import * as View from "./View.ts"

/** Renders the answer of `expand`: one line per child, their children indented. */
export const expanded = (
  view: View.View,
  data: { readonly parent: Variable.Variable; readonly children: ReadonlyArray<Variable.Variable> }
): Doc.Doc => {
  const start = View.number(view, "start", 0)
  if (data.children.length === 0) return Doc.lines(...Variables.rows(view, [data.parent]))
  return Doc.list(
    data.children.map((child) => Variables.tree(view, child)),
    (shown) => View.again(view, "expand", { start: start + shown }),
    () => View.again(view, "expand", { budget: 0 })
  )
}

/** Renders `counter: 10 -> 100 (int)`. */
export const assigned = (data: {
  readonly name: string
  readonly old: string
  readonly new: Variable.Variable
}): Doc.Doc =>
  Doc.lines(
    Doc.line(
      Doc.span(data.name, "name"),
      `: ${Change.text(data.old, data.new.value, 80)}`,
      data.new.type === undefined ? "" : ` (${data.new.type})`
    )
  )

/** Renders the answers of `display`. */
export const displays = (items: ReadonlyArray<Stop.Evaluation>): Doc.Doc =>
  items.length === 0 ? Doc.lines(Doc.line("no displays")) : Doc.lines(...items.map(StopReport.evaluation))

/** Renders the answers of `args`, `globals` and `vars`. */
export const variables = (
  view: View.View,
  command: "args" | "globals" | "vars",
  data: { readonly variables: ReadonlyArray<Variable.Variable>; readonly not_found?: ReadonlyArray<string> }
): Doc.Doc => {
  const start = View.number(view, "start", 0)
  const missing = data.not_found ?? []
  const none = command === "args" ? "no arguments" : command === "vars" ? "no variables" : "no global variables"
  return Doc.concat(
    data.variables.length === 0 && missing.length === 0 ? Doc.lines(Doc.line(none)) : Doc.empty,
    Doc.list(
      Variables.entries(view, data.variables),
      (shown) => View.again(view, command, command === "globals" ? { start: start + shown } : { budget: 0 }),
      () => View.again(view, command, { budget: 0 })
    ),
    missing.length === 0 ? Doc.empty : Doc.lines(Doc.line(Doc.span(`not found: ${missing.join(", ")}`, "warning")))
  )
}

/** Renders `#11 -> #12  total 10 -> 30  i 1 -> 2  output +0 B`. */
export const changed = (
  view: View.View,
  data: {
    readonly from: number
    readonly to: number
    readonly vars: ReadonlyArray<{ readonly name: string; readonly old?: string; readonly new: string }>
    readonly frame: Frame.Frame
    readonly entered: boolean
    readonly output_bytes: number
  }
): Doc.Doc => {
  const values = data.vars.map(({ name, old, new: now }) =>
    Doc.span(`  ${name} ${old === undefined ? Doc.cut(now, 60) : Change.text(old, now, 60)}`)
  )
  const frame = data.entered ? ["  now in ", ...Frames.at(view, data.frame)] : []
  return Doc.lines(
    Doc.line(
      Doc.span(`#${data.from} -> #${data.to}`, "heading"),
      ...frame,
      ...values,
      `  output +${data.output_bytes} B`
    )
  )
}

/** `var   total  int  frame 0 sum_scores app.c:14`, one line per match. */
export const found = (view: View.View, { matches }: Operations.Data<"find">): Doc.Doc =>
  Doc.list(
    Doc.table(
      matches.map(({ frame, kind, location, name, scope, type: of }) => {
        const definition = of?.split("\n")[0]?.replace(/\s*\{.*$/s, "") ?? ""
        const place =
          location === undefined
            ? ""
            : Frames.at(view, location)
                .map((part) => part.text)
                .join("")
        return [
          kind,
          name,
          Doc.cut(definition, 40),
          scope === "global" ? "global" : `${frame === undefined ? "" : `frame ${frame} `}${place}`
        ]
      })
    ).map((row) => [Doc.line(row)]),
    () => View.again(view, "find", { budget: 0 })
  )

/** `@v3  items[1].name`, one line per reference. */
export const references = (view: View.View, { references: all }: Operations.Data<"refs">): Doc.Doc =>
  all.length === 0
    ? Doc.lines(Doc.line("no references yet"))
    : Doc.list(
        Doc.table(all.map(({ expression, frame, ref }) => [ref, Doc.cut(expression, 80), `frame ${frame}`])).map(
          (row) => [Doc.line(row)]
        ),
        (shown) => View.again(view, "refs", { start: View.number(view, "start", 0) + shown })
      )

/** A base class or member of a type. */
interface Field {
  readonly name: string
  readonly type: string
  readonly offset?: number
  readonly size?: number
  readonly base?: boolean
}

/** Returns the unused bytes behind a member; undefined if there are none, or if a member's offset or size is unknown. */
const padding = (fields: ReadonlyArray<Field>, { offset, size }: Field, total: number | undefined) => {
  const known = fields.flatMap((one) =>
    one.offset === undefined || one.size === undefined ? [] : [{ start: one.offset, end: one.offset + one.size }]
  )
  if (offset === undefined || size === undefined || known.length < fields.length) return undefined
  const start = offset + size
  if (known.some((one) => one.start <= start && one.end > start)) return undefined
  const next = Math.min(...known.flatMap((one) => (one.start > start ? [one.start] : [])), total ?? start)
  return next > start ? { start, size: next - start } : undefined
}

/** Returns a member as it is declared: `int count`, `unsigned int ready : 1`. */
const declared = ({ name, type: of }: Field): string => {
  const [, plain, bits] = /^(.*) : (\d+)$/.exec(of) ?? []
  return plain === undefined ? `${of} ${name}` : `${plain} ${name} : ${bits ?? ""}`
}

/** Renders the answer of `type`. */
export const type = (
  view: View.View,
  data: {
    readonly type: string
    readonly definition?: string
    readonly size?: number
    readonly fields?: ReadonlyArray<Field>
  }
): Doc.Doc => {
  const size = data.size === undefined ? "" : `  ${data.size} bytes`
  const fields: ReadonlyArray<Field> = data.fields ?? []
  if (fields.some(({ offset, size: bytes }) => offset !== undefined || bytes !== undefined)) {
    const rows = Doc.table([
      ["offset", "size", "member"],
      ...fields.flatMap((field) => {
        const row = [
          field.offset === undefined ? "" : String(field.offset),
          field.size === undefined ? "" : String(field.size),
          field.base === true ? `${field.type} (base class)` : declared(field)
        ]
        const gap = padding(fields, field, data.size)
        return gap === undefined ? [row] : [row, [String(gap.start), String(gap.size), "(padding)"]]
      })
    ])
    return Doc.concat(
      Doc.lines(Doc.line(Doc.span(data.type, "name"), size)),
      Doc.list(
        rows.map((row) => [Doc.line(row)]),
        () => View.again(view, "type", { budget: 0 })
      )
    )
  }
  const definition = data.definition === undefined || data.definition === data.type ? "" : data.definition
  return Doc.concat(
    Doc.lines(Doc.line(Doc.span(data.type, "name"), size)),
    Doc.list(
      Doc.paragraph(definition).map((line) => [line]),
      () => View.again(view, "type", { budget: 0 })
    )
  )
}

/** Renders one completion per line. */
export const completions = (
  view: View.View,
  list: ReadonlyArray<{ readonly text: string; readonly type?: string }>
): Doc.Doc =>
  list.length === 0
    ? Doc.lines(Doc.line("no completions"))
    : Doc.list(
        Doc.table(list.map(({ text, type: kind }) => [text, view.verbose === true ? (kind ?? "") : ""])).map((row) => [
          Doc.line(row)
        ]),
        () => View.again(view, "complete", { budget: 0 })
      )
