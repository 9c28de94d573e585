/**
 * Translates debug adapter events to session events, and holds the state of the conversation that the translation needs.
 *
 * Runs inside the decoder loop: synchronously, in the order of arrival. Before a stop or an end is reported, `drain`
 * delivers the program's output so far.
 */
import { Events, Message } from "@sigtrap/dap"
import { Breakpoint as Lldb, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import type { Event } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { BreakpointIds } from "../console/BreakpointIds.ts"
import type { Quirks } from "../adapters/Quirks.ts"
import { locationOf } from "./Locations.ts"
import * as LogMessages from "./LogMessages.ts"
import * as Stops from "./Stops.ts"

/** What a connection provides. */
export interface Options {
  readonly listener: Backend.Listener
  readonly drain: () => void
  /** The quirks; they can change when the adapter reports its version. */
  readonly quirks: () => Quirks
  readonly ids: BreakpointIds
  readonly stopOnEntry: boolean
  /** The program ran before the debugger was attached, so attaching may make the first stop. */
  readonly attached?: boolean
  /** Called at `terminated` if no `exited` came before; some adapters send `exited` later. */
  readonly onTerminated: () => void
  /** Completes a stop that lacks something; undefined if nothing is missing. */
  readonly completeStop?: (body: Stops.StoppedBody) => Effect.Effect<Stops.StoppedBody> | undefined
  /** Asks how the program ended; undefined if the exit code is right. */
  readonly completeExit?: (exitCode: number | undefined) => Effect.Effect<Event.Event | undefined> | undefined
  /** Runs `completeStop` and `completeExit` in the background. */
  readonly fork?: (effect: Effect.Effect<void>) => void
}

/** Waits for the next event that moves the program. */
export interface Movement {
  readonly moved: Effect.Effect<void>
  /** Ends the watch; `moved` does not complete after it. */
  readonly cancel: () => void
}

const moving = new Set(["continued", "stopped", "exited", "terminated"])

const decode = <A>(
  event: { readonly decode: (body: unknown) => Result.Result<A, unknown> },
  body: unknown,
  use: (body: A) => void
) => {
  const decoded = event.decode(body)
  if (Result.isSuccess(decoded)) use(decoded.success)
}

/** The translation of one connection. */
export class Translator {
  readonly #options: Options
  /** The numbers of watchpoints, which adapters count apart from breakpoints. */
  readonly watchIds = new BreakpointIds()
  /** The exception filters in force. */
  filters: ReadonlyArray<Stops.ExceptionFilter> = []

  #started = false
  #stops = 0
  #completing = false
  #resumed: Backend.Resume | undefined
  #stepInterrupted = false
  #pausing = false
  /** How many lists of breakpoints are being set; a stop may name numbers that are not known yet. */
  #setting = 0
  /** Stops at unknown numbers, in order. */
  #unnumbered: ReadonlyArray<Stops.StoppedBody> = []
  /** The breakpoint whose condition failed, for a reason that the next output has. */
  #failedCondition: number | undefined
  #pid: number | undefined
  #evaluations = 0
  #functionCalled = false
  #movement: Deferred.Deferred<void> | undefined
  #stopText: string | undefined
  #signal: string | undefined
  #signalled = false
  #end: "none" | "terminated" | "exited" = "none"
  /** The exit code of adapters that report it as text. */
  #exitCode: number | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** True once the program runs with its libraries. */
  get started(): boolean {
    return this.#started
  }

  /** True once a stop was reported. */
  get stopped(): boolean {
    return this.#stops > 0
  }

  /** True while the details of a first stop are being requested, and after it. */
  get stopExpected(): boolean {
    return this.#stops > 0 || this.#completing
  }

  /** The process that the adapter has named. */
  get pid(): number | undefined {
    return this.#pid
  }

  /** True if the adapter has sent `terminated`. */
  get terminated(): boolean {
    return this.#end === "terminated"
  }

  /** The signal and the text of the latest stop. */
  get lastStop(): { readonly signal: string | undefined; readonly text: string | undefined } {
    return { signal: this.#signal, text: this.#stopText }
  }

  /** Notes that the program runs, or ran before the debugger attached. */
  start(): void {
    this.#started = true
  }

  /** Notes how the program is resumed. Returns true if a step was interrupted by another stop before. */
  resume(how: Backend.Resume): boolean {
    const interrupted = this.#stepInterrupted
    this.#resumed = how
    this.#stepInterrupted = false
    this.#pausing = false
    return interrupted
  }

  /** Notes that a pause is requested. Returns true if one was requested before and has not stopped the program yet. */
  pause(): boolean {
    const before = this.#pausing
    this.#pausing = true
    return before
  }

  /** Runs a request that sets breakpoints; a stop at a number that is not known yet is reported after it. */
  settingBreakpoints<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#setting += 1
      return effect
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          this.#setting -= 1
          this.#reportUnnumbered()
        })
      )
    )
  }

  /** Runs an evaluation, which may call functions of the program; `afterCall` runs if it called one. */
  evaluating<A, E, R>(effect: Effect.Effect<A, E, R>, afterCall: Effect.Effect<void>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#evaluations += 1
      return effect
    }).pipe(
      Effect.ensuring(
        Effect.suspend(() => {
          this.#evaluations -= 1
          if (!this.#functionCalled) return Effect.void
          this.#functionCalled = false
          return afterCall
        })
      )
    )
  }

  /** Starts to wait for the next event that moves the program. */
  watchMovement(): Movement {
    const deferred = Deferred.makeUnsafe<void>()
    this.#movement = deferred
    return {
      moved: Deferred.await(deferred),
      cancel: () => {
        if (this.#movement === deferred) this.#movement = undefined
      }
    }
  }

  /** Translates one event. */
  handle(message: Message.Event): void {
    this.#translate(message)
    // Last, since the waiting fiber continues at once and reads the session's state.
    if (moving.has(message.event)) this.#complete()
  }

  /** Reports the end of a program whose adapter has sent `terminated` and no `exited`. */
  reportTermination(): void {
    if (this.#end === "exited") return
    this.#options.drain()
    this.#emit(this.#exitCode === undefined ? { _tag: "Terminated" } : this.#exitEvent(this.#exitCode))
  }

  /** Reports the end of a program that is our own process, for adapters that do not report it. */
  reportExit({ code, signal }: { readonly code?: number; readonly signal?: string }): void {
    if (this.#end === "exited") return
    this.#reportUnnumbered()
    this.#options.drain()
    this.#end = "exited"
    this.#emit({
      _tag: "Exited",
      ...(signal === undefined ? {} : { signal }),
      ...(code === undefined ? {} : { exit_code: code })
    })
    this.#complete()
  }

  #emit(event: Event.Event): void {
    this.#options.listener.emit(event)
  }

  #complete(): void {
    if (this.#movement !== undefined) Deferred.doneUnsafe(this.#movement, Exit.void)
  }

  #exitEvent(exitCode: number | undefined): Event.Event {
    return Stops.exitEvent(exitCode, { signalled: this.#signalled, signal: this.#signal }, this.#options.quirks())
  }

  #translate({ body, event }: Message.Event): void {
    switch (event) {
      case "stopped":
        return this.#onStopped(body)
      case "continued":
        return this.#onContinued()
      case "exited":
        return this.#onExited(body)
      case "terminated":
        if (this.#end !== "none") return
        this.#end = "terminated"
        return this.#options.onTerminated()
      case "process":
        return decode(Events.Process, body, ({ name = "", systemProcessId: pid }) => {
          if (pid === undefined) return
          this.#pid = pid
          this.#emit({ _tag: "Process", pid, name })
        })
      case "output":
        return decode(Events.Output, body, (output) => this.#onOutput(output))
      case "breakpoint":
        return decode(Events.Breakpoint, body, ({ breakpoint }) => this.#onBreakpoint(breakpoint))
      default:
    }
  }

  #onStopped(raw: unknown): void {
    const { completeStop, drain, fork, quirks, stopOnEntry } = this.#options
    const { callStopReason, emptyDescriptions } = quirks()
    drain()
    const reason = Message.isRecord(raw) ? raw["reason"] : undefined
    if (reason !== undefined && reason === callStopReason) return
    decode(Events.Stopped, raw, (stopped) => {
      const { description, ...rest } = stopped
      const body = description !== undefined && emptyDescriptions?.test(description) !== true ? stopped : rest
      const requested = this.#pausing || (stopOnEntry && this.#stops === 0)
      const complete = requested ? undefined : completeStop?.(body)
      if (complete === undefined || fork === undefined) return this.#reportOrHold(body)
      this.#completing = true
      fork(Effect.map(complete, (completed) => this.#reportOrHold(completed)))
    })
  }

  #onContinued(): void {
    // A function called by an expression runs too; the user did not resume the program.
    if (this.#options.quirks().callStopReason !== undefined && this.#evaluations > 0) this.#functionCalled = true
    else this.#emit({ _tag: "Continued" })
  }

  #onExited(raw: unknown): void {
    const { completeExit, drain, fork } = this.#options
    this.#reportUnnumbered()
    drain()
    this.#end = "exited"
    decode(Events.Exited, raw, ({ exitCode }) => {
      const complete = completeExit?.(exitCode)
      if (complete === undefined || fork === undefined) return this.#emit(this.#exitEvent(exitCode))
      fork(Effect.map(complete, (end) => this.#emit(end ?? this.#exitEvent(exitCode))))
    })
  }

  #breakpointsOf(body: Stops.StoppedBody): ReadonlyArray<number> {
    return Stops.breakpointsOf(body, this.#options.ids, this.watchIds, this.filters)
  }

  #reportUnnumbered(): void {
    const held = this.#unnumbered
    this.#unnumbered = []
    for (const body of held) this.#report(body)
  }

  /** Reports a stop, or holds it while the number it names may belong to a breakpoint that is being set. */
  #reportOrHold(body: Stops.StoppedBody): void {
    const unnumbered = this.#setting > 0 && body.reason.includes("breakpoint") && this.#breakpointsOf(body).length === 0
    if (unnumbered) this.#unnumbered = [...this.#unnumbered, body]
    else this.#report(body)
  }

  #report(body: Stops.StoppedBody): void {
    const { listener, quirks, stopOnEntry } = this.#options
    if (this.#failedCondition !== undefined) listener.conditionFailed?.(this.#failedCondition, "")
    this.#failedCondition = undefined
    const breakpoints = this.#breakpointsOf(body)
    const reason = Stops.reasonOf(
      {
        quirks: quirks(),
        filters: this.filters,
        first: this.#stops === 0,
        stopOnEntry,
        attached: this.#options.attached === true,
        resumed: this.#resumed,
        pausing: this.#pausing
      },
      body,
      breakpoints
    )
    const description = Stops.textOf(body, quirks())
    // Before `emit`, inside which fibers that wait for the stop continue.
    const stepped = this.#resumed !== "continue" && this.#resumed !== undefined
    this.#stepInterrupted = stepped && body.reason !== "step"
    this.#pausing = false
    this.#stops += 1
    this.#stopText = description
    this.#signalled = reason === "signal"
    this.#signal = reason === "signal" ? Stops.signalIn(description) : undefined
    this.#emit({
      _tag: "Stopped",
      reason,
      raw_reason: body.reason,
      ...(description === undefined ? {} : { description }),
      ...(body.threadId === undefined ? {} : { thread: body.threadId }),
      breakpoints,
      focus: body.preserveFocusHint !== true,
      ...(quirks().launchStop?.test(description ?? "") === true ? { cause: "launch-signal" as const } : {})
    })
  }

  /** Emits the messages of logpoints in an output; returns false if there are none. */
  #logged(output: string): boolean {
    const messages = LogMessages.parse(output)
    if (messages.length > 0) this.#options.drain()
    for (const { id, text } of messages) {
      this.#options.listener.logpointHit?.(id)
      this.#emit({ _tag: "Output", channel: "log", text })
    }
    return messages.length > 0
  }

  /** Reports a condition that could not be evaluated, if a text says so. From LLDB 22 on each line is an event. */
  #conditionFailure(output: string): void {
    const { ids, listener } = this.#options
    const failed = Lldb.conditionError(output)
    const ours = failed === undefined ? undefined : ids.oursOf(failed.id)
    if (failed !== undefined && ours !== undefined) {
      if (failed.problem === "") this.#failedCondition = ours
      else listener.conditionFailed?.(ours, Parse.expressionProblem(failed.problem))
    } else if (this.#failedCondition !== undefined && output.startsWith("error: ")) {
      listener.conditionFailed?.(this.#failedCondition, Parse.expressionProblem(output))
      this.#failedCondition = undefined
    }
  }

  #onOutput({ category, output }: typeof Events.Output.body.Type): void {
    const { exitCodeInText, outputInEvents } = this.#options.quirks()
    if (this.#logged(output)) return
    this.#conditionFailure(output)
    const code = exitCodeInText?.exec(output)?.[1]
    if (code !== undefined) this.#exitCode = Number(code)
    // Without `outputInEvents` the program writes into our pipes, and events carry the debugger's own messages.
    const channel = outputInEvents === true && (category === "stdout" || category === "stderr") ? category : "console"
    if (category !== "telemetry" && this.#end === "none") this.#emit({ _tag: "Output", channel, text: output })
  }

  #onBreakpoint(breakpoint: typeof Events.Breakpoint.body.Type.breakpoint): void {
    const { ids, listener, quirks } = this.#options
    if (breakpoint.id !== undefined) ids.forget(breakpoint.id)
    const id = breakpoint.id === undefined ? undefined : ids.oursOf(breakpoint.id)
    if (id === undefined) return
    const { line, source, verified } = breakpoint
    const located =
      quirks().verifiesAtRun === true &&
      verified &&
      source?.path !== undefined &&
      line !== undefined &&
      ids.place(id, source.path, line)
    // Adapters repeat their answers as events; only a change of `verified` or of the location is reported.
    if (!ids.settle(id, verified) && !located) return
    listener.placed({ id, resolved: verified, locations: verified ? [locationOf(breakpoint)] : [] })
  }
}
