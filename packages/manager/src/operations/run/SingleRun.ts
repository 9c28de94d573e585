/**
 * One run of a program under its debugger: reports each stop and continues, until the program ends or fails.
 */
import { type Answer, MonotonicTime, type Operations, type RunReport, type Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FailureRule from "../../model/runs/FailureRule.ts"
import type { Rules } from "../../model/runs/FailureRule.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as FailureSignature from "../../model/runs/FailureSignature.ts"
import type { Started } from "../../session/Manager.ts"
import type { Session } from "../../session/Session.ts"
import * as OutputReader from "../OutputReader.ts"
import * as ResumeOptions from "../resume/ResumeOptions.ts"
import * as Resume from "../resume/Resume.ts"
import * as Warnings from "../Warnings.ts"
import * as HangReport from "./HangReport.ts"
import * as PassedSignals from "./PassedSignals.ts"
import * as PredictedExceptions from "./PredictedExceptions.ts"
import * as RunTrace from "./RunTrace.ts"
import type { Calls } from "../Calls.ts"
import type { Report } from "../stops/StopReport.ts"

/** How a run under its debugger ended. `failure` is set if it failed. */
export interface Ended {
  readonly stops: ReadonlyArray<Stop.StopReport>
  readonly last: Report
  /** One for each condition that could not be evaluated at a stop. */
  readonly warnings: ReadonlyArray<Answer.Warning>
  readonly failure?: FailureSignature.FailureSignature
  readonly trace?: NonNullable<Effect.Success<ReturnType<typeof RunTrace.finish>>>
  /** True if the program still ran when the time was over. */
  readonly timedOut: boolean
  readonly ms: number
}

/** Reasons of stops that are crashes. */
const crashes: ReadonlySet<Stop.StopReason | undefined> = new Set<Stop.StopReason | undefined>([
  "signal",
  "exception",
  "panic",
  "sanitizer"
])

/** Returns the failure that a report shows, if it is one. */
const failureOf = (data: Stop.StopReport, rules: Rules): FailureSignature.FailureSignature | undefined => {
  if (data.event === "stopped") {
    const isFailure = crashes.has(data.reason) ? rules.crash : data.reason === "assert" && rules.assert
    return isFailure ? FailureSignature.ofStop(data) : undefined
  }
  if (data.signal !== undefined) return rules.crash ? FailureSignature.make(data.signal, []) : undefined
  const { exit_code } = data
  return exit_code !== undefined && FailureRule.isFailedExit(rules, exit_code)
    ? FailureSignature.make(`exit ${exit_code}`, [])
    : undefined
}

/** Most frames that are read to see what catches a panic. */
const mostFrames = 100

/** True if the program is stopped at a panic that it catches itself. */
const isCaught = Effect.fnUntraced(
  function* (session: Session, { reason, thread }: Stop.StopReport) {
    if (reason !== "panic" || thread === undefined) return false
    const view = yield* session.view
    return RuntimeFrames.isCaughtPanic((yield* view.stack(thread.id, 0, mostFrames)).frames)
  },
  Effect.orElseSucceed(() => false)
)

/** Size of the newest output that is searched at a stop or an end, in bytes. */
const searchedOutput = 1024 * 1024

/**
 * Returns the failure of a program that ended by an exception at which it had stopped: its runtime reports it, or it has another exit code than
 * 0 and its output has the message.
 */
const endedBy = (session: Session, rules: Rules, last: Stop.StopReport, thrown: Stop.StopReport | undefined) => {
  if (thrown === undefined || !rules.crash) return undefined
  const message = PredictedExceptions.messageOf(thrown)
  // The place at which the runtime reports the exception is always the same one.
  if (PredictedExceptions.isReport(last))
    return PredictedExceptions.messageOf(last) === message ? FailureSignature.ofStop(thrown) : undefined
  if (last.event !== "exited" || (last.exit_code ?? 0) === 0) return undefined
  const output = OutputReader.newest(session.maskedOutput, searchedOutput).map(({ text }) => text)
  return output.join("").includes(message) ? FailureSignature.ofStop(thrown) : undefined
}

/** True if a line of the output counts as a failure. */
const isInOutput = (session: Session, { output }: Rules): boolean =>
  output !== undefined &&
  OutputReader.newest(session.maskedOutput, searchedOutput)
    .map(({ text }) => text)
    .join("")
    .split("\n")
    .some((line) => output.test(line))

/** The most time in which a program that hangs is stopped and read, in milliseconds. */
const hangMillis = 8000

/** The same for a program whose time is up: the call ends at most a second later. */
const lateMillis = 800

/** Share of the time that is kept for the same, and its most in milliseconds. */
const reserve = { share: 0.1, millis: 3000 }

/** Follows a started program until it ends, fails or the deadline (`MonotonicTime`) passes. */
export const follow = Effect.fnUntraced(function* (
  { session, token }: Started,
  payload: Operations.Payload<"run">,
  rules: Rules,
  deadline: number,
  calls: Pick<Calls, "launch" | "processes">
) {
  const since = yield* MonotonicTime.now
  const stops: Array<Stop.StopReport> = []
  const warnings = new Map<string, Answer.Warning>()
  const context = payload.locals ? ("full" as const) : payload.context
  // Counted from the first stop or the running program: its loading takes a while.
  const hangs = rules.hang === undefined ? Number.POSITIVE_INFINITY : since + rules.hang
  const end = deadline - Math.min(reserve.millis, Math.max(0, deadline - since) * reserve.share)
  const next = Effect.fnUntraced(function* (token: number) {
    const left = Math.max(1, Math.round(Math.min(hangs, end) - (yield* MonotonicTime.now)))
    const waited = Resume.outcome(session, { ...payload, context, wait: true, timeout: `${left}ms` }, token)
    const options = { break: [], remove_break: [], eval: payload.eval }
    return yield* ResumeOptions.withOptions(session, options, calls.launch, waited).pipe(
      Effect.catchTag("WaitTimeout", () => Effect.succeed(HangReport.running))
    )
  })
  let last = yield* next(token)
  let isAsserted = false
  let thrown: Stop.StopReport | undefined
  for (;;) {
    const caught = yield* isCaught(session, last.data)
    const isOpen = last.data.event === "stopped" && (yield* PredictedExceptions.isOpen(session, payload, last.data))
    const goesOn = caught || isOpen || (yield* PassedSignals.isPassed(session, last.data, calls.processes))
    if (last.data.event !== "stopped" || (failureOf(last.data, rules) !== undefined && !goesOn)) break
    if (isOpen) thrown = last.data
    isAsserted ||= last.data.reason === "assert"
    // The runner of a test catches each panic, and only a panic that makes the test fail is shown.
    if (caught && payload.runner !== undefined) {
      last = yield* next(yield* session.resume("continue", undefined))
      continue
    }
    if (stops.length >= payload.max_stops) yield* session.breakpoints.clear
    else stops.push(last.data)
    for (const warning of Warnings.conditions(session, last.data)) warnings.set(warning.message, warning)
    last = yield* next(yield* session.resume("continue", undefined))
  }
  const isRunning = last.data.event === "running"
  const now = yield* MonotonicTime.now
  const isHang = isRunning && hangs <= now
  if (isRunning) {
    const millis = lateMillis + Math.min(hangMillis, Math.max(0, deadline - now))
    last = yield* HangReport.make(session, { ...payload, context }, { millis, token }, calls)
  }
  const isUnended = isRunning && (last.data.event === "running" || last.data.event === "stopped")
  const isStill = isUnended && (last.data.event === "running" || last.data.reason === "pause")
  const known = isHang && isStill ? FailureSignature.ofStop(last.data, "hang") : undefined
  const failure =
    known ??
    endedBy(session, rules, last.data, thrown) ??
    // The signal that ends the program after a failed assertion is the assertion's.
    failureOf(last.data, isAsserted && last.data.event !== "stopped" ? { ...rules, crash: false } : rules) ??
    (isInOutput(session, rules) ? FailureSignature.ofStop(last.data, "output") : undefined)
  const ms = Math.round((yield* MonotonicTime.now) - since)
  const trace = yield* RunTrace.finish(session)
  const ended: Ended = {
    stops,
    last,
    warnings: [...warnings.values()],
    ...(trace === undefined ? {} : { trace }),
    ...(failure === undefined ? {} : { failure }),
    timedOut: failure === undefined && isUnended,
    ms
  }
  return ended
})

/** Returns the record of a run. */
export const recordOf = (n: number, { failure, last, ms, timedOut }: Ended): RunReport.RunRecord => {
  const { exit_code, signal } = last.data
  const reason = failure?.reason
  const outcome = (): RunReport.RunRecord["outcome"] => {
    if (timedOut) return "time-out"
    if (reason === "hang" || reason === "output") return reason
    if (failure === undefined) return "passed"
    return last.data.event === "stopped" || signal !== undefined ? "signal" : "exit"
  }
  return {
    n,
    outcome: outcome(),
    ms,
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(signal === undefined ? {} : { signal })
  }
}
