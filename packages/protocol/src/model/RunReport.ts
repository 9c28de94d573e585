/**
 * The answer of `run`: the last stop or end, and what all runs of the program have shown.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { StopReport } from "./Stop.ts"
import { RunTrace } from "./TraceRecord.ts"

/**
 * One kind of failure: its reason and the three innermost frames with the user's code. `id` is short and the same for equal failures; `first`
 * is the number of the first run that had it. `frames` is empty if the process was gone before it could be examined. `line` is that of the
 * innermost frame of a crash.
 */
export class Signature extends Model.of<Signature>()(
  Schema.Struct({
    id: Schema.String,
    reason: Schema.String,
    frames: Schema.Array(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    count: Schema.Int,
    first: Schema.Int
  }).annotate({ identifier: "FailureSignature" })
) {}

const outcomes = ["passed", "exit", "signal", "output", "hang", "time-out"] as const

/** One run. `signature` is the id of its failure. */
export class RunRecord extends Model.of<RunRecord>()(
  Schema.Struct({
    n: Schema.Int,
    outcome: Schema.Literals(outcomes),
    ms: Schema.Int,
    exit_code: Schema.optionalKey(Schema.Int),
    signal: Schema.optionalKey(Schema.String),
    signature: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "RunRecord" })
) {}

/** A failed test of a runner, the place where it failed, or else where it begins, and the first line of what failed if the runner reports it. */
export class FailedTest extends Model.of<FailedTest>()(
  Schema.Struct({
    name: Schema.String,
    file: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    message: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "FailedTest" })
) {}

/** How often a program failed. `rate` is between 0 and 1. */
const counted = { runs: Schema.Int, failures: Schema.Int, rate: Schema.Finite }

/**
 * All runs of one call. `outcome` is `failed` if a wanted failure was found, also one without a debugger only. It is `time-out` if the
 * time ended before all runs, and `interrupted` if the caller ended them. `by` is what ran the program. `native` counts runs without any
 * debugger. `session` has the first failure, with its process alive. `handover` says why it has not. `signature` is the id of the failure
 * that it has, or of the one that was looked for. `tests` are the failed tests of a runner without a debugger, the one that was debugged,
 * and in `list` at most 20 of them with the places that the runner tells. `records` are the last 1000 runs.
 */
export class RunSummary extends Model.of<RunSummary>()(
  Schema.Struct({
    ...counted,
    outcome: Schema.Literals(["passed", "failed", "time-out", "interrupted"]),
    native: Schema.optionalKey(Schema.Struct(counted)),
    signatures: Schema.Array(Signature),
    signature: Schema.optionalKey(Schema.String),
    median_ms: Schema.Int,
    by: Schema.String,
    session: Schema.optionalKey(Schema.String),
    pid: Schema.optionalKey(Schema.Int),
    handover: Schema.optionalKey(Schema.String),
    tests: Schema.optionalKey(
      Schema.Struct({
        failed: Schema.Int,
        first: Schema.optionalKey(Schema.String),
        list: Schema.optionalKey(Schema.Array(FailedTest))
      })
    ),
    records: Schema.optionalKey(Schema.Array(RunRecord))
  }).annotate({ identifier: "RunSummary" })
) {}

/**
 * A stop report of the last stop or end. `run` is set if the call has run a program; `stops` are the stops before the last one, `trace`
 * what the run recorded.
 */
export class RunReport extends Model.of<RunReport>()(
  Schema.Struct(
    Model.extended(StopReport, {
      run: Schema.optionalKey(RunSummary),
      stops: Schema.optionalKey(Schema.Array(StopReport)),
      trace: Schema.optionalKey(RunTrace)
    })
  ).annotate({ identifier: "RunReport" })
) {}

/** Receives each run when it has ended, and the summary of the runs so far. Called synchronously. */
export type OnRun = (record: RunRecord, summary: () => RunSummary) => void

/** The receiver of the runs of the calling fiber. A surface that shows the runs while they run sets it. */
export const Progress = Context.Reference<OnRun>("@sigtrap/protocol/RunReport/Progress", {
  defaultValue: () => () => undefined
})

/** A run as a line of JSON shows it. */
export const runLine = (record: RunRecord) => ({ type: "run" as const, ...record })

/**
 * The last line of JSON after the lines of the runs: the summary without the runs, with the rate without a debugger, and the stop
 * of the session that keeps the failure, or the exit code of the last run.
 */
export const reportLine = ({ run, stops: _, trace, ...last }: RunReport) => {
  const { native, records: __, ...summary } = run ?? { records: [] }
  const { explain, ...stop } = last
  return {
    type: "report" as const,
    ...summary,
    ...(native === undefined ? {} : { native_rate: native.rate, native }),
    ...(last.exit_code === undefined ? {} : { exit_code: last.exit_code }),
    ...(last.event === "stopped" ? { stop } : {}),
    ...(explain === undefined ? {} : { explain }),
    ...(trace === undefined ? {} : { trace })
  }
}

/** The exit code of a call: 1 if a failure was found, 5 if the time ended before. */
export const exitCode = ({ run }: Pick<RunReport, "run">): number => {
  if (run === undefined || run.outcome === "passed") return 0
  return run.outcome === "failed" ? 1 : 5
}
