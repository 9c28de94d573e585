/**
 * Exception filters, the exception of a stop, and the exceptions of a session as text.
 */
import type { Operations, Stop } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as Sanitise from "./Sanitise.ts"
import type * as View from "./View.ts"

/** The text of an exception on a line that has others beside it, without colours. */
const shortened = (text: string): string => Doc.cut(Sanitise.withoutColours(text), 160)

/** Renders `on   cpp_throw  C++ Throw  (catchpoint 2, adapter)`. */
export const list = (filters: Operations.Data<"catch.list">["filters"]): Doc.Doc => {
  if (filters.length === 0) return Doc.lines(Doc.line("no exception filters"))
  const names = Math.max(...filters.map(({ filter }) => filter.length))
  return Doc.lines(
    ...filters.map(({ by, condition, filter, id, label, on }) =>
      Doc.line(
        Doc.span(on ? "on   " : "off  ", on ? "plain" : "dim"),
        `${filter.padEnd(names)}  ${label}${condition === undefined ? "" : ` if ${Doc.cut(condition, 80)}`}`,
        Doc.span(`  (${id === undefined ? "" : `catchpoint ${id}, `}${by})`, "dim")
      )
    )
  )
}

const placed = (view: View.View, text: string, at: Stop.GroupedException["raised_at"]) =>
  Doc.line(text, ...(at === undefined ? [] : [", in ", ...Frames.at(view, at)]))

/** `… 5 more (explain)`: the exceptions of a list behind the shown ones. */
const rest = (all: ReadonlyArray<Stop.GroupedException>, most: number): ReadonlyArray<Doc.Line> => {
  const left = all.slice(most).reduce((sum, { omitted = 1 }) => sum + omitted, 0)
  return left === 0 ? [] : [Doc.line(`… ${left} more (explain)`)]
}

/**
 * Renders the exceptions that were raised before, the causes, and those in a group: `raised before: Refused: no space`,
 * `caused by Error: no file, in load job.js:3`, `contains ValueError: bad value, in parse job.py:7`.
 */
export const others = (
  view: View.View,
  { caused_by: origins = [], causes = [], members = [] }: Pick<Stop.StopException, "caused_by" | "causes" | "members">,
  most: number
): ReadonlyArray<Doc.Line> => [
  ...causes.slice(0, most).map((text) => Doc.line(`raised before: ${shortened(text)}`)),
  ...origins.slice(0, most).map(({ raised_at: at, text }) => placed(view, `caused by ${shortened(text)}`, at)),
  ...rest(origins, most),
  ...members.slice(0, most).map(({ raised_at: at, text }) => placed(view, `contains ${shortened(text)}`, at)),
  ...rest(members, most)
]

/** Renders type and message, the exceptions in a group, the origin, and the stack. */
export const exception = (view: View.View, data: Operations.Data<"exception">): Doc.Doc => {
  const what = Sanitise.withoutColours([data.type, data.message].filter((part) => part !== undefined).join(": "))
  return Doc.concat(
    Doc.lines(
      // LLDB's description of a signal starts with the id: "signal SIGSEGV".
      what.startsWith(`${data.id} `)
        ? Doc.line(Doc.span("exception", "heading"), ` ${Doc.cut(what, 200)}`)
        : Doc.line(Doc.span(`exception ${data.id}`, "heading"), what === "" ? "" : ` ${Doc.cut(what, 200)}`),
      ...others(view, data, 8),
      ...(data.thrown_at === undefined ? [] : [Doc.line("thrown at ", ...Frames.at(view, data.thrown_at))])
    ),
    Doc.lines(...Frames.rows(view, data.frames, 0))
  )
}

/** `#5 signal: SIGSEGV …  thread 1`, one line per exception. */
export const history = ({ exceptions }: Operations.Data<"exceptions">): Doc.Doc =>
  Doc.lines(
    ...(exceptions.length === 0 ? [Doc.line("no exceptions so far")] : []),
    ...exceptions.map(({ reason, stop, text, thread }) => {
      const words = text.startsWith(reason) ? shortened(text) : `${reason}: ${shortened(text)}`
      return Doc.line(`#${stop} ${words}`, Doc.span(thread === undefined ? "" : `  thread ${thread}`, "dim"))
    })
  )
