/**
 * The renderer of every operation. A missing one is a compile error.
 *
 * Warnings come first, then the answer, then what was cut, with the command that shows it.
 */
import { type Answer, Operations, ScriptResult } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"
import * as BreakpointLines from "./BreakpointLines.ts"
import * as Breakpoints from "./Breakpoints.ts"
import * as Control from "./Control.ts"
import * as Exceptions from "./Exceptions.ts"
import * as Explanation from "./Explanation.ts"
import * as Difference from "./Difference.ts"
import * as Divergence from "./Divergence.ts"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as Events from "./Events.ts"
import * as Machine from "./Machine.ts"
import * as Output from "./Output.ts"
import * as PastStops from "./PastStops.ts"
import * as Questions from "./Questions.ts"
import * as Reexecution from "./Reexecution.ts"
import * as Recovery from "./Recovery.ts"
import * as Reduction from "./Reduction.ts"
import * as RunReport from "./RunReport.ts"
import * as Sessions from "./Sessions.ts"
import * as Simulators from "./Simulators.ts"
import * as Source from "./Source.ts"
import * as StopReport from "./StopReport.ts"
import * as Threads from "./Threads.ts"
import * as Values from "./Values.ts"
import * as Attach from "./Attach.ts"
import * as Variables from "./Variables.ts"
import * as Traces from "./Traces.ts"
import * as Tasks from "./Tasks.ts"
import * as View from "./View.ts"

type Renderers = {
  readonly [Tag in Operations.Tag]: (answer: Operations.Answer<Tag>, view: View.View) => Doc.Doc
}

type Resumed = "continue" | "next" | "step" | "finish" | "until" | "stepi" | "nexti" | "pause" | "wait"

const stopReport = (answer: Operations.Answer<Resumed>, view: View.View) =>
  StopReport.render(view, answer.data, answer.stop)

/** Renders each command of a script with its answer. An error is rendered by the surface. */
const script = (answer: Operations.Answer<"script">, view: View.View): Doc.Doc =>
  Doc.concat(
    ...ScriptResult.of(answer.data).map((result) =>
      Doc.concat(
        Doc.lines(Doc.line(Doc.span(`> ${Doc.cut(result.text, 200)}`, "dim"))),
        result.answer === undefined || result.operation === undefined
          ? Doc.empty
          : renderCommand(result.operation._tag, result.answer, result.input, view)
      )
    )
  )

const renderCommand = (tag: string, answer: Answer.Answer<unknown>, input: View.Change, view: View.View): Doc.Doc => {
  const { again: _, ...rest } = view
  return renderAny(tag, answer, { ...rest, input })
}

