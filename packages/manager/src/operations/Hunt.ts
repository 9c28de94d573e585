/**
 * Runs a program until it fails. The failed process becomes a session.
 *
 * The runs have no debugger and no symbols if the backend can do that; the stop of a failed run is then handed over to a
 * debugger. Otherwise each run is a restart of one session. Fibers: the runs at the same time, which the end of the call
 * interrupts; with them end their programs.
 */
import { MonotonicTime, type Operations, type RunReport, Session as Model } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { Rules } from "../model/FailureRule.ts"
import * as FailureSignature from "../model/FailureSignature.ts"
import type { LaunchRequest } from "../ports/Backend.ts"
import type { Run, RunOptions, ProgramRuns } from "../ports/ProgramRuns.ts"
import type { SessionOptions } from "../session/Manager.ts"
import type { Session } from "../session/Session.ts"
import type { Calls } from "./Calls.ts"
import * as RunResult from "./Run.ts"
import { RunCount, counted } from "./RunCount.ts"
import type { Report } from "./StopReport.ts"

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
}

/** What a hunt has found. */
interface Found {
  readonly count: RunCount
  readonly outcome: RunReport.RunSummary["outcome"]
  readonly kept?: { readonly session: Session; readonly report: Report }
  readonly native?: RunReport.RunSummary["native"]
  /** Why the first failure could not be kept. */
  readonly handover?: string
}

/** Timeout of the stop of a session that takes over a failed run. */
const handoverTimeout = "30s"

const optionsOf = ({ rules }: Hunt, limit: number): RunOptions => ({
  exits: rules.exit,
  ...(rules.hang === undefined ? {} : { hang: rules.hang }),
  ...(rules.output === undefined ? {} : { output: rules.output.test }),
  limit
})

const reasonOf = ({ code, outcome, signal }: Run): string =>
  outcome === "exit" ? `exit ${code ?? ""}`.trim() : outcome === "signal" ? (signal ?? "signal") : outcome

/** True if a run failed by the rules. */
const isFailure = ({ outcome }: Run, rules: Rules): boolean =>
  outcome === "signal" ? rules.crash || rules.assert : outcome !== "passed"

const recordOf = (n: number, run: Run | undefined, ms: number): RunReport.RunRecord => ({
  n,
  outcome: run?.outcome ?? "time-out",
  ms: Math.round(run?.ms ?? ms),
  ...(run?.code === undefined ? {} : { exit_code: run.code }),
  ...(run?.signal === undefined ? {} : { signal: run.signal })
})

/** Counts the failures of runs without any debugger, at most until the deadline. */
export const native = Effect.fn("Hunt.native")(function* (hunt: Hunt, runs: ProgramRuns) {
  let done = 0
  let failures = 0
  const left = Effect.map(MonotonicTime.now, (now) => hunt.deadline - now)
  while (done < hunt.runs && (yield* left) > 0) {
    const run = yield* runs.native(optionsOf(hunt, Math.max(1, yield* left)))
    if (run === undefined) break
    done++
    if (isFailure(run, hunt.rules)) failures++
  }
  return counted(done, failures)
})

