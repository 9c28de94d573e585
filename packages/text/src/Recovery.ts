/**
 * Recovery of lost sessions as text: the plan, the recovered session, and the outcome for each of several.
 */
import { Hint, type Breakpoint, type Operations } from "@sigtrap/protocol"
import * as Breakpoints from "./Breakpoints.ts"
import * as Doc from "./Doc.ts"
import * as Sessions from "./Sessions.ts"
import * as StopReport from "./StopReport.ts"
import * as View from "./View.ts"

type Data = Operations.Data<"recover">
type Plan = NonNullable<Data["plan"]>[number]
type Loss = Plan["lost"][number]

const losses = (lost: ReadonlyArray<Loss>): ReadonlyArray<Doc.Line> =>
  lost.map(({ what, why }) => Doc.line(Doc.span("not restored: ", "warning"), `${what}: ${Doc.cut(why, 160)}`))

const breakpoint = (view: View.View, one: Breakpoint.Breakpoint): Doc.Line => {
  const hits = one.hit_count === 0 ? "" : ` (hits ${one.hit_count})`
  return Doc.line("  ", ...Breakpoints.one(view, one), hits, one.enabled ? "" : " (disabled)")
}

const action = (view: View.View, { address, args, core, cwd, how, pid, program }: Plan): string => {
  const words = [program === "" ? "" : View.path(view, program), ...args].join(" ").trim()
  if (how === "start") return `start ${Doc.cut(words, 200)}${cwd === "" ? "" : ` in ${View.path(view, cwd)}`}`
  const of = words === "" ? "" : ` (${Doc.cut(words, 200)})`
  if (core !== undefined) return `open core file ${View.path(view, core)}${of}`
  if (address !== undefined) return `connect to ${address}${of}`
  return pid === undefined ? `attach to ${Doc.cut(words, 200)}` : `attach to process ${pid}${of}`
}

const planned = (view: View.View, plan: Plan): Doc.Doc => {
  const { breakpoints, displays = [], ended, lost, moves, problem, rebuilt, reason, session } = plan
  const moved = moves.map(({ from, id, to }) => `breakpoint ${id} moves from line ${from} to ${to}`)
  const build = rebuilt ? [`${View.basename(plan.program)} was built again`, ...moved].join("; ") : ""
  return Doc.concat(
    Doc.lines(
      Doc.line(
        Doc.span(session, "heading"),
        `: ${Doc.cut(reason, 160)}${ended === undefined ? "" : `; the program ended before (${ended})`}`
      ),
      ...(plan.how === "start" && plan.program === "" ? [] : [Doc.line("  ", action(view, plan))]),
      ...(build === "" ? [] : [Doc.line(Doc.span(`  ${build}`, "warning"))]),
      ...(problem === undefined ? [] : [Doc.line(Doc.span(`  not possible: ${problem}`, "error"))])
    ),
    Doc.list(
      breakpoints.map((one) => [breakpoint(view, one)]),
      () => View.again(view, "recover", { budget: 0 })
    ),
    Doc.lines(
      ...displays.map((one) => Doc.line("  display ", ...StopReport.evaluation({ ...one, display: one.id }))),
      ...losses(lost).map((line) => Doc.line("  ", ...line))
    )
  )
}

const outcome = ({
  error,
  how,
  lost,
  session,
  state
}: NonNullable<Data["sessions"]>[number]): ReadonlyArray<Doc.Line> => [
  error === undefined
    ? Doc.line(Doc.span(session, "heading"), `: ${state}${how === undefined ? "" : ` (${how})`}`)
    : Doc.line(Doc.span(session, "heading"), Doc.span(`: ${error.message} [${error.code}]`, "error")),
  ...losses(lost).map((line) => Doc.line("  ", ...line))
]

/** Renders the answer of `recover`. */
export const render = (view: View.View, data: Data, stop: number | undefined): Doc.Doc => {
  const { adapter, args, event, plan = [], program, recovered, session, sessions } = data
  if (sessions !== undefined) {
    return sessions.length === 0 ? Doc.lines(Doc.line("no session is lost")) : Doc.lines(...sessions.flatMap(outcome))
  }
  if (!data.done) {
    const possible = plan.filter(({ problem }) => problem === undefined)
    const [only] = possible
    const call =
      only === undefined
        ? []
        : [Hint.call("recover", possible.length === 1 ? { name: only.session, yes: true } : { all: true, yes: true })]
    return plan.length === 0
      ? Doc.lines(Doc.line("no session is lost"))
      : Doc.concat(
          ...plan.map((one) => planned(view, one)),
          Doc.lines(...(view.quiet === true ? [] : call.map((hint) => Doc.line(View.write(view, hint)))))
        )
  }
  const lost = Doc.lines(...losses(recovered?.lost ?? []))
  if (event === undefined || adapter === undefined || session === undefined) return lost
  const started = {
    ...data,
    event,
    adapter,
    session,
    program: program ?? "",
    args: args ?? [],
    set_breakpoints: recovered?.breakpoints ?? []
  }
  return Doc.concat(lost, Sessions.started(view, started, stop))
}
