/**
 * Runs a program until it fails. The failed process becomes a session.
 *
 * The runs have no debugger and no symbols if the backend can do that; the stop of a failed run is then handed over to a
 * debugger. Otherwise each run is a restart of one session. Fibers: the runs at the same time, which the end of the call
 * interrupts; with them end their programs.
 */
import { Errors, MonotonicTime, type Operations, type RunReport, Session as Model, type Stop } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { isFailure, type Rules } from "../../model/runs/FailureRule.ts"
import * as FailureSignature from "../../model/runs/FailureSignature.ts"
import type { LaunchRequest } from "../../ports/Backend.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import type { Run, RunOptions, ProgramRuns, TracedPoint } from "../../ports/ProgramRuns.ts"
import type { SessionOptions } from "../../session/Manager.ts"
import type { Session } from "../../session/Session.ts"
import * as Traces from "../../session/traces/Traces.ts"
import type { Calls } from "../Calls.ts"
import * as HeldRuns from "./HeldRuns.ts"
import * as RunTrace from "./RunTrace.ts"
import { counted, type RunCount } from "./RunCount.ts"
import type { Report } from "../stops/StopReport.ts"
import { make as heldRunSessions, type Restore } from "./HeldRunSessions.ts"
import { type ThreadActivity, watcher } from "../waits/ThreadActivity.ts"

/** What the threads of a run did before it was stopped, if that is known. */
type Activity = ThreadActivity | undefined

type Payload = Operations.Payload<"run">

/** The call: what is run, how often, and what is looked for. */
export interface Hunt {
  readonly payload: Payload
  readonly rules: Rules
  /** Number of runs. */
  readonly runs: number
  /** Name of the session that keeps the failure. */
  readonly name: string
  readonly keep: boolean
  /** The end of the time, as `MonotonicTime`. */
  readonly deadline: number
  /** The threads at whose panics a program is held. The test of a runner may have a thread of its own, or pass by a panic. */
  readonly panics: "main" | "any" | "none"
  /** Counts the runs. It tells what was found so far if the call is interrupted. */
  readonly count: RunCount
}

/** What a hunt has found. */
export interface Found {
  readonly outcome: RunReport.RunSummary["outcome"]
  readonly kept?: { readonly session: Session; readonly report: Report; readonly signature: string }
  readonly native?: RunReport.RunSummary["native"]
  /** Why the first failure could not be kept. */
  readonly handover?: string
  /** What was recorded of the first run that failed, else of the last one. */
  readonly trace?: Operations.RunTrace
  /** The run that had not ended when the time was up. */
  readonly late?: Report
}

/** Runs from a number on whose values are recorded without a debugger: the points, and where their values are. */
export interface TracedRuns {
  readonly from: number
  readonly points: ReadonlyArray<Traces.Point>
  readonly places: ReadonlyArray<TracedPoint>
}

/** True if a session is live. */
export const isLive = (session: Session): boolean => Model.isLive(session.log.snapshot.state)

/** Time after the deadline in which the run that has not ended is stopped and explained, in milliseconds. */
const lateMillis = 3000

/** Returns when a run fails, and after how many milliseconds it is given up. */
export const optionsOf = ({ panics, rules }: Hunt, limit: number): RunOptions => ({
  // A runtime reports a panic or an assertion by an exit too.
  exits: rules.exit || rules.crash || rules.assert,
  ...(rules.crash && panics !== "none" ? { panics } : {}),
  ...(rules.hang === undefined ? {} : { hang: rules.hang }),
  ...(rules.output === undefined ? {} : { output: rules.output.test }),
  limit
})

const reasonOf = ({ code, outcome, reported, signal }: Run): string => {
  if (outcome === "exit") return reported ?? `exit ${code ?? ""}`.trim()
  return outcome === "signal" ? (reported === "assert" ? reported : (signal ?? "signal")) : outcome
}

/** Returns a run with what the debugger's report of its stop says. */
const corrected = (run: Run, { event, reason }: Stop.StopReport): Run => {
  if (event !== "stopped" || run.outcome !== "signal") return run
  const { reported: _, ...rest } = run
  const isReport = reason === "assert" || reason === "panic" || reason === "sanitizer"
  return isReport ? { ...rest, reported: reason } : rest
}