/** Runs a program until it fails, without a debugger. */
export const search = Effect.fn("Hunt.search")(function* (
  hunt: Hunt,
  runs: ProgramRuns,
  launch: LaunchRequest,
  { launch: _, manager, within }: Pick<Calls, "launch" | "manager" | "within">,
  options: SessionOptions
) {
  const { payload, rules } = hunt
  const count = new RunCount()
  const done = Deferred.makeUnsafe<RunReport.RunSummary["outcome"]>()
  const one = yield* Semaphore.make(1)
  let kept: Found["kept"]
  let handover: string | undefined
  let started = 0

  /** Makes a session of a held run. */
  const takeOver = Effect.fnUntraced(function* (held: NonNullable<Run["held"]>) {
    const started = yield* manager.begin({ ...launch, held, stopOnEntry: false }, { ...options, session: hunt.name })
    const size = { context: payload.context, lines: payload.lines, wait: true, timeout: handoverTimeout }
    let report: Report | undefined
    yield* within(started.session, (session) =>
      Effect.map(RunResult.outcome(session, size, started.token), (found) => {
        report = found
        return found
      })
    ).pipe(Effect.tapError(() => manager.end(started.session)))
    return { session: started.session, report: report ?? { data: { event: "running" }, truncated: [] } }
  })

  const examine = Effect.fnUntraced(function* (n: number, run: Run) {
    const known = run.outcome === "signal" ? undefined : reasonOf(run)
    const plain = FailureSignature.make(reasonOf(run), [])
    const { held } = run
    if (held === undefined) {
      count.add(recordOf(n, run, 0), plain)
      handover ??= "the process was gone before it could be stopped"
      return plain
    }
    const taken = yield* Effect.exit(takeOver(held))
    if (Exit.isFailure(taken)) {
      yield* held.release("kill")
      if (Exit.hasInterrupts(taken)) return yield* Effect.interrupt
      count.add(recordOf(n, run, 0), plain)
      handover ??= "the debugger could not take the process over"
      return plain
    }
    const { report, session } = taken.value
    const signature = report.data.event === "stopped" ? FailureSignature.ofStop(report.data, known) : plain
    count.add(recordOf(n, run, 0), signature)
    const isWanted = payload.same_signature === undefined || payload.same_signature === signature.id
    if (hunt.keep && kept === undefined && isWanted && report.data.event === "stopped") kept = { session, report }
    else yield* manager.end(session)
    return signature
  })

  const attempt = Effect.fnUntraced(function* (n: number) {
    const since = yield* MonotonicTime.now
    const left = hunt.deadline - since
    const run = left <= 0 ? undefined : yield* runs.run(optionsOf(hunt, left))
    if (run === undefined) {
      if (left > 0) count.add(recordOf(n, run, (yield* MonotonicTime.now) - since))
      return void Deferred.doneUnsafe(done, Exit.succeed("time-out"))
    }
    if (!isFailure(run, rules)) {
      yield* run.held?.release("kill") ?? Effect.void
      return count.add(recordOf(n, run, 0))
    }
    // One after the other: a session has the name of the failure while it is examined. A failure after the first ends here.
    const signature = yield* one.withPermit(
      Effect.suspend(() =>
        Deferred.isDoneUnsafe(done) || (kept !== undefined && payload.all)
          ? Effect.as(run.held?.release("kill") ?? Effect.void, undefined)
          : examine(n, run)
      )
    )
    if (signature === undefined) return count.add(recordOf(n, run, 0), FailureSignature.make(reasonOf(run), []))
    const isWanted = payload.same_signature === undefined || payload.same_signature === signature.id
    if (isWanted && !payload.all) Deferred.doneUnsafe(done, Exit.succeed("failed"))
  })

  const worker = Effect.gen(function* () {
    while (started < hunt.runs && !Deferred.isDoneUnsafe(done)) yield* attempt(++started)
  })
  const workers = Array.from({ length: Math.min(payload.parallel, hunt.runs) }, () => worker)
  yield* Effect.raceFirst(
    Effect.asVoid(Effect.all(workers, { concurrency: "unbounded", discard: true })),
    Effect.asVoid(Deferred.await(done))
  ).pipe(Effect.onInterrupt(() => (kept === undefined ? Effect.void : Effect.asVoid(manager.end(kept.session)))))
  const failed = count.failures(payload.same_signature) > 0
  const timedOut = Deferred.isDoneUnsafe(done) && (yield* Deferred.await(done)) === "time-out"
  const found: Found = {
    count,
    outcome: failed ? "failed" : timedOut ? "time-out" : "passed",
    ...(kept === undefined ? {} : { kept }),
    ...(handover === undefined || kept !== undefined ? {} : { handover })
  }
  return found
})

/** True if a session is live. */
export const isLive = (session: Session): boolean => Model.isLive(session.log.snapshot.state)
