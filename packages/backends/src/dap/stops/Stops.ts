/**
 * Derives the reason, the breakpoints and the text of a stop from the event `stopped` (DAP), and the way a program ended
 * from its exit code.
 */
import type { Backend } from "@sigtrap/manager"
import type { Events } from "@sigtrap/dap"
import type { Event, Stop } from "@sigtrap/protocol"
import type * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"
import type { Signal } from "../../console/Dialect.ts"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"

/** The body of a `stopped` event (DAP), with the signal if the debugger was asked for it. */
export type StoppedBody = typeof Events.Stopped.body.Type & { readonly signal?: Signal }

/**
 * A request before an event of a stop is reported: it gets whether the event is the first one of the stop, how the program was last
 * resumed, and the number of `continued` events since.
 */
export type BeforeStop = (
  body: StoppedBody,
  isFirst: boolean,
  resumed: Backend.Resume | undefined,
  latest: { readonly continues: number }
) => Effect.Effect<void> | undefined

/**
 * Corrects a stop; the effect returns undefined if the program was resumed. Undefined if the stop needs no correction.
 * `resumed` is how the program was last resumed.
 */
export type Correction = (
  body: StoppedBody,
  resumed: Backend.Resume | undefined
) => Effect.Effect<StoppedBody | undefined> | undefined

/** An enabled exception filter, with the manager's number and its label in `stopped` events. */
export interface ExceptionFilter {
  readonly id: number
  readonly filter: string
  readonly label: string
}

/** The state on which the reason of a stop depends, besides the event itself. */
export interface Situation {
  readonly quirks: Quirks
  readonly filters: ReadonlyArray<ExceptionFilter>
  /** This is the first stop. */
  readonly first: boolean
  readonly stopOnEntry: boolean
  /** The program ran before the debugger was attached. */
  readonly attached: boolean
  /** How the program was last resumed. */
  readonly resumed: string | undefined
  /** A pause was requested after the last resume. */
  readonly pausing: boolean
}

/** Numbers of the signals that end programs; adapters report such an end as an exit code. */
const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15
}

const signalNames = new Map(Object.entries(signalNumbers).map(([name, number]) => [number, name]))

/** The stop reasons of sigtrap, by those of DAP. */
const reasons: Readonly<Record<string, Stop.StopReason>> = {
  breakpoint: "breakpoint",
  "function breakpoint": "breakpoint",
  "instruction breakpoint": "instruction-breakpoint",
  "data breakpoint": "watchpoint",
  step: "step",
  goto: "goto",
  pause: "pause",
  attach: "pause",
  signal: "signal",
  entry: "entry",
  restart: "restart",
  exception: "exception"
}

/** From 22 on lldb-dap writes "data breakpoint". */
const watchpoint = /^(?:watchpoint|data breakpoint) (\d+)/

/** The name of the signal in a stop's text. */
const signalIn = (text: string | undefined): string | undefined => /\bsignal (SIG[A-Z0-9]+)/.exec(text ?? "")?.[1]

/** Matches the address that faulted, as LLDB writes it: "(fault address: 0x8)", from 20 on "(fault address=0x8)". */
const faultAddress = /fault(?:ing)? address[:=]? *(0x[0-9a-fA-F]+)/i

/** Matches the cause of a signal in the text of a stop, without the fault address. */
const signalCause = /^signal SIG[A-Z0-9]+: (.*?)(?: \(fault(?:ing)? address[:=]? *0x[0-9a-fA-F]+\))?$/i

/** Returns the signal of a stop: the one that the debugger was asked for, else the one in the stop's text. */
const signalOf = ({ signal }: StoppedBody, text: string | undefined): Signal | undefined => {
  const name = signalIn(text)
  const address = faultAddress.exec(text ?? "")?.[1]
  return signal ?? (name === undefined ? undefined : { name, ...(address === undefined ? {} : { address }) })
}

/** Returns the manager's numbers of the breakpoints at a stop. Many adapters name an exception filter only by its label. */
export const breakpointsOf = (
  body: StoppedBody,
  ids: BreakpointIds,
  watchIds: BreakpointIds,
  filters: ReadonlyArray<ExceptionFilter>
): ReadonlyArray<number> => {
  const text = body.description ?? body.text
  const watch = watchpoint.exec(text ?? "")?.[1]
  if (watch !== undefined) return watchIds.managerIdsOf([Number(watch)], undefined)
  const managerIds = ids.managerIdsOf(body.hitBreakpointIds, text)
  if (managerIds.length > 0 || body.reason !== "exception") return managerIds
  return filters.filter(({ label }) => label === text).map(({ id }) => id)
}