/** True if a run failed, or may have: a signal may be an assertion without its text, which its stop tells. */
export const mayHaveFailed = (run: Run, rules: Rules): boolean =>
  isFailure(run, rules) || (run.outcome === "signal" && rules.assert)

/** Returns the record of a run; `run` is undefined if the run did not end. */
export const recordOf = (n: number, run: Run | undefined, ms: number): RunReport.RunRecord => ({
  n,
  outcome: run?.outcome ?? "time-out",
  ms: Math.round(run?.ms ?? ms),
  ...(run?.code === undefined ? {} : { exit_code: run.code }),
  ...(run?.signal === undefined ? {} : { signal: run.signal })
})

/** Adds to the failure of a debug server what was counted before it. */
const withCount = (error: Errors.AdapterError, count: RunCount): Errors.AdapterError => {
  const { runs } = count.summary({ outcome: "interrupted" })
  return runs === 0
    ? error
    : new Errors.AdapterError({
        ...error,
        detail: `${error.detail}; runs that had ended before: ${runs}, failures among them: ${count.failures()}`
      })
}

/** Counts the failures of runs without any debugger, at most until the deadline; `summary` is what the first one wrote. */
export const native = Effect.fn("Hunt.native")(function* (hunt: Hunt, runs: ProgramRuns) {
  let done = 0
  let failures = 0
  let summary: string | undefined
  const left = Effect.map(MonotonicTime.now, (now) => hunt.deadline - now)
  while (done < hunt.runs && (yield* left) > 0) {
    const run = yield* runs.native(optionsOf(hunt, Math.max(1, yield* left)))
    if (run === undefined) break
    done++
    if (!isFailure(run, hunt.rules)) continue
    failures++
    summary ??= run.summary
  }
  return { count: counted(done, failures), summary }
})

