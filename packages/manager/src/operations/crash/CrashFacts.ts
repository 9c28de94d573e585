/**
 * The facts of a crash, a failed assertion, a panic, an exception or a sanitizer's report at the current stop.
 */
import { type Errors, type Explanation, FunctionName } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { SourceFiles } from "../../model/sources/SourceFiles.ts"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as SignalCodes from "../../model/signals/SignalCodes.ts"
import * as SignalMeaning from "../../model/signals/SignalMeaning.ts"
import * as MainReturn from "../../model/crashes/MainReturn.ts"
import * as TerminateReason from "../../model/crashes/TerminateReason.ts"
import type { Failure } from "../../ports/Backend.ts"
import type { FileReader } from "../../ports/FileReader.ts"
import type { Faults, SignalInfo } from "../../ports/Faults.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView, ViewFailure } from "../../session/values/StopView.ts"
import * as AbortReason from "./AbortReason.ts"
import type { Place } from "./FaultExpressions.ts"
import * as RethrownErrors from "./RethrownErrors.ts"
import * as FaultFacts from "./FaultFacts.ts"
import * as Recursion from "../../model/crashes/Recursion.ts"
import * as PanicMessage from "./PanicMessage.ts"
import * as PanicValue from "../values/PanicValue.ts"
import * as ReturnedError from "./ReturnedError.ts"
import * as SanitizerFacts from "./SanitizerFacts.ts"
import { depth, type Finding, placeOf, present, type StopPlace } from "./StopFindings.ts"
import * as TransferFacts from "./TransferFacts.ts"
import * as UnlistedFrame from "../frames/UnlistedFrame.ts"
import * as UserFrame from "../frames/UserFrame.ts"
import * as ExceptionFacts from "./ExceptionFacts.ts"
import * as SignalFacts from "./SignalFacts.ts"

type Fact = Explanation.Fact

/** Most frames of a recursion that are counted. */
const maxDepth = 10_000

/** Frames in which a recursion is looked for. */
const recursionDepth = 60

/** Returns the functions that fill the stack, with the number of their frames if `counts` is set: that reads the whole stack. */
const recursion = Effect.fnUntraced(function* ({ thread, user, view }: StopPlace, counts: boolean) {
  const { frames } = yield* view.stack(thread, 0, recursionDepth)
  if (frames.length < depth) return undefined
  // A function may call itself through a library, such as by `std::function`.
  const own = frames.slice(user.frame.index).filter((frame) => RuntimeFrames.runtimeOf(frame) === undefined)
  const names = own.map(({ function: name }) => name)
  const cycle = Recursion.cycleOf(names)
  const fact = (text: string): Fact => ({ kind: "recursion", text, by: "stack" })
  const calls = cycle === undefined ? undefined : Recursion.textOf(cycle.map(FunctionName.short))
  if (!counts) return calls === undefined ? undefined : fact(calls)
  // Functions may call each other in an order that changes.
  const [name = ""] = cycle ?? names
  if (cycle === undefined && names.filter((one) => one === name).length < 2) return undefined
  const { frames: all } = yield* view.stack(thread, 0, maxDepth)
  const count = all.filter((frame) => frame.function === name).length
  const often = `${FunctionName.short(name)} is on the stack ${count}${all.length === maxDepth ? " times or more" : " times"}`
  return fact(calls === undefined || cycle?.length === 1 ? often : `${calls}: ${often}`)
})

/** The last word of C++ or Objective-C runtimes before `abort`. */
const terminates =
  /^(?:std::terminate|__cxa_(?:re)?throw|__gxx_personality_|objc_exception_throw|_objc_terminate|std::__terminate)/

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

/** Returns the facts of a fault of an instruction. */
const factsOf = (place: Place, info: SignalInfo) =>
  info.name === "SIGFPE"
    ? FaultFacts.ofDivision(place)
    : info.name === "SIGILL" || info.name === "SIGTRAP"
      ? FaultFacts.ofTrap(place, info)
      : FaultFacts.ofAccess(place, info)

/** Reads numbers in the frame of the user also if the debugger does not find it: LLDB has another frame with its number. */
const withUnlisted = ({ user, view }: StopPlace, faults: Faults): Faults =>
  user.frame.unlisted === true
    ? {
        ...faults,
        number: (expression, handle) =>
          handle === user.handle ? UnlistedFrame.number(view, expression, handle) : faults.number(expression, handle)
      }
    : faults

