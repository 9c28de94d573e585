/**
 * An explanation as text: what happened and where, then one line for each fact, in about 600 bytes.
 */
import type { Explanation, Frame, Location } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Tasks from "./Tasks.ts"
import * as Frames from "./Frames.ts"
import * as View from "./View.ts"

/** Facts that the first line contains. */
const inSummary: ReadonlySet<Explanation.FactKind> = new Set(["exit", "stop"])

const position = ({ file, function: name, line }: Frame.Frame): Location.Position => ({
  function: name,
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line })
})

const summary = (view: View.View, data: Explanation.Explanation): Doc.Line =>
  Doc.line(
    Doc.span(`${data.what}: ${Doc.cut(data.summary, 200)}`, "heading"),
    ...(data.what === "hang" || data.user_frame === undefined
      ? []
      : [" in ", ...Frames.at(view, position(data.user_frame))])
  )

/** Renders the facts. The one of an expression has the meaning of the address. */
const facts = ({ facts: all, summary: told }: Explanation.Explanation): ReadonlyArray<Doc.Line> => {
  const hasExpression = all.some(({ kind }) => kind === "expression")
  return all
    .filter(({ kind, text }) => !inSummary.has(kind) && !told.includes(text) && !(kind === "address" && hasExpression))
    .map(({ text }) => Doc.line(`  ${Doc.cut(text, 200)}`))
}

const event = (view: View.View, verb: string, one: Explanation.MemoryEvent | undefined): ReadonlyArray<Doc.Line> => {
  const [first, ...callers] = one?.frames ?? []
  if (first === undefined) return []
  const chain = callers.map(({ function: name = "??" }) => View.functionName(view, name)).join(" < ")
  return [Doc.line(`  ${verb} in `, ...Frames.at(view, first), chain === "" ? "" : Doc.span(` < ${chain}`, "dim"))]
}

const verbs = { read: "read", write: "written" } as const

/** `written before by thread T1 in add race.cpp:5`: an access of a data race. */
const racing = (view: View.View, one: Explanation.RacingAccess, index: number): Doc.Line => {
  const [first, ...callers] = one.frames
  const chain = callers.map(({ function: name = "??" }) => View.functionName(view, name)).join(" < ")
  const who = one.thread === 0 ? "the main thread" : `thread T${one.thread}`
  const locks = one.locks === 0 ? "" : ` (held ${one.locks === 1 ? "a mutex" : `${one.locks} mutexes`})`
  const how = `${one.atomic === true ? "atomically " : ""}${verbs[one.access]}${index === 0 ? "" : " before"}`
  return Doc.line(
    `  ${how} by ${who}${locks}`,
    ...(first === undefined ? [] : [" in ", ...Frames.at(view, first)]),
    chain === "" ? "" : Doc.span(` < ${chain}`, "dim")
  )
}

const object = ({ sanitizer }: Explanation.Explanation): ReadonlyArray<Doc.Line> =>
  sanitizer?.object === undefined ? [] : [Doc.line(`  memory: ${Doc.cut(sanitizer.object, 120)}`)]

const callers = (view: View.View, { callers: all = [] }: Explanation.Explanation): ReadonlyArray<Doc.Line> => {
  const [first, ...rest] = all
  if (first === undefined) return []
  const chain = rest.map(({ function: name }) => View.functionName(view, name)).join(" < ")
  return [
    Doc.line("  called from ", ...Frames.at(view, position(first)), chain === "" ? "" : Doc.span(` < ${chain}`, "dim"))
  ]
}

/** The numbers of the threads of a group, as people read them: `2`, `4 7 9`, `4 5 6 … (120 threads)`. */
const numbers = ({ count, threads }: Explanation.Wait): string => {
  const shown = threads.slice(0, 3).map(({ id, number }) => number ?? id)
  return count <= 3 ? shown.join(" ") : `${shown.join(" ")} … (${count} threads)`
}

/** `, ran 120 times`: what threads that wait did before the pause. */
const ran = ({ kind, switches }: Explanation.Wait): string =>
  switches === undefined || kind === "runs" ? "" : `, ran ${switches} times`

const wait = (view: View.View, one: Explanation.Wait): ReadonlyArray<Doc.Line> => {
  const [frame, ...callers] = one.stack
  const chain = callers.map(({ function: name }) => View.functionName(view, name)).join(" < ")
  return [
    Doc.line(
      `  ${numbers(one)} `,
      ...(frame === undefined ? [] : Frames.at(view, position(frame))),
      ...(one.caller === undefined ? [] : [" < ", ...Frames.at(view, position(one.caller))]),
      ` ${Doc.cut(one.text, 160)}${ran(one)}`,
      view.verbose !== true || chain === "" ? "" : Doc.span(`  < ${chain}`, "dim")
    )
  ]
}

const next = (view: View.View, { next: hints }: Explanation.Explanation): ReadonlyArray<Doc.Line> =>
  view.quiet === true || hints.length === 0
    ? []
    : hints.map((hint) => Doc.line(Doc.span(View.write(view, hint), "dim")))

/** Renders an explanation. */
export const render = (view: View.View, data: Explanation.Explanation): Doc.Doc =>
  Doc.concat(
    Doc.lines(
      summary(view, data),
      ...facts(data),
      ...(data.sanitizer?.accesses ?? []).map((one, index) => racing(view, one, index)),
      ...object(data),
      ...event(view, "freed", data.sanitizer?.freed),
      ...event(view, "allocated", data.sanitizer?.allocated)
    ),
    Doc.list(
      [...data.waits.map((one) => wait(view, one)), ...(data.tasks ?? []).map((one) => Tasks.group(view, one))],
      () => View.again(view, "explain", { all: true })
    ),
    Doc.lines(...callers(view, data), ...next(view, data))
  )