const renderers: Renderers = {
  attach: (answer, view) => Attach.attached(view, answer.data, answer.stop),
  core: (answer, view) => Attach.opened(view, answer.data, answer.stop),
  connect: (answer, view) => Sessions.started(view, answer.data, answer.stop),
  restart: (answer, view) => Sessions.started(view, answer.data, answer.stop),
  recover: (answer, view) => Recovery.render(view, answer.data, answer.stop),
  detach: (answer) => Attach.detached(answer.data),
  start: (answer, view) => Sessions.started(view, answer.data, answer.stop),
  stop: (answer) => Sessions.stopped(answer.data),
  status: (answer, view) => Sessions.status(view, answer.data),
  sessions: (answer, view) => Sessions.list(view, answer.data.sessions),
  "session.use": (answer, view) => Sessions.list(view, [answer.data]),
  "session.rename": (answer, view) => Sessions.list(view, [answer.data]),
  "session.info": (answer, view) => Sessions.info(view, answer.data),
  "control.take": (answer) => Control.taken(answer),
  "control.release": (answer) => Control.released(answer),
  "control.show": (answer) => Control.shown(answer),
  "ask.list": (answer) => Questions.list(answer),
  "ask.answer": (answer) => Questions.answered(answer),
  "session.prune": (answer) => Sessions.stopped(answer.data, "no session to remove"),
  debuggers: (answer) => Sessions.debuggers(answer.data),
  capabilities: (answer, view) => Sessions.features(view, "capabilities", answer.data.features),
  wait: stopReport,
  break: (answer, view) => Doc.lines(Breakpoints.one(view, answer.data)),
  "breakpoint.list": (answer, view) => Breakpoints.list(view, answer.data.breakpoints),
  logpoint: (answer, view) => Doc.lines(Breakpoints.one(view, answer.data)),
  trace: (answer, view) => Traces.trace(view, answer.data, answer.stop),
  "hits.list": (answer, view) => Traces.list(view, answer.data),
  "hits.diff": (answer) => Traces.diff(answer.data),
  "hits.trend": (answer) => Traces.trend(answer.data),
  "hits.export": (answer) => Traces.saved(answer.data),
  watch: (answer, view) => Doc.lines(Breakpoints.one(view, answer.data)),
  catch: (answer) => Exceptions.list(answer.data.filters),
  "catch.list": (answer) => Exceptions.list(answer.data.filters),
  "catch.remove": (answer) => Exceptions.list(answer.data.filters),
  exception: (answer, view) => Exceptions.exception(view, answer.data),
  exceptions: (answer) => Exceptions.history(answer.data),
  "breakpoint.remove": (answer) => Breakpoints.removed(answer.data.ids),
  "breakpoint.info": (answer, view) => Breakpoints.info(view, answer.data),
  "breakpoint.enable": (answer, view) => Breakpoints.list(view, answer.data.breakpoints),
  "breakpoint.disable": (answer, view) => Breakpoints.list(view, answer.data.breakpoints),
  "breakpoint.toggle": (answer, view) => Breakpoints.list(view, answer.data.breakpoints),
  "breakpoint.find": (answer, view) => BreakpointLines.found(view, answer.data),
  "breakpoint.edit": (answer, view) => Breakpoints.list(view, answer.data.breakpoints),
  "breakpoint.lines": (answer, view) => BreakpointLines.lines(view, answer.data),
  "breakpoint.save": (answer, view) => BreakpointLines.saved(view, answer.data),
  "breakpoint.load": (answer, view) => BreakpointLines.loaded(view, answer.data),
  run: (answer, view) => RunReport.render(view, answer),
  continue: stopReport,
  next: stopReport,
  step: stopReport,
  finish: stopReport,
  until: stopReport,
  stepi: stopReport,
  nexti: stopReport,
  pause: stopReport,
  context: (answer, view) => StopReport.context(view, answer.data, answer.stop),
  backtrace: (answer, view) =>
    answer.data.threads === undefined ? Frames.backtrace(view, answer.data) : Threads.stacks(view, answer.data.threads),
  diff: (answer) => Difference.render(answer.data),
  bisect: (answer, view) => Reduction.render(view, answer.data),
  diverge: (answer, view) => Divergence.render(view, answer.data),
  tasks: (answer, view) => Tasks.render(view, answer.data),
  explain: (answer, view) => Explanation.render(view, answer.data),
  locals: (answer, view) => named(view, answer, variablesOf, (data) => Variables.locals(view, data)),
  source: (answer, view) => Source.listing(view, answer.data),
  files: (answer, view) => Source.files(view, answer.data.files),
  changed: (answer, view) => Values.changed(view, answer.data),
  stops: (answer, view) => PastStops.stops(view, answer.data),
  history: (answer, view) => PastStops.history(view, answer.data),
  report: (answer, view) => PastStops.report(view, answer.data),
  back: (answer, view) => Reexecution.render(view, answer.data, answer.stop),
  "last-write": (answer, view) => Reexecution.render(view, answer.data, answer.stop),
  frame: (answer, view) => Threads.frame(view, answer.data),
  up: (answer, view) => Threads.frame(view, answer.data),
  down: (answer, view) => Threads.frame(view, answer.data),
  threads: (answer, view) => Threads.list(view, answer.data),
  thread: (answer, view) => Threads.one(view, answer.data.thread),
  args: (answer, view) => Values.variables(view, "args", answer.data),
  globals: (answer, view) => named(view, answer, variablesOf, (data) => Values.variables(view, "globals", data)),
  vars: (answer, view) => named(view, answer, variablesOf, (data) => Values.variables(view, "vars", data)),
  find: (answer, view) => Values.found(view, answer.data),
  refs: (answer, view) => Values.references(view, answer.data),
  display: (answer) => Values.displays(answer.data.items),
  "display.list": (answer) => Values.displays(answer.data.items),
  "display.remove": (answer) => Values.displays(answer.data.items),
  expand: (answer, view) => Values.expanded(view, answer.data),
  set: (answer) => Values.assigned(answer.data),
  type: (answer, view) => Values.type(view, answer.data),
  complete: (answer, view) => Values.completions(view, answer.data.completions),
  "memory.read": (answer, view) => Machine.memory(view, answer.data),
  "memory.write": (answer) => Machine.written(answer.data),
  registers: (answer, view) =>
    named(
      view,
      answer,
      ({ groups }) => groups,
      (data) => Machine.registers(view, data)
    ),
  disassemble: (answer, view) => Machine.instructions(view, answer.data),
  modules: (answer, view) => Machine.modules(view, answer.data.modules),
  print: (answer, view) => Variables.values(view, "print", answer.data.values),
  eval: (answer, view) => Variables.values(view, "eval", [answer.data.value]),
  output: (answer, view) => Output.render(view, answer.data),
  input: (answer) => Events.input(answer.data),
  events: (answer, view) => Events.events(view, answer.data),
  script,
  raw: (answer, view) => Output.raw(view, answer.data, answer.state),
  "sim.list": (answer, view) => Simulators.list(view, answer.data),
  "sim.runtimes": (answer, view) => Simulators.runtimes(view, answer.data),
  "sim.types": (answer, view) => Simulators.types(view, answer.data),
  "sim.create": (answer) => Simulators.created(answer.data),
  "sim.clone": (answer) => Simulators.cloned(answer.data),
  "sim.delete": (answer) => Simulators.done("deleted", answer.data),
  "sim.erase": (answer) => Simulators.done("erased", answer.data),
  "sim.boot": (answer) => Simulators.done("booted", answer.data),
  "sim.shutdown": (answer) => Simulators.done("shut down", answer.data),
  "sim.install": (answer) => Simulators.installed(answer.data),
  "sim.uninstall": (answer) => Simulators.done("removed", answer.data),
  "sim.apps": (answer, view) => Simulators.apps(view, answer.data),
  "sim.container": (answer) => Simulators.container(answer.data),
  "sim.launch": (answer) => Simulators.launched(answer.data),
  "sim.terminate": (answer) => Simulators.done("ended", answer.data),
  "sim.debug": (answer, view) => Simulators.debugged(view, answer.data, answer.stop),
  "sim.attach": (answer, view) => Simulators.debugged(view, answer.data, answer.stop),
  "sim.guard": (answer, view) => Simulators.guard(view, answer.data),
  "sim.log": (answer, view) => Simulators.log(view, answer.data),
  "sim.openurl": (answer) => Simulators.sent(`opened ${answer.data.url}`, answer.data.simulator),
  "sim.push": (answer) => Simulators.sent(`notified ${answer.data.bundle_id}`, answer.data.simulator),
  "sim.screenshot": (answer) => Simulators.sent(`wrote ${answer.data.file}`, answer.data.simulator),
  "sim.privacy": (answer) => Simulators.sent(`${answer.data.action} ${answer.data.service}`, answer.data.simulator),
  "sim.location": (answer) => Simulators.location(answer.data),
  "sim.appearance": (answer) => Simulators.sent(answer.data.appearance, answer.data.simulator),
  "sim.status-bar": (answer) => Simulators.statusBar(answer.data),
  "sim.doctor": (answer) => Simulators.doctor(answer.data),
  "defaults.show": (answer) => Simulators.defaults(answer.data),
  "defaults.set": (answer) => Simulators.defaults(answer.data),
  "defaults.clear": (answer) => Simulators.defaults(answer.data),
  "defaults.use": (answer) => Simulators.defaults(answer.data)
}