const crashOf = Effect.fnUntraced(function* (
  session: Session,
  place: StopPlace,
  signal: string | undefined,
  cause: RuntimeFrames.Cause | undefined,
  counts: boolean
) {
  const { stopped } = session.log.snapshot
  const { faults, lookup } = (yield* session.connection).inspection
  const names = place.page.frames.map(({ function: name }) => name)
  const info = signal === undefined ? undefined : yield* SignalFacts.read(session, place, signal)
  const of = info === undefined ? undefined : SignalFacts.of(info, stopped?.description)
  const from = info === undefined ? undefined : SignalFacts.sender(info, session.log.snapshot.pid)
  const within = faults === undefined ? undefined : { ...place, faults: withUnlisted(place, faults) }
  if (signal === "SIGABRT" || cause !== undefined) {
    const reason = TerminateReason.of(names)
    const called: Fact | undefined = reason === undefined ? undefined : { kind: "message", text: reason, by: "stack" }
    // An exception that is handled meanwhile is not the cause.
    const thrown = called === undefined && names.some((name) => terminates.test(name))
    const [exception, ...earlier] = thrown ? yield* ExceptionFacts.of(session, place) : []
    const message = lookup === undefined ? undefined : yield* AbortReason.glibc(place, lookup)
    const isAssert = cause?.reason === "assert"
    const returned = isAssert ? yield* ReturnedError.of(session, place.view, place.thread, place.page) : undefined
    const written = cause?.description ?? (cause?.reason === "panic" ? PanicMessage.of(session) : undefined)
    // A debugger that knows the runtime has the message of a panic itself.
    const isOwn = cause?.reason === "panic" && signal === undefined
    const read = isOwn ? yield* PanicValue.of(place, stopped?.description) : undefined
    const described = isOwn && stopped?.description !== "panic" ? (read ?? stopped?.description) : read
    const said: Fact | undefined =
      returned !== undefined
        ? { kind: "message", text: session.secrets.inText(returned), by: "debugger" }
        : written !== undefined
          ? { kind: "message", text: session.secrets.inText(written), by: "output" }
          : described !== undefined
            ? { kind: "message", text: session.secrets.inText(described.replace(/^panic: /, "")), by: "debugger" }
            : message
    const masked = said === undefined ? undefined : { ...said, text: session.secrets.inText(said.text) }
    const told = called ?? exception ?? masked
    const name = isAssert ? "assertion failed" : cause?.reason === "panic" ? "panic" : (signal ?? "abort")
    const isAlone = place.page.frames.some(RuntimeFrames.writesReturnedError)
    const finding: Finding = {
      what: "crash",
      summary: told === undefined ? name : isAlone ? told.text : `${name}: ${told.text}`,
      ...(told === undefined ? {} : { line: told.text }),
      facts: present(called, exception, ...earlier, masked, of, from)
    }
    return finding
  }
  const parts: FaultFacts.FaultFacts =
    within === undefined || info === undefined ? { facts: [] } : yield* factsOf(within, info)
  const refused = info?.call === undefined ? undefined : yield* SignalFacts.meaning(session, place, info)
  const deep = parts.meaning?.kind === "stack-overflow" ? yield* recursion(place, counts) : undefined
  const expression = parts.facts.find(({ kind }) => kind === "expression" || kind === "instruction")
  const address = parts.facts.find(({ kind }) => kind === "address")
  const before =
    within === undefined || parts.returned === undefined || !counts
      ? undefined
      : yield* TransferFacts.leftBelow(within, parts.returned)
  const isOverflow = parts.meaning?.kind === "stack-overflow"
  const line = isOverflow
    ? present("stack overflow", parts.meaning?.cause ?? deep?.text).join(": ")
    : (expression?.text ?? address?.text ?? refused?.text ?? from?.text ?? "")
  const said = expression ?? refused ?? from
  const action = isOverflow ? "stack overflow" : (parts.action ?? said?.text)
  const finding: Finding = {
    what: "crash",
    summary: present(signal ?? stopped?.reason, action).join(isOverflow || parts.action === undefined ? ": " : " "),
    ...(line === "" ? {} : { line: parts.at === undefined ? line : `${line} at line ${parts.at.line}` }),
    ...(parts.at === undefined ? {} : { at: parts.at }),
    facts: present(...parts.facts, before, deep, refused, of, from)
  }
  return finding
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
      return { ...(yield* crashOf(session, place, stopped?.signal, cause, counts)), what }
    const [exception, ...members] = yield* ExceptionFacts.of(session, place)
    const text =
      exception?.text ?? (stopped?.description === undefined ? undefined : session.secrets.inText(stopped.description))
    const said: Fact | undefined =
      exception ?? (text === undefined ? undefined : { kind: "exception", text, by: "debugger" })
    const deep = text?.startsWith("RecursionError") === true ? yield* recursion(place, counts) : undefined
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
  return (yield* find(session, place, what, false)).line
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
