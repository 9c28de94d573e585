/**
 * One run of a program under its debugger: reports each stop and continues, until the program ends or fails.
 */
import { MonotonicTime, type Operations, type Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Rules } from "../model/FailureRule.ts"
import * as FailureSignature from "../model/FailureSignature.ts"
import type { Started } from "../session/Manager.ts"
import * as ResumeOptions from "./ResumeOptions.ts"
import * as Run from "./Run.ts"
import type { Calls } from "./Calls.ts"
import type { Report } from "./StopReport.ts"

/** How a run under its debugger ended. `failure` is set if it failed. */
export interface Ended {
  readonly stops: ReadonlyArray<Stop.StopReport>
  readonly last: Report
  readonly failure?: FailureSignature.FailureSignature
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
  return rules.exit && exit_code !== undefined && exit_code !== 0
    ? FailureSignature.make(`exit ${exit_code}`, [])
    : undefined
}

const running: Report = { data: { event: "running", running: true }, truncated: [] }

/** Follows a started program until it ends, fails or the deadline (`MonotonicTime`) passes. */
export const follow = Effect.fnUntraced(function* (
  { session, token }: Started,
  payload: Operations.Payload<"run">,
  rules: Rules,
  deadline: number,
  { launch }: Pick<Calls, "launch">
) {
  const since = yield* MonotonicTime.now
  const stops: Array<Stop.StopReport> = []
  const context = payload.locals ? ("full" as const) : payload.context
  const next = Effect.fnUntraced(function* (token: number) {
    const left = Math.max(1, Math.round(deadline - (yield* MonotonicTime.now)))
    const waited = Run.outcome(session, { ...payload, context, wait: true, timeout: `${left}ms` }, token)
    const options = { break: [], remove_break: [], eval: payload.eval }
    return yield* ResumeOptions.withOptions(session, options, launch, waited).pipe(
      Effect.catchTag("WaitTimeout", () => Effect.succeed(running))
    )
  })
  let last = yield* next(token)
  while (last.data.event === "stopped" && failureOf(last.data, rules) === undefined) {
    if (stops.length >= payload.max_stops) yield* session.breakpoints.clear
    else stops.push(last.data)
    last = yield* next(yield* session.resume("continue", undefined))
  }
  const failure = failureOf(last.data, rules)
  const ended: Ended = {
    stops,
    last,
    ...(failure === undefined ? {} : { failure }),
    timedOut: last.data.event === "running",
    ms: Math.round((yield* MonotonicTime.now) - since)
  }
  return ended
})