/** Renders a list of named things. The names that were not found are left out if a warning already tells them. */
const named = <D extends { readonly not_found: ReadonlyArray<string> }>(
  view: View.View,
  { data, warnings }: { readonly data: D; readonly warnings: ReadonlyArray<Answer.Warning> },
  list: (data: D) => ReadonlyArray<unknown>,
  body: (data: D) => Doc.Doc
): Doc.Doc => {
  if (view.quiet === true || !warnings.some(({ code }) => code === "NOT_FOUND")) return body(data)
  return list(data).length === 0 ? Doc.empty : body({ ...data, not_found: [] })
}

const variablesOf = ({ variables }: { readonly variables: ReadonlyArray<unknown> }) => variables

/** Warnings that the body of an answer shows: an expression that failed has its error in its place. */
const said: ReadonlySet<string> = new Set(["PARTIAL"])

/** Adds what an answer leaves out to its body: to the list at its end if a page follows, otherwise in lines of their own. */
const withTruncated = (truncated: ReadonlyArray<Answer.Truncation>, view: View.View, body: Doc.Doc): Doc.Doc => {
  const rows = truncated.map(({ hints: [hint], shown, total }) => {
    const parts = total === undefined ? `${shown} shown` : `${shown} of ${total}`
    return Doc.line(Doc.span(`… ${parts}${hint === undefined ? "" : ` · ${View.write(view, hint)}`}`, "dim"))
  })
  const [only] = truncated
  const [row] = rows
  const hint = only?.hints[0]
  const next = hint !== undefined && "input" in hint ? hint.input["start"] : undefined
  const joined =
    rows.length === 1 && row !== undefined && only?.total !== undefined && typeof next === "number"
      ? Doc.beyond(body, only.total - next, row)
      : undefined
  return joined ?? Doc.concat(body, Doc.lines(...rows))
}

