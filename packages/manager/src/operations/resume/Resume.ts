/**
 * Handlers that resume, pause or wait for the program. Each answers with a stop report.
 */
import { Errors, Field, Hint, MonotonicTime, type Operations, type Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ResumeOptions, Resume } from "../../ports/Backend.ts"
import * as SignalReturn from "../frames/SignalReturn.ts"
import * as StepExtras from "./StepExtras.ts"
import * as StepFrame from "./StepFrame.ts"
import * as StopReport from "../stops/StopReport.ts"
import type { Session } from "../../session/Session.ts"
import * as TemporaryBreakpoints from "./TemporaryBreakpoints.ts"
import { staleStop } from "../../session/StateChecks.ts"
import * as WaitCondition from "./WaitCondition.ts"

interface WaitOptions {
  readonly timeout: string
  readonly context: StopReport.Size["context"]
  readonly lines: number
}

/** What a call that resumes and waits for a stop takes. */
export interface ResumePayload extends WaitOptions {
  readonly wait: boolean
  readonly thread?: number
  readonly only_thread?: boolean
  readonly into_system?: boolean
  readonly at_stop?: number
}

/** Returns the resume options of a payload. */
export const resumeOptions = (payload: Pick<ResumePayload, "only_thread" | "into_system">): ResumeOptions => ({
  ...(payload.only_thread === true ? { only: true } : {}),
  ...(payload.into_system === true ? { system: true } : {})
})

/** True if the report of the stop that the call waits for shows the locals. */
const showsLocals = ({ context, wait }: Pick<ResumePayload, "context" | "wait">): boolean =>
  wait && (context === "brief" || context === "full")

const running: StopReport.Report = { data: { event: "running", running: true }, truncated: [] }

const timedOut = (session: Session, millis: number) =>
  Effect.map(
    StopReport.output(session),
    ({ bytes, tail }) =>
      new Errors.WaitTimeout({
        waited_ms: Number.isFinite(millis) ? Math.round(millis) : 0,
        output_bytes: bytes,
        ...(tail === undefined ? {} : { output_tail: tail })
      })
  )

const size = (payload: WaitOptions): StopReport.Size => ({ context: payload.context, lines: payload.lines })

const reported = Effect.fnUntraced(function* (
  session: Session,
  payload: WaitOptions,
  seen: Option.Option<Snapshot.Snapshot>,
  since: number
) {
  if (Option.isNone(seen)) return yield* yield* timedOut(session, Field.millis(payload.timeout))
  const { data, ...rest } = yield* StopReport.composeAt(session, size(payload), seen.value)
  const elapsed = (yield* MonotonicTime.now) - since
  return { ...rest, data: { ...data, elapsed_ms: Math.round(elapsed) } }
})

/** Returns the report of the first stop after the resume of `token`. */
export const outcome = Effect.fnUntraced(function* (session: Session, payload: ResumePayload, token: number) {
  if (!payload.wait) return running
  const since = yield* MonotonicTime.now
  const seen = yield* session.outcome(token, Field.millis(payload.timeout))
  return yield* reported(session, payload, seen, since)
})

const sameBreakpoint = (before: Snapshot.Snapshot, after: Snapshot.Snapshot) =>
  after.state === "stopped" &&
  after.stopped?.reason === "breakpoint" &&
  (before.stopped?.breakpoints.length === 0 ||
    after.stopped.breakpoints.some((id) => before.stopped?.breakpoints.includes(id) ?? true))

const sameStep = (_: Snapshot.Snapshot, after: Snapshot.Snapshot) =>
  after.state === "stopped" && after.stopped?.reason === "step"

/** Resumes until the program returns to a frame. Returns the token, and undefined if the frame is the innermost one. */
const returnTo = (session: Session, payload: ResumePayload, frame: StepFrame.StepFrame | undefined) =>
  frame?.called === undefined
    ? Effect.undefined
    : session.resume("finish", payload.thread, { ...resumeOptions(payload), frame: frame.called }, payload.at_stop)

/** True if a step has ended because the program returned to the beginning of another line of the frame that it acts on. */
const hasLeftLine = Effect.fnUntraced(function* (session: Session, before: StepFrame.StepFrame | undefined) {
  const after = yield* StepFrame.of(session, "next", undefined)
  const [from, to] = [StepExtras.lineOf(before?.frame), StepExtras.lineOf(after?.frame)]
  return to !== undefined && (from?.line !== to.line || from.file !== to.file)
})

const returned = (after: Snapshot.Snapshot) => after.state === "stopped" && after.stopped?.reason === "finish"

/**
 * Returns the stop of a resume. A step that ended where a signal handler returns runs on to the frame of the user that the
 * signal interrupted.
 */