/** True if nothing stopped a thread: LLDB reports the signal 0 for the other threads of a core file (core(5), `pr_cursig`). */
export const isNone = ({ description, preserveFocusHint, text }: StoppedBody): boolean =>
  preserveFocusHint === true && (description ?? text) === "signal 0"

/** What LLDB says of a breakpoint that was removed or disabled while a thread was at it; lldb-dap has no number for it then. */
const removed = /^breakpoint (?:0\.0|\d+\.|(?:site )?\d+ which has been deleted\b.*)$/

/** Returns a stop at a removed breakpoint as what it is: a stop by its trap instruction, which no breakpoint explains. */
export const atRemoved = (body: StoppedBody, ids: BreakpointIds): StoppedBody =>
  removed.test(body.description ?? body.text ?? "") || ids.areRemoved(body.hitBreakpointIds ?? [])
    ? { ...body, reason: "exception", description: "signal SIGTRAP", hitBreakpointIds: [] }
    : body

/** True for a stop by SIGTRAP, which LLDB also reports at a breakpoint that it is setting. */
export const isTrap = ({ description, text }: StoppedBody): boolean => signalIn(description ?? text) === "SIGTRAP"

/** True if the adapter reported a stop at an exception filter as a breakpoint. */
const isFilter = ({ filters, quirks }: Situation, breakpoints: ReadonlyArray<number>): boolean =>
  quirks.exceptionsLookLikeBreakpoints === true && filters.some(({ id }) => breakpoints.includes(id))

/**
 * True if attaching caused the stop: it is the first stop, before any resume, and no breakpoint or other signal caused it.
 */
const isAttachStop = (situation: Situation, body: StoppedBody, signal: string | undefined): boolean =>
  situation.attached &&
  situation.first &&
  situation.resumed === undefined &&
  (signal === "SIGSTOP" || signal === "SIGTRAP" || (signal === undefined && body.reason !== "breakpoint"))

/** The reason of a stop at these breakpoints. */
export const reasonOf = (
  situation: Situation,
  body: StoppedBody,
  breakpoints: ReadonlyArray<number>
): Stop.StopReason => {
  const { first, pausing, quirks, resumed, stopOnEntry } = situation
  const text = body.description ?? body.text
  const signal = signalIn(text)
  const hit = breakpoints.length > 0
  if (watchpoint.test(text ?? "") || (hit && body.reason === "data breakpoint")) return "watchpoint"
  if (hit) return body.reason === "exception" || isFilter(situation, breakpoints) ? "exception" : "breakpoint"
  if (quirks.firstStopIsEntry === true && stopOnEntry && first) return "entry"
  if (isAttachStop(situation, body, signal)) return "pause"
  if (body.reason === "exception") {
    const isPause = signal === "SIGSTOP" || signal === "SIGINT" || text === undefined
    if (quirks.entryLooksLikeSignal === true && stopOnEntry && first && signal !== "SIGSEGV") return "entry"
    if (quirks.pauseLooksLikeSignal === true && pausing && isPause) return "pause"
    return signal === undefined ? "exception" : "signal"
  }
  if (body.reason === "step" && resumed === "finish") return "finish"
  // LLDB reports an exec as the entry of the new program (exec(3)).
  if (body.reason === "entry" && !first) return "exec"
  const continued = resumed === "continue" || resumed === undefined
  if (body.reason === "step" && quirks.pauseLooksLikeStep === true && pausing && continued) return "pause"
  // The program stops itself: no client has set this breakpoint.
  if (body.reason === "step" && quirks.statementLooksLikeStep === true && continued) return "breakpoint"
  if (quirks.stopStatement?.test(text ?? "") === true) return "breakpoint"
  return reasons[body.reason] ?? "other"
}

/** Returns a stop without a description that only repeats the reason. */
export const withoutEmptyText = (stopped: StoppedBody, empty: RegExp | undefined): StoppedBody => {
  const { description, ...rest } = stopped
  return description !== undefined && empty?.test(description) !== true ? stopped : rest
}

/** The text of a stop at an exec. */
export const replaced = "the process runs another program now"