const around = (answer: Answer.Answer<unknown>, view: View.View, body: Doc.Doc): Doc.Doc =>
  Doc.concat(
    view.quiet === true
      ? Doc.empty
      : Doc.lines(
          ...answer.warnings
            .filter(({ code }) => !said.has(code))
            .map(({ hints: [hint] = [], message }) =>
              Doc.line(
                Doc.span("warning: ", "warning"),
                hint === undefined ? message : `${message}${View.reason(hint)}: ${View.write(view, hint)}`
              )
            )
        ),
    withTruncated(answer.truncated, view, body)
  )

/** Renders the answer of an operation. */
export const render = <T extends Operations.Tag>(tag: T, answer: Operations.Answer<T>, view: View.View = {}): Doc.Doc =>
  around(answer, view, renderers[tag](answer, view))

const isTag = (tag: string): tag is Operations.Tag => tag in renderers

const answers = <T extends Operations.Tag>(tag: T, answer: Answer.Answer<unknown>): answer is Operations.Answer<T> => {
  const operation = Operations.find(tag)
  return operation !== undefined && Schema.is(operation.successSchema)(answer)
}

/**
 * Renders the answer of any operation. An answer that does not match the operation's schema is rendered as JSON.
 */
export const renderAny = (tag: string, answer: Answer.Answer<unknown>, view: View.View = {}): Doc.Doc =>
  isTag(tag) && answers(tag, answer)
    ? render(tag, answer, view)
    : around(answer, view, Doc.lines(Doc.line(JSON.stringify(answer.data) ?? "")))