/** Runs a program until it fails, without a debugger. */
export const search = Effect.fn("Hunt.search")(function* (
  hunt: Hunt,
  runs: ProgramRuns,
  launch: LaunchRequest,
  calls: Pick<Calls, "manager" | "processes" | "within">,
  options: SessionOptions,
  traced?: TracedRuns
) {
  const { count, payload, rules } = hunt
  const { manager } = calls
  const secrets = Secrets.make(launch.settings)
  const recorded = ({ traced: found }: Run) =>
    traced === undefined || found === undefined ? undefined : Traces.ofRun(traced.points, found, secrets)
  /** The records of the first run that failed, else of the last one. */
  let trace: Traces.Trace | undefined
  let hasFailed = false
  const done = Deferred.makeUnsafe<RunReport.RunSummary["outcome"]>()
  const one = yield* Semaphore.make(1)
  let kept: Found["kept"]
  let handover: string | undefined
  let late: Report | undefined
  let started = (traced?.from ?? 1) - 1

  const held = HeldRuns.make(runs)
  const { explainedEnd, takeOver } = heldRunSessions(
    { hunt, launch, session: options, isNameTaken: () => kept !== undefined },
    calls
  )

  /** Examines a failed run and counts it. Returns its signature; undefined if its stop shows that it has not failed by the rules. */
  const examine = (n: number, run: Run, activity: Activity) =>
    Effect.uninterruptibleMask((restore) => examined(n, run, activity, restore))
  const examined = Effect.fnUntraced(function* (n: number, run: Run, activity: Activity, restore: Restore) {
    const plain = FailureSignature.make(reasonOf(run), [])
    if (run.held === undefined) {
      count.add(recordOf(n, run, 0), plain)
      handover ??= "the process was gone before it could be stopped"
      return plain
    }
    held.leave(run.held)
    const taken = yield* Effect.exit(takeOver(run.held, n, run.outcome === "hang" ? { activity } : undefined, restore))
    if (Exit.isFailure(taken)) {
      yield* run.held.release("kill")
      if (Exit.hasInterrupts(taken)) return yield* Effect.interrupt
      count.add(recordOf(n, run, 0), plain)
      handover ??= Option.match(Exit.findErrorOption(taken), {
        onNone: () => "the debugger could not take the process over",
        onSome: ({ message }) => `the debugger could not take the process over: ${message}`
      })
      return plain
    }
    const { report, session } = taken.value
    const seen = corrected(run, report.data)
    if (!isFailure(seen, rules)) {
      yield* manager.end(session)
      return void count.add(recordOf(n, run, 0))
    }
    const known = run.outcome === "signal" ? undefined : reasonOf(run)
    const signature = report.data.event === "stopped" ? FailureSignature.ofStop(report.data, known) : plain
    count.add(recordOf(n, run, 0), signature)
    const isWanted = FailureSignature.matches(signature, payload.same_signature)
    const records = recorded(run)
    if (records !== undefined) {
      session.traces.adopt(records)
      if (!hasFailed) trace = records
      hasFailed = true
    }
    if (hunt.keep && kept === undefined && isWanted && report.data.event === "stopped") {
      kept = { session, report, signature: signature.id }
    } else yield* manager.end(session)
    return signature
  })

  /** Reports where a run is that had not ended when the time was up, and ends it. */
  const endLate = (n: number, run: HeldRuns.Held, activity: Activity) =>
    Effect.uninterruptibleMask((restore) => {
      held.leave(run)
      return explainedEnd(run, n, { activity }, lateMillis, restore)
    })

  const tracing = traced === undefined ? {} : { trace: { points: traced.places, newest: RunTrace.newest } }

  const attempt = Effect.fnUntraced(function* (n: number) {
    const { activity, watch } = watcher(calls.processes, traced !== undefined)
    const since = yield* MonotonicTime.now
    const left = hunt.deadline - since
    // A run that has not ended by the deadline is held like one that hangs. The limit ends one that cannot be.
    const isLast = rules.hang === undefined || left < rules.hang
    const limits = isLast ? { ...optionsOf(hunt, left + lateMillis), hang: left } : optionsOf(hunt, left)
    const run = left <= 0 ? undefined : yield* held.run({ ...limits, ...tracing, watch })
    if (run?.outcome === "hang" && isLast) {
      count.add(recordOf(n, undefined, run.ms))
      yield* one.withPermit(
        Effect.gen(function* () {
          if (run.held === undefined || late !== undefined || Deferred.isDoneUnsafe(done)) return
          late = yield* endLate(n, run.held, activity())
        })
      )
      return void Deferred.doneUnsafe(done, Exit.succeed("time-out"))
    }
    if (run === undefined) {
      if (left > 0) count.add(recordOf(n, run, (yield* MonotonicTime.now) - since))
      return void Deferred.doneUnsafe(done, Exit.succeed("time-out"))
    }
    const release = held.kill(run.held)
    const isSuspect = mayHaveFailed(run, rules)
    if (!hasFailed) trace = recorded(run) ?? trace
    if (!isSuspect) {
      yield* release
      return count.add(recordOf(n, run, 0))
    }
    // One after the other: a session has the name of the failure while it is examined. A failure after the last wanted one ends here.
    yield* one.withPermit(
      Effect.gen(function* () {
        if (Deferred.isDoneUnsafe(done)) return yield* release
        const signature = yield* examine(n, run, activity())
        if (signature === undefined) return
        const isWanted = FailureSignature.matches(signature, payload.same_signature)
        if (isWanted && !payload.all) Deferred.doneUnsafe(done, Exit.succeed("failed"))
      })
    )
  })

  const worker = Effect.gen(function* () {
    while (started < hunt.runs && !Deferred.isDoneUnsafe(done)) yield* attempt(++started)
  })
  const workers = Array.from({ length: Math.min(payload.parallel, hunt.runs) }, () => worker)
  yield* Effect.raceFirst(
    Effect.asVoid(Effect.all(workers, { concurrency: "unbounded", discard: true })),
    Effect.asVoid(Deferred.await(done))
  ).pipe(
    Effect.catchTag("AdapterError", (error) => Effect.fail(withCount(error, count))),
    Effect.onInterrupt(() => (kept === undefined ? Effect.void : Effect.asVoid(manager.end(kept.session)))),
    Effect.ensuring(held.killRest)
  )
  const failed = count.failures(payload.same_signature) > 0
  const timedOut = Deferred.isDoneUnsafe(done) && (yield* Deferred.await(done)) === "time-out"
  const found: Found = {
    outcome: failed ? "failed" : timedOut ? "time-out" : "passed",
    ...(kept === undefined ? {} : { kept }),
    ...(handover === undefined || kept !== undefined ? {} : { handover }),
    ...(trace === undefined ? {} : { trace: RunTrace.shown(trace, "rsp") }),
    ...(late === undefined ? {} : { late })
  }
  return found
})