const arrival = Effect.fnUntraced(function* (
  session: Session,
  how: Resume,
  payload: ResumePayload,
  token: number,
  millis: number
) {
  const since = yield* MonotonicTime.now
  const seen = yield* session.outcome(token, millis)
  const isStep = (how === "next" || how === "step" || how === "finish") && payload.into_system !== true
  if (!isStep || Option.isNone(seen) || seen.value.state !== "stopped") return seen
  if (seen.value.stopped?.reason !== "step" && seen.value.stopped?.reason !== "finish") return seen
  if (!(yield* SignalReturn.isNext(session, payload.thread))) return seen
  const called = (yield* StepFrame.of(session, "next", payload.thread))?.called
  const manner = { ...resumeOptions(payload), ...(called === undefined ? {} : { frame: called }) }
  const next = yield* Effect.option(session.resume("finish", payload.thread, manner, seen.value.stop))
  if (Option.isNone(next)) return seen
  return yield* session.outcome(next.value, Math.max(0, millis - ((yield* MonotonicTime.now) - since)))
})

/** The report of a step that ended where the program returned to the frame. */
const asStep = <R extends StopReport.Report>(report: R): R =>
  report.data.reason === "finish" ? { ...report, data: { ...report.data, reason: "step" } } : report

/**
 * Resumes `count` times, while each stop is of the expected kind, within one timeout for all. `frame` is the frame on which the
 * first resume acts.
 */
const repeated = Effect.fnUntraced(function* (
  session: Session,
  how: Resume,
  payload: ResumePayload,
  count: number,
  continues: (before: Snapshot.Snapshot, after: Snapshot.Snapshot) => boolean,
  frame?: StepFrame.StepFrame
) {
  const since = yield* MonotonicTime.now
  const limit = Field.millis(payload.timeout)
  const steps = how === "next" || how === "step"
  let began = steps && count === 1 ? StepExtras.lineOf(frame?.frame) : undefined
  // Read first: the next stop may come before the resume is answered.
  let before = session.log.snapshot
  const returning = steps ? yield* returnTo(session, payload, frame) : undefined
  const mannerOf = (time: number): ResumeOptions => ({
    ...resumeOptions(payload),
    ...(time >= count && showsLocals(payload) ? { locals: true } : {})
  })
  const manner = {
    ...mannerOf(1),
    ...(how === "finish" && frame !== undefined ? { frame: frame.handle } : {})
  }
  let token = returning ?? (yield* session.resume(how, payload.thread, manner, payload.at_stop))
  const later = Effect.gen(function* () {
    for (let time = returning === undefined ? 1 : 0; ; time++) {
      const spent = (yield* MonotonicTime.now) - since
      const seen = yield* arrival(session, how, payload, token, payload.wait ? Math.max(0, limit - spent) : Infinity)
      if (time >= count || Option.isNone(seen)) return seen
      if (time === 0) {
        if (!returned(seen.value)) return seen
        if (yield* hasLeftLine(session, frame)) {
          time++
          if (time >= count) return seen
        }
      } else if (!continues(before, seen.value) && !(steps && returned(seen.value))) return seen
      before = seen.value
      if (steps && count > 1 && time === count - 1) {
        began = StepExtras.lineOf((yield* StepFrame.of(session, "next", payload.thread))?.frame)
      }
      // Another client has resumed the program or taken control meanwhile. The answer is the stop that this call has seen.
      const next = yield* Effect.catchTag(
        session.resume(how, payload.thread, mannerOf(time + 1), before.stop),
        ["StaleStop", "NotStopped", "LeaseHeld"],
        () => Effect.undefined
      )
      if (next === undefined) return seen
      token = next
    }
  })
  if (payload.wait) {
    const report = yield* reported(session, payload, yield* later, since)
    return StepExtras.withRan(steps ? asStep(report) : report, began)
  }
  // Without waiting, the other resumes run in the background. A stop of another kind or another client's resume ends them.
  if (count > 1 || returning !== undefined) yield* Effect.forkIn(Effect.ignore(later), session.scope)
  return running
})

/** Fails if a caller saw another stop than that of a loaded program: none, or the last one before a restart. */
const requireLoaded = (session: Session, atStop: number | undefined) =>
  !session.isLoaded() || atStop === undefined || atStop === 0 || atStop === session.log.snapshot.stop
    ? Effect.void
    : Effect.fail(staleStop(session.log, atStop))

/** `run`, and `continue` of a program that is loaded and not started. */
export const start = Effect.fnUntraced(function* (session: Session, payload: ResumePayload) {
  yield* requireLoaded(session, payload.at_stop)
  return yield* outcome(session, payload, yield* session.run)
})

/** Handles `continue`. */
export const resume = (session: Session, payload: Operations.Payload<"continue">) =>
  repeated(session, "continue", payload, payload.count, sameBreakpoint)

