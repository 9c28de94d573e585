/**
 * Renders errors in two lines: what happened, and the first hint.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Sanitise from "./Sanitise.ts"
import * as StopReport from "./StopReport.ts"
import * as View from "./View.ts"

/** The longest message, in bytes. The JSON form has the rest. */
const longest = 400

const encoder = new TextEncoder()
const short = (text: string): string => {
  let result = Doc.cut(text, longest)
  while (encoder.encode(result).length > longest) result = Doc.cut(result, Math.floor(result.length * 0.95))
  return result
}

const oneLine = (text: string) => text.trim().replace(/\s*\n\s*/g, " ")

const log = (error: Errors.SigtrapError): ReadonlyArray<Doc.Line> =>
  "log" in error && error.log !== undefined
    ? Doc.paragraph(Sanitise.withoutColours(error.log).trimEnd())
        .slice(-10)
        .map((line) => Doc.line("  ", ...line))
    : []

/**
 * Renders an error. A wait that ended while the program still runs is not a failure, although it has a code and an exit
 * code of its own: see `onStdout`.
 */
export const render = (error: Errors.SigtrapError, view: View.View = {}): Doc.Doc => {
  if (error._tag === "WaitTimeout" && error.runs) {
    const summary = {
      bytes: error.output_bytes,
      next: 0,
      ...(error.output_tail === undefined ? {} : { tail: error.output_tail })
    }
    return Doc.lines(
      Doc.line(
        Doc.span(error.message, "heading"),
        Doc.span(view.quiet === true ? "" : ` · ${StopReport.next(view)}`, "dim")
      ),
      ...StopReport.output(summary, false)
    )
  }
  const [first] = Hint.shown(error.hints)
  const hint = first === undefined ? "" : View.write(view, first)
  const reason = first === undefined ? "" : View.reason(first)
  // A message may quote a text of a megabyte. The parts of it that are not shown are not searched either.
  const message = short(Sanitise.line(oneLine(error.message.slice(0, 10 * longest))))
  return Doc.lines(
    Doc.line(Doc.span("error: ", "error"), message, Doc.span(` [${Errors.meta(error).code}]`, "dim")),
    // The output of a compiler is shown always, the log of an adapter only with --verbose.
    ...(view.verbose === true || (error._tag === "LaunchFailed" && error.build !== undefined) ? log(error) : []),
    ...(view.quiet === true || hint === "" ? [] : [Doc.line(Doc.span(`hint${reason}: `, "dim"), oneLine(hint))])
  )
}

/** Returns true if the error is an answer, not a failure: its text belongs to stdout. */
export const onStdout = (error: Errors.SigtrapError): boolean => error._tag === "WaitTimeout" && error.runs