/** Returns the text of a stop. Some adapters report the type and the message of an exception separately. */
export const textOf = (body: StoppedBody, quirks: Quirks): string | undefined => {
  const { description, reason } = body
  const text = quirks.exceptionNote === undefined ? body.text : body.text?.replace(quirks.exceptionNote, "")
  if (description !== undefined && quirks.emptyMessage?.test(description) === true) return text
  return reason === "exception" && description !== undefined && text !== undefined && !description.includes(text)
    ? quirks.exceptionTypeInText === true
      ? `${text}: ${description}`
      : `${description}: ${text}`
    : (description ?? text)
}

/** A fault whose address the processor does not tell, such as of an address that is not canonical: LLDB writes 0. */
const untoldAddress = /(\binvalid address) \(fault address[:=] ?0x0\)$/

/** LLDB's words for `FPE_INTDIV`. An x86-64 processor reports a quotient that does not fit in the same way as a division by zero. */
const division = /\binteger divide by zero\b/

/** What the text of a stop says. */
type Facts = Pick<
  Extract<Event.Event, { readonly _tag: "Stopped" }>,
  "description" | "signal" | "fault_address" | "signal_cause" | "exception_type" | "cause"
>

/** Returns what the text of a stop says, as fields of the event. Texts of the debugger's own numbers are left out. */
export const factsOf = (
  body: StoppedBody,
  told: string | undefined,
  { exceptionNote, exceptionTypeInText, launchStop, numberDescriptions }: Quirks
): Facts => {
  const text = told?.replace(untoldAddress, "$1").replace(division, "integer division by zero or overflow")
  const signal = signalOf(body, text)
  const signalled = signalCause.exec(text ?? "")?.[1]
  const isTyped = exceptionTypeInText === true && body.reason === "exception" && signal === undefined
  const type = isTyped ? body.text?.replace(exceptionNote ?? "", "") : undefined
  return {
    ...(text === undefined || numberDescriptions?.test(text) === true ? {} : { description: text }),
    ...(signal === undefined ? {} : { signal: signal.name }),
    ...(signal?.address === undefined ? {} : { fault_address: signal.address }),
    ...(signalled === undefined ? {} : { signal_cause: signalled }),
    ...(type === undefined || type === "" ? {} : { exception_type: type }),
    ...(launchStop?.test(text ?? "") === true ? { cause: "launch-signal" as const } : {})
  }
}

/** The latest stop: whether a signal caused it and which, and whether the program is still stopped. */
export interface Latest {
  readonly signalled: boolean
  readonly signal: string | undefined
  readonly isStopped: boolean
  /** How often the adapter has said that the program runs, since it was resumed. */
  readonly continues: number
}

/** Returns the event of an end by an exit code or a signal; both are absent if the debugger does not know them. */
export const ended = (code: number | undefined, signal: string | undefined): Event.Event => ({
  _tag: "Exited",
  ...(signal === undefined ? {} : { signal }),
  ...(code === undefined ? {} : { exit_code: code })
})

/** Returns the event of a program's end with this exit code. */
export const exitEvent = (exitCode: number | undefined, latest: Latest, quirks: Quirks): Event.Event => {
  if (exitCode === undefined) return { _tag: "Exited" }
  // The adapter also reports 0 when a signal killed the program, so it is unknown how the program ended.
  if (exitCode === 0 && latest.signalled && quirks.hidesSignals === true) return { _tag: "Exited" }
  // No process exits with a negative code. LLDB reports one after the end of a stopped program, which only SIGKILL ends (signal(7)).
  // It also reports one if it loses the debug server's answer while the program runs: how the program ended is then unknown.
  if (exitCode < 0) {
    const signal = quirks.negativeSignals === true ? (signalNames.get(-exitCode) ?? `signal ${-exitCode}`) : "a signal"
    if (quirks.insertsTraps !== true) return { _tag: "Exited", signal }
    return latest.isStopped ? { _tag: "Exited", signal: "SIGKILL" } : { _tag: "Exited" }
  }
  // Adapters report the number of the killing signal as exit code. Only the stop before it shows that it is a signal.
  if (latest.signal !== undefined && signalNumbers[latest.signal] === exitCode) {
    return { _tag: "Exited", signal: latest.signal }
  }
  return { _tag: "Exited", exit_code: exitCode }
}
