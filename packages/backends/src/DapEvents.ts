/**
 * Debug adapter events turned into session events.
 *
 * Runs inside the decoder loop: synchronous, in the order of arrival. Before a stop or an end is told, the program's
 * output so far is: `drain` sees to that.
 */
import { Events, type Message } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import type { Event, Stop } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { BreakpointIds } from "./BreakpointIds.ts"
import type { Quirks } from "./Quirks.ts"

/** What the translation needs to know of the connection, and keeps there. */
export interface Context {
  readonly listener: Backend.Listener
  readonly drain: () => void
  readonly quirks: () => Quirks
  readonly ids: BreakpointIds
  readonly stopOnEntry: boolean
  /** How the program was last set going. */
  lastResume: Backend.Resume | undefined
  /** Whether the step that was asked for ended in another stop. */
  stepCutShort: boolean
  /** Whether a pause was asked for since. */
  pausing: boolean
  stops: number
  /** Completed by the next event that says that the program runs, stops or has ended. */
  moved: Deferred.Deferred<void> | undefined
  /** The signal of the newest stop, if it was one. */
  signal: string | undefined
  ended: "no" | "terminated" | "exited"
  /** Called at `terminated` when no `exited` came before it; some adapters send them in the other order. */
  readonly onTerminated: () => void
}

/** Numbers of the signals that end programs, by which adapters report such an end. */
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

const plain: Readonly<Record<string, Stop.StopReason>> = {
  breakpoint: "breakpoint",
  "function breakpoint": "breakpoint",
  "instruction breakpoint": "instruction-breakpoint",
  "data breakpoint": "watchpoint",
  step: "step",
  goto: "goto",
  pause: "pause",
  entry: "entry",
  restart: "restart",
  exception: "exception"
}

type StoppedBody = typeof Events.Stopped.body.Type

const signalIn = (text: string | undefined) => /\bsignal (SIG[A-Z0-9]+)/.exec(text ?? "")?.[1]

const reasonOf = (context: Context, body: StoppedBody, ids: ReadonlyArray<number>): Stop.StopReason => {
  const quirks = context.quirks()
  const text = body.description ?? body.text
  const signal = signalIn(text)
  if (ids.length > 0) return "breakpoint"
  if (body.reason === "exception") {
    const stopSignal = signal === "SIGSTOP" || signal === "SIGINT" || text === undefined
    if (quirks.entryLooksLikeSignal && context.stopOnEntry && context.stops === 0 && signal !== "SIGSEGV")
      return "entry"
    if (quirks.pauseLooksLikeSignal && context.pausing && stopSignal) return "pause"
    return signal === undefined ? "exception" : "signal"
  }
  if (body.reason === "step" && context.lastResume === "finish") return "finish"
  const continued = context.lastResume === "continue"
  if (body.reason === "step" && quirks.pauseLooksLikeStep && context.pausing && continued) return "pause"
  return plain[body.reason] ?? "other"
}

const stopped = (context: Context, body: StoppedBody) => {
  const ids = context.ids.ours(body.hitBreakpointIds, body.description ?? body.text)
  const reason = reasonOf(context, body, ids)
  const description = body.description ?? body.text
  const focus = body.preserveFocusHint !== true
  context.listener.emit({
    _tag: "Stopped",
    reason,
    raw_reason: body.reason,
    ...(description === undefined ? {} : { description }),
    ...(body.threadId === undefined ? {} : { thread: body.threadId }),
    breakpoints: ids,
    focus
  })
  context.stepCutShort = context.lastResume !== "continue" && context.lastResume !== undefined && body.reason !== "step"
  context.pausing = false
  context.stops++
  context.signal = reason === "signal" ? signalIn(description) : undefined
}

const exited = (context: Context, exitCode: number | undefined): Event.Event => {
  if (exitCode === undefined) return { _tag: "Exited" }
  // A death by signal is reported as an exit with that number; the stop before it tells them apart.
  if (context.signal !== undefined && signalNumbers[context.signal] === exitCode) {
    return { _tag: "Exited", signal: context.signal }
  }
  // No process exits with a negative code: LLDB lost it, which is how a stopped program's SIGKILL looks.
  return exitCode < 0 ? { _tag: "Exited", signal: "a signal" } : { _tag: "Exited", exit_code: exitCode }
}

const read = <A>(
  event: { readonly decode: (body: unknown) => Result.Result<A, unknown> },
  body: unknown,
  use: (body: A) => void
) => {
  const decoded = event.decode(body)
  if (Result.isSuccess(decoded)) use(decoded.success)
}

const moves = new Set(["continued", "stopped", "exited", "terminated"])

/** A breakpoint turns out to be one that the current stop hit: it was set while the program ran into it. */
export const claim = ({ listener }: Context, id: number): void =>
  listener.emit({ _tag: "Stopped", reason: "breakpoint", raw_reason: "breakpoint", breakpoints: [id], focus: false })

/** Translates one event. */
export const handle = (context: Context, message: Message.Event): void => {
  translate(context, message)
  // Last, since whoever waits goes on at once and must find the event in the session's state.
  if (context.moved !== undefined && moves.has(message.event)) Deferred.doneUnsafe(context.moved, Exit.void)
}

const translate = (context: Context, message: Message.Event): void => {
  const { emit } = context.listener
  switch (message.event) {
    case "stopped":
      context.drain()
      return read(Events.Stopped, message.body, (body) => stopped(context, body))
    case "continued":
      context.ids.resumed()
      return emit({ _tag: "Continued" })
    case "exited":
      context.drain()
      context.ended = "exited"
      return read(Events.Exited, message.body, (body) => emit(exited(context, body.exitCode)))
    case "terminated":
      if (context.ended !== "no") return
      context.ended = "terminated"
      return context.onTerminated()
    case "process":
      return read(Events.Process, message.body, (body) => {
        if (body.systemProcessId !== undefined) {
          emit({ _tag: "Process", pid: body.systemProcessId, name: body.name ?? "" })
        }
      })
    case "output":
      return read(Events.Output, message.body, (body) => {
        // The program writes into pipes of ours, so whatever comes this way is the debugger's own talk.
        if (body.category !== "telemetry" && context.ended === "no") {
          emit({ _tag: "Output", channel: "console", text: body.output })
        }
      })
    case "breakpoint":
      return read(Events.Breakpoint, message.body, ({ breakpoint }) => {
        const id = breakpoint.id === undefined ? undefined : context.ids.oursOf(breakpoint.id)
        // Adapters announce each of their own answers again; only a change of binding is news.
        if (id === undefined || !context.ids.settle(id, breakpoint.verified)) return
        context.listener.placed({
          id,
          resolved: breakpoint.verified,
          locations: breakpoint.verified
            ? [
                {
                  ...(breakpoint.source?.path === undefined ? {} : { file: breakpoint.source.path }),
                  ...(breakpoint.line === undefined ? {} : { line: breakpoint.line }),
                  ...(breakpoint.instructionReference === undefined
                    ? {}
                    : { address: breakpoint.instructionReference.toLowerCase() })
                }
              ]
            : []
        })
      })
    default:
  }
}