/** Steps, and adds the function that a single step has left. */
const stepped = Effect.fnUntraced(function* (
  session: Session,
  how: "next" | "step",
  payload: ResumePayload,
  count: number
) {
  const frame = payload.into_system === true ? undefined : yield* StepFrame.of(session, how, payload.thread)
  const isAnswered = count === 1 && payload.wait
  const before = isAnswered ? yield* StepExtras.depthOf(session, payload.thread, frame?.index) : undefined
  const report = yield* repeated(session, how, payload, count, sameStep, frame)
  return yield* StepExtras.withReturnedFrom(session, report, before)
})

/** Handles `next`. */
export const next = (session: Session, payload: Operations.Payload<"next">) =>
  stepped(session, "next", payload, payload.count)

/** Handles `step`. */
export const step = (session: Session, payload: Operations.Payload<"step">) =>
  stepped(session, "step", payload, payload.count)

/** True for the report of a stop at an internal breakpoint alone. */
const isInternal = ({ data }: StopReport.Report): boolean =>
  data.event === "stopped" && data.reason === "until" && data.breakpoints?.length === 0

/**
 * Finishes the innermost function by a breakpoint at its caller, which the debugger does not find; undefined if there is none. The returned
 * value is unknown.
 */
const finishByBreakpoint = (session: Session, payload: Operations.Payload<"finish">, name: string) => {
  /** The resume, if its stop is not awaited. */
  let pending: number | undefined
  return Effect.acquireUseRelease(
    TemporaryBreakpoints.atReturn(session, payload.thread),
    (id) =>
      Effect.gen(function* () {
        if (id === undefined) return undefined
        const token = yield* session.resume("continue", payload.thread, resumeOptions(payload), payload.at_stop)
        if (!payload.wait) pending = token
        const report = yield* outcome(session, payload, token)
        if (!isInternal(report)) return report
        const { raw_reason: _, ...data } = report.data
        return { ...report, data: { ...data, reason: "step" as const, returned_from: name } }
      }),
    (id) => (id === undefined ? Effect.void : Effect.suspend(() => TemporaryBreakpoints.remove(session, id, pending)))
  )
}

/** `finish`, with the return value if the debugger knows it. Refused where no caller is known, as in GDB. */
export const finish = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"finish">) {
  const frame = yield* StepFrame.of(session, "finish", payload.thread)
  const depth = yield* StepExtras.depthOf(session, payload.thread, frame?.index)
  if (depth?.hasCaller === false) {
    const isUnlisted = depth.callerIsUnlisted && (frame?.index ?? 0) === 0
    const report = isUnlisted ? yield* finishByBreakpoint(session, payload, depth.function) : undefined
    if (report !== undefined) return report
    return yield* new Errors.InvalidState({
      problem: `the debugger knows no caller of ${depth.function}, so it cannot finish it`,
      remedies: [Hint.call("next", {}), Hint.call("continue", {})]
    })
  }
  // A signal handler returns no value, and the interrupted code has its own registers again.
  const at = frame?.index ?? 0
  const leavesHandler =
    (yield* SignalReturn.isNext(session, payload.thread, at)) ||
    (yield* SignalReturn.isNext(session, payload.thread, at + 1))
  const report = yield* repeated(session, "finish", payload, 1, sameStep, frame)
  if (leavesHandler) return report
  return yield* StepExtras.withReturn(session, report, frame?.frame.function)
})

/** `stepi`, `nexti`, with the next instruction. */
export const stepInstruction = (session: Session, how: "stepi" | "nexti", payload: Operations.Payload<"stepi">) =>
  Effect.flatMap(repeated(session, how, payload, payload.count, sameStep), (report) =>
    StepExtras.withInstruction(session, report)
  )

/** Handles `pause`. */
export const pause = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"pause">) {
  const since = yield* MonotonicTime.now
  const seen = yield* session.pause(Field.millis(payload.timeout))
  return yield* reported(session, payload, seen, since)
})

/** Handles `wait`. */
export const wait = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"wait">) {
  const since = yield* MonotonicTime.now
  const condition = yield* WaitCondition.parse(payload.for ?? "any", payload.after ?? -1)
  const isForControl = condition.kind === "control"
  if (session.isLoaded() && !isForControl) {
    return yield* new Errors.InvalidState({
      problem: "the program is loaded, not started",
      remedies: [Hint.call("run", {})]
    })
  }
  const limit = Field.millis(payload.timeout)
  const waiting = WaitCondition.until(session, condition)
  const seen = yield* Number.isFinite(limit)
    ? Effect.timeoutOption(waiting, limit)
    : Effect.map(waiting, (snapshot) => Option.some(snapshot))
  const { lease } = session.log.snapshot
  if (isForControl && Option.isNone(seen) && lease !== undefined) {
    return yield* new Errors.WaitTimeout({ waited_ms: Math.round(limit), output_bytes: 0, holder: lease.holder })
  }
  return yield* reported(session, payload, seen, since)
})
