/**
 * The output of repeated runs while they run. With `--json` each run is a line as soon as it has ended, and the last line is the
 * report. As text a terminal has a line that counts the runs, and for an interruption the client gets what was found so far.
 */
import type { CommandOutput } from "@sigtrap/host/daemon/Protocol"
import { type Client, type Envelope, RunReport } from "@sigtrap/protocol"
import type * as Argv from "@sigtrap/protocol/grammar/Argv"
import type * as Commands from "@sigtrap/protocol/grammar/Commands"
import { Doc, RunReport as RunText } from "@sigtrap/text"
import { Effect, Predicate, Queue, Result, Schema, Stream } from "effect"
import * as LargeAnswer from "../render/LargeAnswer.ts"
import type { Settings } from "../render/OutputSettings.ts"

/** True if the answer is lines of JSON; an indented or selected answer is one document. */
const isLines = ({ json, pretty, select }: Settings): boolean => json && !pretty && select === undefined

const isHunt = (tag: string, input: Argv.Fields): boolean =>
  tag === "bisect" || (tag === "run" && input["until_failure"] !== undefined)

const printed = (line: object): string => `${JSON.stringify(line)}\n`

/** Returns what an interrupted command prints. */
const partial = (run: RunReport.RunSummary, settings: Settings): string => {
  if (isLines(settings)) return printed(RunReport.reportLine({ event: "running", run }))
  return settings.json ? "" : Doc.render(RunText.summary({}, run), { color: settings.color.stdout })
}

/** Clears the line of a terminal from the cursor on (ECMA-48, EL). */
const cleared = "\u001B[K"

/** Returns the line that counts the runs. The cursor stays at its begin, so that the next text replaces it. */
const counting = ({ failures, runs }: RunReport.RunSummary): string =>
  `${cleared}${runs} ${runs === 1 ? "run" : "runs"}, ${failures} failed\r`

/** Runs a command line; one of repeated runs has first the pieces of its runs. `counts` is true if the standard error is a terminal. */
export const stream = (
  parsed: Argv.Parsed["request"],
  command: Effect.Effect<ReadonlyArray<CommandOutput>, never, Client.Client>,
  settings: Settings,
  counts: boolean
): Stream.Stream<CommandOutput, never, Client.Client> => {
  const call = Result.isSuccess(parsed) && parsed.success._tag === "Call" ? parsed.success : undefined
  if (call === undefined || !isHunt(call.command.operation._tag, call.input)) return LargeAnswer.stream(command)
  const shown = counts && !settings.json && !settings.quiet
  return Stream.callback<CommandOutput, never, Client.Client>((queue) => {
    const onRun: RunReport.OnRun = (record, summary) => {
      if (isLines(settings)) Queue.offerUnsafe(queue, { _tag: "Stdout", text: printed(RunReport.runLine(record)) })
      const run = summary()
      if (shown) Queue.offerUnsafe(queue, { _tag: "Stderr", text: counting(run) })
      Queue.offerUnsafe(queue, { _tag: "Partial", text: partial(run, settings) })
    }
    return command.pipe(
      Effect.provideService(RunReport.Progress, onRun),
      Effect.flatMap((pieces) =>
        Queue.offerAll(queue, shown ? [{ _tag: "Stderr", text: cleared }, ...pieces] : pieces)
      ),
      Effect.andThen(Queue.end(queue))
    )
  })
}

/** Returns the last line of JSON of repeated runs; undefined for other answers. */
export const lastLine = (
  { operation }: Commands.Command,
  input: Argv.Fields,
  { data, warnings }: Envelope.Success,
  settings: Settings
): string | undefined => {
  if (!isHunt(operation._tag, input) || !isLines(settings)) return undefined
  const noted = warnings.length === 0 ? {} : { warnings }
  if (operation._tag === "bisect" && Predicate.isReadonlyObject(data)) {
    return printed({ type: "report", ...data, ...noted })
  }
  const report = Schema.is(RunReport.RunReport)(data) ? data : undefined
  if (report?.run === undefined) return undefined
  return printed({ ...RunReport.reportLine(report), ...noted })
}
