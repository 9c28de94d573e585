/**
 * The finding of a crash: the facts of its signal, of the instruction that faulted, and of the runtime that ended the program.
 */
import { type Explanation, FunctionName } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as SignalCodes from "../../model/signals/SignalCodes.ts"
import * as TerminateReason from "../../model/crashes/TerminateReason.ts"
import type { Faults, SignalInfo } from "../../ports/Faults.ts"
import type { Session } from "../../session/Session.ts"
import * as AbortReason from "./AbortReason.ts"
import type { Place } from "./FaultExpressions.ts"
import * as FaultFacts from "./FaultFacts.ts"
import * as Recursion from "../../model/crashes/Recursion.ts"
import * as PanicMessage from "./PanicMessage.ts"
import * as PanicValue from "../values/PanicValue.ts"
import * as ReturnedError from "./ReturnedError.ts"
import { depth, type Finding, present, type StopPlace } from "./StopFindings.ts"
import * as TransferFacts from "./TransferFacts.ts"
import * as UnlistedFrame from "../frames/UnlistedFrame.ts"
import * as ExceptionFacts from "./ExceptionFacts.ts"
import * as SignalFacts from "./SignalFacts.ts"

type Fact = Explanation.Fact

/** Most frames of a recursion that are counted. */
const maxDepth = 10_000

/** Frames in which a recursion is looked for. */
const recursionDepth = 60

/** Returns the functions that fill the stack, with the number of their frames if `counts` is set: that reads the whole stack. */
export const recursion = Effect.fnUntraced(function* ({ thread, user, view }: StopPlace, counts: boolean) {
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

/**
 * Returns a signal that the program sent to itself as a fault without an address: a handler may send the signal of a fault again and
 * return to the instruction, which is explained if it accesses memory that the program may not.
 */
const asFault = (info: SignalInfo, pid: number | undefined): SignalInfo =>
  info.sent === true && (info.sender === undefined || info.sender === pid)
    ? { name: info.name, code: SignalCodes.kernel, by: info.by }
    : info

/** Returns the facts of a fault of an instruction. */
const factsOf = (place: Place, info: SignalInfo) =>
  info.name === "SIGFPE"
    ? FaultFacts.ofDivision(place)
    : info.name === "SIGILL" || info.name === "SIGTRAP"
      ? FaultFacts.ofTrap(place, info)
      : FaultFacts.ofAccess(place, info)

/**
 * Reads numbers in the frame of the user also if the debugger does not find it: LLDB has another frame with its number. The instruction of
 * what a signal interrupted is known.
 */
const withUnlisted = ({ interrupted, user, view }: StopPlace, faults: Faults): Faults => ({
  ...faults,
  ...(user.frame.unlisted === true
    ? {
        number: (expression, handle) =>
          handle === user.handle ? UnlistedFrame.number(view, expression, handle) : faults.number(expression, handle)
      }
    : {}),
  ...(interrupted === undefined ? {} : { instruction: () => Effect.succeed(interrupted.instruction) })
})

/** The signal of a crash by its name, what is known of it, and what the frames of runtimes say. */
export interface Cause {
  readonly signal?: string
  readonly info?: SignalInfo
  readonly runtime?: RuntimeFrames.Cause
}

/** Explains a crash. With `counts` it counts the frames of a recursion. */
export const of = Effect.fnUntraced(function* (
  session: Session,
  place: StopPlace,
  { info, runtime: cause, signal }: Cause,
  counts: boolean
) {
  const { stopped } = session.log.snapshot
  const { faults, lookup } = (yield* session.connection).inspection
  const names = place.page.frames.map(({ function: name }) => name)
  const of = info === undefined ? undefined : SignalFacts.of(info, stopped?.description)
  const { pid } = session.log.snapshot
  const from = info === undefined ? undefined : SignalFacts.sender(info, pid)
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
    within === undefined || info === undefined ? { facts: [] } : yield* factsOf(within, asFault(info, pid))
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
