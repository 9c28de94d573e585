/**
 * The facts of a crash, a failed assertion, a panic, an exception or a sanitizer's report at the current stop.
 */
import { type Errors, type Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as SignalCodes from "../../model/signals/SignalCodes.ts"
import * as SignalMeaning from "../../model/signals/SignalMeaning.ts"
import * as MainReturn from "../../model/crashes/MainReturn.ts"
import type { Failure } from "../../ports/Backend.ts"
import type { FileReader } from "../../ports/FileReader.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView, ViewFailure } from "../../session/values/StopView.ts"
import * as CrashFinding from "./CrashFinding.ts"
import * as HandlerFacts from "./HandlerFacts.ts"
import * as RethrownErrors from "./RethrownErrors.ts"
import * as SanitizerFacts from "./SanitizerFacts.ts"
import { type Finding, placeOf, present, type StopPlace } from "./StopFindings.ts"
import * as UserFrame from "../frames/UserFrame.ts"
import * as ExceptionFacts from "./ExceptionFacts.ts"
import * as SignalFacts from "./SignalFacts.ts"

type Fact = Explanation.Fact

/** True at the stop of a program that exits. */
const isExit = (session: Session): boolean => session.log.snapshot.stopped?.raw_reason === "exit"

/** Says that a program exits because its `main` returned: no frame tells it. */
const mainFact = ({ page }: StopPlace): Fact | undefined =>
  MainReturn.hasReturned(page.frames.map(({ function: name }) => name))
    ? { kind: "exit", text: "main has returned", by: "stack" }
    : undefined

/** What a core file with `SIGSTOP` is: `gcore` stops a program to write it. */
const snapshotFact: Fact = {
  kind: "signal",
  text: "it ends no program, so the core file was written while the program lived",
  by: "core"
}

/** Returns what the signal of an ordinary stop means, or why the program exits. */
export const ofOrdinary = Effect.fnUntraced(function* (session: Session, place: StopPlace) {
  const { stopped } = session.log.snapshot
  if (isExit(session)) return mainFact(place)
  if (stopped?.reason !== "signal" || stopped.signal === undefined) return undefined
  if (stopped.signal === "SIGSTOP" && session.launch.existing?.kind === "core") return snapshotFact
  return yield* SignalFacts.meaning(session, place, yield* SignalFacts.read(session, place, stopped.signal))
})

/** Returns why the stop is explained: what its reason and its stack say. */
const causeOf = (session: Session, { page, user }: StopPlace): RuntimeFrames.Cause | undefined =>
  UserFrame.causeOf(session, page, user.frame.index)

/** Returns what a stop is to be explained as. */
export const whatOf = (session: Session, place: StopPlace): Explanation.Cause => {
  const { stopped } = session.log.snapshot
  const cause = causeOf(session, place)
  const isCore = session.launch.existing?.kind === "core"
  if (cause?.reason === "sanitizer") return "sanitizer"
  // The program may recover from a panic of Go where it begins.
  if (cause !== undefined) return place.page.frames[0]?.function === "runtime.gopanic" ? "exception" : "crash"
  const signal = stopped?.signal
  if (stopped?.reason === "signal" || (stopped?.reason === "exception" && signal !== undefined)) {
    if (signal !== undefined && SignalCodes.crashes.has(signal)) return "crash"
    // A core of a program that did not crash was written to see what it does, unless the kernel ended the program at a limit.
    return isCore && !SignalMeaning.isExplained(signal) ? "hang" : "stop"
  }
  if (stopped?.reason === "exception" || stopped?.reason === "panic") return "exception"
  return stopped?.reason === "pause" || isCore ? "hang" : "stop"
}

const crashOf = Effect.fnUntraced(function* (
  session: Session,
  place: StopPlace,
  runtime: RuntimeFrames.Cause | undefined,
  counts: boolean
) {
  const signal = session.log.snapshot.stopped?.signal
  const info = signal === undefined ? undefined : yield* SignalFacts.read(session, place, signal)
  const cause: CrashFinding.Cause = {
    ...(signal === undefined ? {} : { signal }),
    ...(info === undefined ? {} : { info }),
    ...(runtime === undefined ? {} : { runtime })
  }
  return yield* CrashFinding.of(session, place, cause, counts)
})

/** Failures of reading a stop. */
export type FindingFailure = ViewFailure | Errors.FrameNotFound | Failure

/** Explains a crash, an exception or a sanitizer's report at a stop. With `counts` it counts the frames of a recursion. */
export const find = (
  session: Session,
  place: StopPlace,
  what: "crash" | "sanitizer" | "exception",
  counts = true
): Effect.Effect<Finding, FindingFailure, SourceFiles | FileReader> =>
  Effect.gen(function* () {
    const { stopped } = session.log.snapshot
    const cause = causeOf(session, place)
    if (what === "sanitizer") return yield* SanitizerFacts.find(session, place, cause)
    if (what === "crash" || cause?.reason === "panic")
      return { ...(yield* crashOf(session, place, cause, counts)), what }
    const [exception, ...members] = yield* ExceptionFacts.of(session, place)
    const text =
      exception?.text ?? (stopped?.description === undefined ? undefined : session.secrets.inText(stopped.description))
    const said: Fact | undefined =
      exception ?? (text === undefined ? undefined : { kind: "exception", text, by: "debugger" })
    const deep = text?.startsWith("RecursionError") === true ? yield* CrashFinding.recursion(place, counts) : undefined
    const finding: Finding = {
      what,
      summary: text ?? stopped?.reason ?? "no exception",
      ...(text === undefined ? {} : { line: text }),
      facts: [...present(said, deep), ...members, ...(yield* ExceptionFacts.earlier(session, place))]
    }
    return finding
  })

/** Reasons of stops that have a line of explanation in their report. */
const explained: ReadonlySet<string | undefined> = new Set([
  "signal",
  "sanitizer",
  "panic",
  "assert",
  "breakpoint",
  "exception"
])

/** Time for the line of a report. A report without it is better than a late one. */
const lineTimeout = "1500 millis"

const readLine = Effect.fnUntraced(function* (session: Session, view: StopView, thread: number) {
  const place = yield* placeOf(session, view, thread)
  if (RethrownErrors.isReport(place.user.frame)) return (yield* RethrownErrors.fact(session, place)).text
  const what = whatOf(session, place)
  if (what === "stop" && (isExit(session) || SignalMeaning.isExplained(session.log.snapshot.stopped?.signal))) {
    return (yield* ofOrdinary(session, place))?.text
  }
  // The report has the message of a failed assertion, a panic or an exception.
  if ((what !== "crash" && what !== "sanitizer") || (what === "crash" && causeOf(session, place) !== undefined)) {
    return undefined
  }
  const { line: own } = yield* find(session, place, what, false)
  const handlers = what === "crash" ? yield* HandlerFacts.of(session, place) : []
  const lines = present(own, handlers.at(-1)?.fact.text)
  return lines.length === 0 ? undefined : lines.join("; ")
})

/**
 * Returns why the program stopped, in one line for its report. Undefined at ordinary stops, for which nothing is read, and if the
 * report says it already.
 */
export const line = (
  session: Session,
  view: StopView,
  thread: number
): Effect.Effect<string | undefined, never, SourceFiles | FileReader> => {
  const { stopped } = session.log.snapshot
  const isExplained = explained.has(stopped?.reason) || isExit(session)
  if (!isExplained || (stopped?.breakpoints.length ?? 0) > 0) return Effect.undefined
  return readLine(session, view, thread).pipe(
    Effect.timeout(lineTimeout),
    Effect.orElseSucceed(() => undefined)
  )
}
