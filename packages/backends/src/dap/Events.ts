/**
 * Debug adapter events turned into session events.
 *
 * Runs inside the decoder loop: synchronous, in the order of arrival. Before a stop or an end is told, the program's
 * output so far is: `drain` sees to that.
 */
import { Events, Message } from "@sigtrap/dap"
import { Breakpoint as Lldb, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import type { Event, Stop } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import type { Quirks } from "../adapters/Quirks.ts"

/** What the translation needs to know of the connection, and keeps there. */
export interface Context {
  readonly listener: Backend.Listener
  readonly drain: () => void
  readonly quirks: () => Quirks
  readonly ids: BreakpointIds
  /** The numbers of watchpoints, which are a space of their own. */
  watchIds?: BreakpointIds
  /** How many lists of breakpoints are being set: numbers that are not known yet may be theirs. */
  setting?: number
  /** Stops at such numbers, in order. */
  late?: ReadonlyArray<StoppedBody>
  /** The exception filters that are on, with our numbers. */
  catches?: ReadonlyArray<{ readonly id: number; readonly filter: string; readonly label: string }>
  readonly stopOnEntry: boolean
  /** Whether there is a program with its libraries: it was set going, or ran before we were there. */
  begun?: boolean
  /** Whether the program runs before we are there: its first stop may be of our making. */
  readonly arriving?: boolean
  /** How the program was last set going. */
  lastResume: Backend.Resume | undefined
  /** Whether the step that was asked for ended in another stop. */
  stepCutShort: boolean
  /** Whether a pause was asked for since. */
  pausing: boolean
  stops: number
  /** Whose condition could not be evaluated, for a reason that is still to come. */
  failing?: number | undefined
  /** The process that the adapter has told of. */
  process?: number
  /** How many evaluations are under way, which may call functions of the program. */
  calling?: number
  /** Whether one of them has called a function. */
  called?: boolean
  /** Whether a stop was told of that had to be asked about first. */
  asking?: boolean
  /** Completed by the next event that says that the program runs, stops or has ended. */
  moved: Deferred.Deferred<void> | undefined
  /** The signal of the newest stop, if it was one. */
  signal: string | undefined
  /** What was said of the newest stop. */
  stopText?: string | undefined
  /** Whether the newest stop was for a signal, named or not. */
  signalled?: boolean
  ended: "no" | "terminated" | "exited"
  /** What the program ended with, of adapters that say so in words. */
  exitCode?: number
  /** The stop with what the adapter left out; nothing when there is nothing to ask. */
  readonly inquire?: (body: StoppedBody) => Effect.Effect<StoppedBody> | undefined
  /** How the program ended, asked of an adapter that does not say; nothing when there is nothing to ask. */
  readonly inquireEnd?: (exitCode: number | undefined) => Effect.Effect<Event.Event | undefined> | undefined
  /** Runs an inquiry. */
  readonly fork?: (effect: Effect.Effect<void>) => void
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
  attach: "pause",
  signal: "signal",
  entry: "entry",
  restart: "restart",
  exception: "exception"
}

type StoppedBody = typeof Events.Stopped.body.Type

const signalIn = (text: string | undefined) => /\bsignal (SIG[A-Z0-9]+)/.exec(text ?? "")?.[1]

/** Whether a stop is at an exception filter, of an adapter that calls that a breakpoint. */
const caught = (context: Context, ids: ReadonlyArray<number>): boolean =>
  context.quirks().catchesAreBreakpoints === true && (context.catches ?? []).some(({ id }) => ids.includes(id))

const reasonOf = (context: Context, body: StoppedBody, ids: ReadonlyArray<number>): Stop.StopReason => {
  const quirks = context.quirks()
  const text = body.description ?? body.text
  const signal = signalIn(text)
  if (watchpoint.test(text ?? "") || (ids.length > 0 && body.reason === "data breakpoint")) return "watchpoint"
  if (ids.length > 0) return body.reason === "exception" || caught(context, ids) ? "exception" : "breakpoint"
  if (quirks.namelessSignals === true && context.stopOnEntry && context.stops === 0) return "entry"
  if (context.arriving === true && context.stops === 0 && context.lastResume === undefined) {
    const ours = signal === "SIGSTOP" || signal === "SIGTRAP" || (signal === undefined && body.reason !== "breakpoint")
    if (ours) return "pause"
  }
  if (body.reason === "exception") {
    const stopSignal = signal === "SIGSTOP" || signal === "SIGINT" || text === undefined
    if (quirks.entryLooksLikeSignal && context.stopOnEntry && context.stops === 0 && signal !== "SIGSEGV")
      return "entry"
    if (quirks.pauseLooksLikeSignal && context.pausing && stopSignal) return "pause"
    return signal === undefined ? "exception" : "signal"
  }
  if (body.reason === "step" && context.lastResume === "finish") return "finish"
  const continued = context.lastResume === "continue" || context.lastResume === undefined
  if (body.reason === "step" && quirks.pauseLooksLikeStep && context.pausing && continued) return "pause"
  return plain[body.reason] ?? "other"
}

/** What a stop is about. Of exceptions some adapters tell the kind and the message apart. */
const describe = ({ description, reason, text }: StoppedBody, quirks: Quirks): string | undefined =>
  reason === "exception" && description !== undefined && text !== undefined && !description.includes(text)
    ? quirks.exceptionTypeInText === true
      ? `${text}: ${description}`
      : `${description}: ${text}`
    : (description ?? text)

/** From 22 on lldb-dap writes the second; both number watchpoints apart from breakpoints. */
const watchpoint = /^(?:watchpoint|data breakpoint) (\d+)/

/** Our numbers of what was hit. Stops at exception filters name no breakpoint in many versions, but the filter. */
const hit = (context: Context, body: StoppedBody): ReadonlyArray<number> => {
  const text = body.description ?? body.text
  const watch = watchpoint.exec(text ?? "")?.[1]
  if (watch !== undefined) return context.watchIds?.ours([Number(watch)], undefined) ?? []
  const ids = context.ids.ours(body.hitBreakpointIds, text)
  if (ids.length > 0 || body.reason !== "exception") return ids
  return (context.catches ?? []).filter(({ label }) => label === text).map(({ id }) => id)
}

/** Tells the stops that waited for the numbers of breakpoints. */
export const numbersKnown = (context: Context): void => {
  const late = context.late ?? []
  context.late = []
  for (const body of late) tellStop(context, body)
}

const stopped = (context: Context, body: StoppedBody) => {
  const early = (context.setting ?? 0) > 0 && body.reason.includes("breakpoint") && hit(context, body).length === 0
  if (early) context.late = [...(context.late ?? []), body]
  else tellStop(context, body)
}

const tellStop = (context: Context, body: StoppedBody) => {
  if (context.failing !== undefined) context.listener.conditionFailed?.(context.failing, "")
  context.failing = undefined
  const ids = hit(context, body)
  const reason = reasonOf(context, body, ids)
  const description = describe(body, context.quirks())
  const focus = body.preserveFocusHint !== true
  // First, since whoever waits for the stop goes on within `emit`.
  const stepped = context.lastResume !== "continue" && context.lastResume !== undefined
  context.stepCutShort = stepped && body.reason !== "step"
  context.pausing = false
  context.stops++
  context.stopText = description
  context.signalled = reason === "signal"
  context.signal = reason === "signal" ? signalIn(description) : undefined
  context.listener.emit({
    _tag: "Stopped",
    reason,
    raw_reason: body.reason,
    ...(description === undefined ? {} : { description }),
    ...(body.threadId === undefined ? {} : { thread: body.threadId }),
    breakpoints: ids,
    focus
  })
}

const exited = (context: Context, exitCode: number | undefined): Event.Event => {
  if (exitCode === undefined) return { _tag: "Exited" }
  // Some say 0 for a death by signal as well: then nobody knows.
  if (exitCode === 0 && context.signalled === true && context.quirks().hidesSignals === true) return { _tag: "Exited" }
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

/** Tells the end of a program whose adapter has said `terminated`, and nothing better since. */
export const over = (context: Context): void => {
  if (context.ended === "exited") return
  context.drain()
  context.listener.emit(context.exitCode === undefined ? { _tag: "Terminated" } : exited(context, context.exitCode))
}

/** Tells the end of a program that is a process of ours, of an adapter that does not tell it. */
export const left = (context: Context, exit: { readonly code?: number; readonly signal?: string }): void => {
  if (context.ended === "exited") return
  numbersKnown(context)
  context.drain()
  context.ended = "exited"
  context.listener.emit({
    _tag: "Exited",
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    ...(exit.code === undefined ? {} : { exit_code: exit.code })
  })
  if (context.moved !== undefined) Deferred.doneUnsafe(context.moved, Exit.void)
}

/** The beginning of a logpoint's message, by which it is told from the debugger's own talk. */
export const logMark = (id: number): string => `\u001e${id}\u001f`

/** Takes the messages of logpoints out of the debugger's talk; whether there were any. */
const logged = (context: Context, output: string): boolean => {
  const [before, ...marked] = output.split("\u001e")
  if (before !== "" || marked.length === 0) return false
  context.drain()
  for (const message of marked) {
    const [id, text = ""] = message.split("\u001f")
    context.listener.logged?.(Number(id))
    context.listener.emit({ _tag: "Output", channel: "log", text })
  }
  return true
}

/** Notes that an evaluation is under way. */
export const calling = <A, E, R>(context: Context, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    context.calling = (context.calling ?? 0) + 1
    return effect
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        context.calling = (context.calling ?? 1) - 1
      })
    )
  )

