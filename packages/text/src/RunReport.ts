/**
 * The answer of `run` as text: the stops, the end or the failure, and how often it failed.
 */
import { FunctionName, type Operations, type RunReport, type Stop } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Sanitise from "./Sanitise.ts"
import * as StopReport from "./StopReport.ts"
import * as Traces from "./Traces.ts"
import * as View from "./View.ts"

/** Most signatures that are listed. */
const mostSignatures = 4

/** Most characters of a signature in the first line, and in the list. Whole names are in the JSON. */
const signatureLengths = { first: 120, listed: 72 }

/** Most characters of a sentence. */
const sentenceLength = 140

/** Most characters of what a program waits for. */
const explainLength = 320

/** Most stops that are shown before the last one. */
const mostStops = 3

/** What is said of a program that had not ended and could not be stopped. */
const stillRunning = "was still running and was ended"

const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`

const clean = (text: string, length: number): string => Doc.cut(Sanitise.line(text), length)

const signature = ({ frames, reason }: RunReport.Signature, length: number, line?: number): string =>
  clean(
    [
      reason,
      frames
        .map((frame, index) => {
          // The line is shown also behind a long name.
          const isPlaced = index === 0 && line !== undefined
          const name = Doc.cut(FunctionName.short(frame), isPlaced ? 48 : 60)
          return isPlaced ? `${name}:${line}` : name
        })
        .join(" < ")
    ]
      .filter((part) => part !== "")
      .join(" "),
    length
  )

/** True of one run. Only repeated runs have records: the answer of a single one shows its failure below. */
const isSingle = ({ records, runs }: RunReport.RunSummary): boolean => records === undefined && runs <= 1

/** True if the last stop, behind which the program may have ended, says all that the first line of a single run could say. */
const isToldBelow = (
  { stops = [], ...last }: Stop.StopReport & { readonly stops?: ReadonlyArray<Stop.StopReport> },
  run: RunReport.RunSummary
): boolean => {
  const { event, reason } = last.event === "exited" && stops.length <= mostStops ? (stops.at(-1) ?? last) : last
  return isSingle(run) && run.failures > 0 && event === "stopped" && StopReport.isFailure(reason)
}

/** `failed in run 143 of 143 (0.7 %) · SIGSEGV push < worker · median 61 ms`. */
const headline = (run: RunReport.RunSummary, last?: Stop.StopReport): string => {
  const { by, failures, median_ms, outcome, rate, runs, signatures } = run
  const [earliest] = signatures.toSorted((one, other) => one.first - other.first)
  const first = signatures.find(({ id }) => id === run.signature) ?? earliest
  const times = `median ${median_ms} ms · by ${by}`
  if (outcome === "interrupted")
    return `interrupted after ${runs} runs, ${failures} failed (${percent(rate)}) · ${times}`
  if (outcome === "time-out" && isSingle(run))
    return `time is up: the program ${last?.event === "running" ? stillRunning : "had not ended"}`
  if (outcome === "time-out") return `time is up after ${runs} runs, ${failures} failed · ${times}`
  if (first === undefined) return `no failure in ${runs} runs · ${times}`
  if (outcome === "passed") return `not found in ${runs} runs; ${failures} failed otherwise · ${times}`
  if (isSingle(run)) {
    // The stop or the end that follows has the reason, unless tests were listed.
    const reason = run.tests === undefined ? "" : ` · ${clean(first.reason, signatureLengths.first)}`
    return `failed after ${median_ms} ms${reason}`
  }
  const share = failures === 1 ? "" : `, ${failures} failed`
  // Of runs at the same time, a later one may fail before the earlier ones have ended.
  const of = first.first <= runs ? ` of ${runs}` : ""
  return `failed in run ${first.first}${of}${share} (${percent(rate)}) · ${signature(first, signatureLengths.first)} · ${times}`
}

/** Most failed tests that are listed. */
const mostTests = 5

const testLine = (view: View.View, { file, line, message, name }: RunReport.FailedTest): string => {
  const place = file === undefined ? "" : `  ${clean(View.path(view, file), 60)}${line === undefined ? "" : `:${line}`}`
  const why = message === undefined ? "" : `  ${clean(message, 60)}`
  return `  ${clean(name, signatureLengths.listed)}${place}${why}`
}

/** Lists the failed tests, unless the only one is named above and its failure is shown below. */
const testsLines = (view: View.View, { by, tests }: RunReport.RunSummary, isShown: boolean): ReadonlyArray<string> => {
  if (tests === undefined) return []
  const { failed, first, list = [] } = tests
  if (failed === 0) return [`no test failed · by ${by}`]
  const debugged = first === undefined ? ` · by ${by}` : `; debugged: ${clean(first, sentenceLength)}`
  const isNamed = isShown && failed === 1 && list[0]?.name === first
  const listed = isNamed ? [] : list
  const rest = failed - Math.min(list.length, mostTests)
  return [
    `${failed} ${failed === 1 ? "test" : "tests"} failed${debugged}`,
    ...listed.slice(0, mostTests).map((test) => testLine(view, test)),
    ...(rest > 0 && list.length > 0 ? [`  … ${rest} more`] : [])
  ]
}

const nativeLine = ({ failures, native }: RunReport.RunSummary): ReadonlyArray<string> => {
  if (native === undefined) return []
  const line = `without a debugger: ${native.failures} of ${native.runs} runs failed (${percent(native.rate)})`
  return [native.failures > 0 && failures === 0 ? `${line}; the failure was not seen under one` : line]
}

/** Lists the kinds of failures if there are several. */
const signatureLines = ({ signatures }: RunReport.RunSummary): ReadonlyArray<string> => {
  if (signatures.length < 2) return []
  const rest = signatures.length - mostSignatures
  return [
    ...signatures
      .slice(0, mostSignatures)
      .map(
        (one) =>
          `  ${one.id}  ${one.count}×, first in run ${one.first}: ${signature(one, signatureLengths.listed, one.line)}`
      ),
    ...(rest > 0 ? [`  … ${rest} more kinds (--json has all)`] : [])
  ]
}

const summaryLines = (
  view: View.View,
  run: RunReport.RunSummary,
  last?: Parameters<typeof isToldBelow>[0]
): ReadonlyArray<string> => [
  ...testsLines(view, run, last !== undefined && isToldBelow(last, run)),
  ...((run.tests !== undefined && run.signatures.length === 0) || (last !== undefined && isToldBelow(last, run))
    ? []
    : [headline(run, last)]),
  ...nativeLine(run),
  ...signatureLines(run),
  ...(run.handover === undefined ? [] : [`not kept: ${clean(run.handover, sentenceLength)}`])
]

/** Renders what the runs of an interrupted call have shown. */
export const summary = (view: View.View, run: RunReport.RunSummary): Doc.Doc =>
  Doc.lines(...summaryLines(view, run).map((line) => Doc.line(Doc.span(line))))

/** Renders the last stop or the end of the program. Repeated runs have it of the one that is kept, or had not ended. */
const end = (view: View.View, data: Operations.Data<"run">, stop: number | undefined): Doc.Doc => {
  const { run, stops: _, trace: __, ...last } = data
  const isLeftOut =
    (run?.records !== undefined && run.outcome !== "time-out") ||
    (run?.tests !== undefined && run.signatures.length === 0)
  if (run?.session !== undefined) return StopReport.render(view, last, stop)
  if (isLeftOut || (run?.records !== undefined && last.event === "exited")) return Doc.empty
  if (last.event !== "running") return StopReport.render(view, last, stop)
  // Its session has ended with the call, so no command can follow.
  const isTold = run !== undefined && isSingle(run) && run.outcome === "time-out"
  const how = isTold ? [] : [`the program ${stillRunning}`]
  return Doc.lines(
    ...[...how, ...(last.explain === undefined ? [] : [last.explain])].map((line) =>
      Doc.line(clean(line, explainLength))
    )
  )
}

/** Renders the answer of `run`. */
export const render = (view: View.View, { data, stop }: Operations.Answer<"run">): Doc.Doc => {
  const { run, stops = [], trace, ...last } = data
  if (run === undefined) return StopReport.render(view, last, stop)
  const lines =
    run.runs > 1 || run.outcome !== "passed" || run.native !== undefined || run.tests !== undefined
      ? summaryLines(view, run, { ...last, stops })
      : []
  const shown = stops.slice(0, mostStops)
  return Doc.concat(
    Doc.lines(...lines.map((line) => Doc.line(Doc.span(line)))),
    ...shown.map((one) => StopReport.render(view, one, undefined)),
    stops.length > shown.length
      ? Doc.lines(Doc.line(Doc.span(`… ${stops.length - shown.length} more stops`, "dim")))
      : Doc.empty,
    end(view, data, stop),
    trace === undefined ? Doc.empty : Traces.ofRun(view, trace, run.session !== undefined),
    run.session === undefined ? Doc.empty : Doc.lines(Doc.line(Doc.span(`session ${run.session}`, "dim")))
  )
}
