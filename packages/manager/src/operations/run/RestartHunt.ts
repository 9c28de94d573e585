/**
 * Runs a program until it fails, each time under its debugger: for debuggers that cannot run it without, and for calls that need
 * one, as with breakpoints. The runs are one after the other.
 */
import { MonotonicTime, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { StartPayload } from "../../launch/Launch.ts"
import * as FailureSignature from "../../model/runs/FailureSignature.ts"
import type { Session } from "../../session/Session.ts"
import type { Calls } from "../Calls.ts"
import * as Catchpoints from "../breakpoints/Catchpoints.ts"
import type { Found, Hunt } from "./Hunt.ts"
import * as RunTrace from "./RunTrace.ts"
import * as SingleRun from "./SingleRun.ts"

/** Exceptions at which runs without a debugger stop too, or with which a test ends; `none` are none. */
const held: ReadonlySet<string> = new Set(["panic", "returned-error", "uncaught-by-test", "none"])

/** True if a call needs the debugger in each run. */
export const isNeeded = (
  { eval: expressions, logpoint = [] }: Operations.Payload<"run">,
  start: Pick<StartPayload, "break" | "catch">
): boolean =>
  (start.catch ?? []).some((one) => !held.has(one)) ||
  [start.break, logpoint, expressions].some((given) => given.length > 0)

const restarted = (debuggerName: string) => `${debuggerName}, started anew for each run`

/** The runs of a search by their numbers. `learns` is true to learn where a debug server finds the values of a trace. */
interface Part {
  readonly from: number
  readonly to: number
  readonly learns?: boolean
}

/** Runs a program until it fails. */
export const search = Effect.fn("RestartHunt.search")(function* (
  hunt: Hunt,
  start: StartPayload,
  calls: Calls,
  { from, learns = false, to }: Part = { from: 1, to: hunt.runs }
) {
  const { manager, within } = calls
  const { count, payload, rules } = hunt
  let kept: Found["kept"]
  let by = "debugger"
  let outcome: Found["outcome"] | undefined
  let late: Found["late"]
  /** The records of the first run that failed, else of the last one. */
  let trace: Found["trace"]
  let traced: SingleRun.Ended["trace"]
  let hasFailed = false

  const attempt = Effect.fnUntraced(function* (n: number) {
    const session = kept === undefined ? hunt.name : `${hunt.name}-${n}`
    const configure = RunTrace.configure(calls, payload, Catchpoints.fromStart(start.catch), learns)
    const begun = yield* manager.start({ ...start, session, replace: true }, configure)
    by = begun.session.adapter()?.name ?? by
    count.note({ by: restarted(by) })
    const end = Effect.asVoid(manager.end(begun.session))
    let ended: SingleRun.Ended | undefined
    yield* within(begun.session, () =>
      Effect.map(SingleRun.follow(begun, payload, rules, hunt.deadline, calls), (found) => {
        ended = found
        return found.last
      })
    ).pipe(Effect.onError(() => end))
    if (ended === undefined) return yield* end
    const { failure, last, ms, timedOut } = ended
    if (!hasFailed) trace = ended.trace?.records
    traced = ended.trace
    hasFailed ||= failure !== undefined
    count.add(SingleRun.recordOf(n, ended), failure)
    if (timedOut) {
      outcome = "time-out"
      late = last
    }
    const isWanted = failure !== undefined && FailureSignature.matches(failure, payload.same_signature)
    // A program that hangs and cannot be stopped stays running: its tasks can be read.
    const canBeKept = last.data.event === "stopped" || last.data.event === "running"
    if (isWanted && hunt.keep && kept === undefined && canBeKept) {
      kept = { session: begun.session, report: last, signature: failure.id }
    } else yield* end
    if (isWanted && !payload.all) outcome = "failed"
    return ms
  })

  const isOver = Effect.map(MonotonicTime.now, (now) => now >= hunt.deadline)
  const endKept = Effect.suspend(() => {
    const session: Session | undefined = kept?.session
    return session === undefined ? Effect.void : Effect.asVoid(manager.end(session))
  })
  yield* Effect.gen(function* () {
    for (let n = from; n <= to && outcome === undefined; n++) {
      if (yield* isOver) outcome = "time-out"
      else yield* attempt(n)
    }
  }).pipe(Effect.onInterrupt(() => endKept))
  const failures = count.failures(payload.same_signature)
  const found: Found = {
    outcome: failures > 0 ? "failed" : (outcome ?? "passed"),
    ...(kept === undefined ? {} : { kept }),
    ...(trace === undefined ? {} : { trace }),
    ...(late === undefined ? {} : { late }),
    ...(kept !== undefined || failures === 0 || !hunt.keep ? {} : { handover: "the program had ended" })
  }
  return { ...found, ...(traced === undefined ? {} : { traced }) }
})