const moves = new Set(["continued", "stopped", "exited", "terminated"])

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
      if (
        Message.isRecord(message.body) &&
        message.body["reason"] !== undefined &&
        message.body["reason"] === context.quirks().tellsOfCalls
      )
        return
      return read(Events.Stopped, message.body, (told) => {
        const { description, ...rest } = told
        const says = description !== undefined && context.quirks().emptyDescriptions?.test(description) !== true
        const body = says ? told : rest
        const ours = context.pausing || (context.stopOnEntry && context.stops === 0)
        const inquiry = ours ? undefined : context.inquire?.(body)
        if (inquiry === undefined || context.fork === undefined) return stopped(context, body)
        context.asking = true
        context.fork(Effect.map(inquiry, (complete) => stopped(context, complete)))
      })
    case "continued":
      // A function that is called for a value runs as well, and nobody asked for that.
      if (context.quirks().tellsOfCalls !== undefined && (context.calling ?? 0) > 0) {
        context.called = true
        return
      }
      return emit({ _tag: "Continued" })
    case "exited":
      numbersKnown(context)
      context.drain()
      context.ended = "exited"
      return read(Events.Exited, message.body, ({ exitCode }) => {
        const inquiry = context.inquireEnd?.(exitCode)
        if (inquiry === undefined || context.fork === undefined) return emit(exited(context, exitCode))
        context.fork(Effect.map(inquiry, (end) => emit(end ?? exited(context, exitCode))))
      })
    case "terminated":
      if (context.ended !== "no") return
      context.ended = "terminated"
      return context.onTerminated()
    case "process":
      return read(Events.Process, message.body, (body) => {
        if (body.systemProcessId !== undefined) {
          context.process = body.systemProcessId
          emit({ _tag: "Process", pid: body.systemProcessId, name: body.name ?? "" })
        }
      })
    case "output":
      return read(Events.Output, message.body, (body) => {
        const { exitInText, outputInEvents } = context.quirks()
        if (logged(context, body.output)) return
        const failed = Lldb.conditionError(body.output)
        const ours = failed === undefined ? undefined : context.ids.oursOf(failed.id)
        if (failed !== undefined && ours !== undefined) {
          if (failed.problem === "") context.failing = ours
          else context.listener.conditionFailed?.(ours, Parse.expressionProblem(failed.problem))
        } else if (context.failing !== undefined && body.output.startsWith("error: ")) {
          // From 22 on each line is an event.
          context.listener.conditionFailed?.(context.failing, Parse.expressionProblem(body.output))
          context.failing = undefined
        }
        const code = exitInText?.exec(body.output)?.[1]
        if (code !== undefined) context.exitCode = Number(code)
        const isProgram = outputInEvents === true && (body.category === "stdout" || body.category === "stderr")
        // Elsewhere the program writes into pipes of ours, and what comes this way is the debugger's own talk.
        const channel = isProgram ? (body.category === "stderr" ? "stderr" : "stdout") : "console"
        if (body.category !== "telemetry" && context.ended === "no") {
          emit({ _tag: "Output", channel, text: body.output })
        }
      })
    case "breakpoint":
      return read(Events.Breakpoint, message.body, ({ breakpoint }) => {
        if (breakpoint.id !== undefined) context.ids.forget(breakpoint.id)
        const id = breakpoint.id === undefined ? undefined : context.ids.oursOf(breakpoint.id)
        if (id === undefined) return
        const { line, source, verified } = breakpoint
        // Until it is bound, nobody knows where it will be.
        const late = context.quirks().bindsAtRun === true && verified
        const moved =
          late && source?.path !== undefined && line !== undefined && context.ids.place(id, source.path, line)
        // Adapters announce each of their own answers again; only a change of binding is news.
        if (!context.ids.settle(id, verified) && !moved) return
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
