/**
 * The renderer of every operation. One that is missing does not compile.
 *
 * Warnings come first; then the answer; then what was cut off, with the command that shows it.
 */
import type { Answer } from "@sigtrap/protocol/Answer"
import * as Operations from "@sigtrap/protocol/Operations"
import * as Schema from "effect/Schema"
import * as Breakpoints from "./Breakpoints.ts"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as Output from "./Output.ts"
import * as Sessions from "./Sessions.ts"
import * as StopReport from "./StopReport.ts"
import * as Variables from "./Variables.ts"
import type * as View from "./View.ts"

type Renderers = {
  readonly [Tag in Operations.Tag]: (answer: Operations.Answer<Tag>, view: View.View) => Doc.Doc
}

type Resumed = "continue" | "next" | "step" | "finish" | "pause" | "wait"

const stopReport = (answer: Operations.Answer<Resumed>, view: View.View) =>
  StopReport.render(view, answer.data, answer.stop)

const renderers: Renderers = {
  start: (answer, view) => Sessions.started(view, answer.data, answer.stop),
  stop: (answer) => Sessions.stopped(answer.data),
  status: (answer, view) => Sessions.status(view, answer.data),
  sessions: (answer, view) => Sessions.list(view, answer.data.sessions),
  wait: stopReport,
  break: (answer, view) => Doc.lines(Breakpoints.one(view, answer.data)),
  "breakpoint.list": (answer, view) => Breakpoints.list(view, answer.data.breakpoints),
  "breakpoint.remove": (answer) => Breakpoints.removed(answer.data.ids),
  continue: stopReport,
  next: stopReport,
  step: stopReport,
  finish: stopReport,
  pause: stopReport,
  context: (answer, view) => StopReport.context(view, answer.data, answer.stop),
  backtrace: (answer, view) => Frames.backtrace(view, answer.data),
  locals: (answer, view) => Variables.locals(view, answer.data),
  print: (answer, view) => Variables.values(view, "print", answer.data.values),
  eval: (answer, view) => Variables.values(view, "eval", [answer.data.value]),
  output: (answer, view) => Output.render(view, answer.data),
  raw: (answer, view) => Output.raw(view, answer.data, answer.state)
}

const around = (answer: Answer<unknown>, view: View.View, body: Doc.Doc): Doc.Doc =>
  Doc.concat(
    view.quiet === true
      ? Doc.empty
      : Doc.lines(...answer.warnings.map(({ message }) => Doc.line(Doc.span("warning: ", "warning"), message))),
    body,
    Doc.lines(
      ...answer.truncated.map(({ shown, total, more }) =>
        Doc.line(Doc.span(`… ${total === undefined ? `${shown} shown` : `${shown} of ${total}`} · ${more}`, "dim"))
      )
    )
  )

/** The answer of an operation. */
export const render = <T extends Operations.Tag>(tag: T, answer: Operations.Answer<T>, view: View.View = {}): Doc.Doc =>
  around(answer, view, renderers[tag](answer, view))

const isTag = (tag: string): tag is Operations.Tag => tag in renderers

const answers = <T extends Operations.Tag>(tag: T, answer: Answer<unknown>): answer is Operations.Answer<T> => {
  const operation = Operations.find(tag)
  return operation !== undefined && Schema.is(operation.successSchema)(answer)
}

/**
 * The answer of an operation for code that goes through all of them. An answer that does not follow the operation's
 * schema is shown as JSON: ugly, and nothing is lost.
 */
export const renderAny = (tag: string, answer: Answer<unknown>, view: View.View = {}): Doc.Doc =>
  isTag(tag) && answers(tag, answer)
    ? render(tag, answer, view)
    : around(answer, view, Doc.lines(Doc.line(JSON.stringify(answer.data) ?? "")))
