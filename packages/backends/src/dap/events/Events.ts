/**
 * Translates the events of a debug adapter (DAP) to session events.
 *
 * Events are translated synchronously in the order of arrival, inside the decoder loop. `drain` delivers the program's
 * output so far before a stop or the program's end is reported.
 */
import { Events, Message } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import type { Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { BreakpointIds } from "../../console/BreakpointIds.ts"
import type { Quirks } from "../../adapters/Quirks.ts"
import { decode } from "../EventBodies.ts"
import * as BreakpointEvents from "./BreakpointEvents.ts"
import { ConditionFailures } from "./ConditionFailures.ts"
import * as LogMessages from "./LogMessages.ts"
import type * as EndFacts from "../stops/EndFacts.ts"
import { RepeatedStops } from "../stops/RepeatedStops.ts"
import { TextFacts } from "./TextFacts.ts"
import { StateChanges, type StateChange } from "./StateChanges.ts"
import { PauseState } from "../stops/PauseState.ts"
import { PendingStops } from "../stops/PendingStops.ts"
import * as Stops from "../stops/Stops.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly listener: Backend.Listener
  readonly drain: () => void
  /** The quirks; they can change when the adapter reports its version. */
  readonly quirks: () => Quirks
  readonly ids: BreakpointIds
  readonly stopOnEntry: boolean
  /** The program ran before the debugger was attached, so attaching may make the first stop. */
  readonly attached?: boolean
  /** The program existed before the debugger, so that the adapter may report its first stop twice. */
  readonly mayRepeatStop?: boolean
  /** Called at `terminated` if no `exited` came before; some adapters send `exited` later. */
  readonly onTerminated: () => void
  /** Requests the details that the adapter left out of a stop; undefined if the stop is complete. */
  readonly completeStop?: (body: Stops.StoppedBody) => Effect.Effect<Stops.StoppedBody | undefined> | undefined
  /** Asks the debugger how the program ended; undefined if the exit code of `exited` is correct. */
  readonly completeExit?: (exitCode: number | undefined) => Effect.Effect<Event.Event | undefined> | undefined
  /** Runs `completeStop` and `completeExit` in the background. */
  readonly fork?: (effect: Effect.Effect<void>) => void
}

/** Translates the events of one connection. */
export class Translator {
  readonly #options: Options
  /** The conditions that could not be evaluated. */
  readonly conditionFailures: ConditionFailures
  /** The numbers of watchpoints; adapters number them separately from breakpoints. */
  readonly watchIds = new BreakpointIds()
  /** Corrects stops before they are reported. */
  correctStop: Stops.Correction | undefined
  /** Returns a request for what is reported before a stop; undefined if there is nothing. */
  beforeStop: Stops.BeforeStop = () => undefined
  /** Returns a request for what is reported just before the program's end; undefined if there is nothing. */
  beforeEnd: EndFacts.Request = () => undefined
  /** The enabled exception filters. */
  filters: ReadonlyArray<Stops.ExceptionFilter> = []
  #started = false
  #stops = 0
  readonly #repeated: RepeatedStops
  #completing = false
  /** The `stopped` events whose details are not all known. */
  readonly pendingStops = new PendingStops((body) => this.#reportOrHold(body))
  #resumed: Backend.Resume | undefined
  #stepInterrupted = false
  readonly #pause = new PauseState()
  /** Requests in progress that set breakpoints. A stop may name a number before the response tells whose it is. */
  #setRequests = 0
  /** Stops at unknown breakpoint numbers, oldest first; reported after the requests in progress. */
  readonly #heldStops: Array<Stops.StoppedBody> = []
  #pid: number | undefined
  #evaluations = 0
  #functionCalled = false
  readonly #stateChanges = new StateChanges()
  #stopText: string | undefined
  #latest: Stops.Latest = { signalled: false, signal: undefined, isStopped: false, continues: 0 }
  #end: "none" | "terminated" | "exited" = "none"
  /** Facts that the adapter reported only as text. */
  readonly texts = new TextFacts()

  constructor(options: Options) {
    this.#options = options
    this.#repeated = new RepeatedStops(options.mayRepeatStop === true)
    this.conditionFailures = new ConditionFailures(options.listener, options.ids)
  }

  /** True once the program has started. */
  get started(): boolean {
    return this.#started
  }

  /** True if a stop was reported. */
  get stopped(): boolean {
    return this.#stops > 0
  }

  /** True if a stop was reported, or will be when its details have been requested. */
  get stopExpected(): boolean {
    return this.#stops > 0 || this.#completing
  }

  /** The program's pid, as the event `process` (DAP) reported it. */
  get pid(): number | undefined {
    return this.#pid
  }

  /** The last report of the program's end. */
  get end(): "none" | "terminated" | "exited" {
    return this.#end
  }

  /** The signal and the text of the latest stop. */
  get lastStop(): { readonly signal: string | undefined; readonly text: string | undefined } {
    return { signal: this.#latest.signal, text: this.#stopText }
  }

  /** True if a pause was requested since the last resume by a request. */
  get pausing(): boolean {
    return this.#pause.isRequested
  }

  /** How the program was last resumed. */
  get resumed(): Backend.Resume | undefined {
    return this.#resumed
  }

  /** Reports that a breakpoint was bound again. */
  placed(placement: Backend.Placement): void {
    this.#options.ids.setResolved(placement.id, placement.resolved)
    this.#options.listener.placed(placement)
  }

  /** Records that the program has started. */
  start(): void {
    this.#started = true
  }

  /** Records how the program is resumed. Returns true if another stop interrupted the last step. */
  resume(how: Backend.Resume): boolean {
    const interrupted = this.#stepInterrupted
    this.#repeated.resume()
    this.#resumed = how
    this.pendingStops.resumed()
    this.#latest = { ...this.#latest, isStopped: false, continues: 0 }
    this.#stepInterrupted = false
    this.texts.resumed()
    this.#pause.resumed("by a request")
    return interrupted
  }

  /** Records a pause request. Returns true if an earlier one was sent since the last resume. */
  pause(): boolean {
    return this.#pause.request()
  }

  /** Runs a request that sets breakpoints. Stops at unknown breakpoint numbers are reported after its response. */
  settingBreakpoints<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.#setRequests += 1
      return effect
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          this.#setRequests -= 1
          this.#reportHeldStops()
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

  /** Starts a wait for the next event that resumes, stops or ends the program. */
  awaitStateChange(): StateChange {
    return this.#stateChanges.start()
  }

  /** Receives the reports of the connection. */
  get listener(): Backend.Listener {
    return this.#options.listener
  }

  /** Translates one event. */
  handle(message: Message.Event): void {
    this.#translate(message)
    // Done last: the waiting fiber continues at once and reads the session's state.
    this.#stateChanges.completeAt(message.event)
  }

  /** Reports the end of a program whose adapter has sent `terminated` and no `exited`. */
  reportTermination(): void {
    if (this.#end === "exited") return
    this.#options.drain()
    this.#emit(this.texts.exitCode === undefined ? { _tag: "Terminated" } : this.#exitEvent(this.texts.exitCode))
  }

  /** Reports the exit of a program that this process started, for adapters that do not send `exited`. */
  reportExit({ code, signal }: { readonly code?: number; readonly signal?: string }): void {
    if (this.#end === "exited") return
    this.#reportHeldStops()
    this.#options.drain()
    this.#end = "exited"
    this.#emit(Stops.ended(code, signal))
    this.#stateChanges.completeAt("exited")
  }

  #emit(event: Event.Event): void {
    this.#options.listener.emit(event)
  }

  #exitEvent(exitCode: number | undefined): Event.Event {
    return Stops.exitEvent(exitCode, this.#latest, this.#options.quirks())
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
        return decode(Events.Breakpoint, body, ({ breakpoint }) => BreakpointEvents.handle(breakpoint, this.#options))
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
      const body = Stops.atRemoved(Stops.withoutEmptyText(stopped, emptyDescriptions), this.#options.ids)
      const requested = this.#pause.isRequested || (stopOnEntry && this.#stops === 0)
      const first = this.beforeStop(body, this.pendingStops.isFirst, this.#resumed, this.#latest)
      const corrected = this.correctStop?.(body, this.#resumed) ?? (requested ? undefined : completeStop?.(body))
      const complete = first === undefined ? corrected : Effect.andThen(first, corrected ?? Effect.succeed(body))
      if (complete === undefined || fork === undefined) return this.pendingStops.add(body)
      this.#completing = true
      const receive = this.pendingStops.wait()
      fork(Effect.catchDefect(Effect.map(complete, receive), () => Effect.sync(() => receive(body))))
    })
  }

  #onContinued(): void {
    this.#pause.resumed("by the debugger")
    // The adapter also sends `continued` when an expression calls a function. The user did not resume the program.
    if (this.#options.quirks().callStopReason !== undefined && this.#evaluations > 0) this.#functionCalled = true
    else {
      if (this.stopped) this.#repeated.resume()
      this.pendingStops.resumed()
      this.#latest = { ...this.#latest, isStopped: false, continues: this.#latest.continues + 1 }
      this.#emit({ _tag: "Continued" })
    }
  }

  #onExited(raw: unknown): void {
    const { completeExit, drain, fork } = this.#options
    this.#reportHeldStops()
    drain()
    this.#end = "exited"
    decode(Events.Exited, raw, ({ exitCode }) => {
      const complete = completeExit?.(exitCode)
      const counted = this.beforeEnd()
      if ((complete ?? counted) === undefined || fork === undefined) return this.#emit(this.#exitEvent(exitCode))
      fork(
        Effect.andThen(counted ?? Effect.void, complete ?? Effect.undefined).pipe(
          Effect.map((end) => this.#emit(end ?? this.#exitEvent(exitCode)))
        )
      )
    })
  }

  #breakpointsOf(body: Stops.StoppedBody): ReadonlyArray<number> {
    return Stops.breakpointsOf(body, this.#options.ids, this.watchIds, this.filters)
  }

  #reportHeldStops(): void {
    for (const body of this.#heldStops.splice(0)) this.#report(body)
  }

  /** Reports a stop. Holds it while it may belong to a breakpoint that is being set. */
  #reportOrHold(body: Stops.StoppedBody): void {
    const isAtBreakpoint = body.reason.includes("breakpoint") || Stops.isTrap(body)
    const unknown = this.#setRequests > 0 && isAtBreakpoint && this.#breakpointsOf(body).length === 0
    if (unknown) this.#heldStops.push(body)
    else this.#report(body)
  }

  #report(body: Stops.StoppedBody): void {
    const { quirks, stopOnEntry } = this.#options
    if (!this.#functionCalled && this.#repeated.has(body.threadId)) return
    if (Stops.isNone(body)) return
    this.conditionFailures.flush()
    const breakpoints = this.#breakpointsOf(body)
    const reason = Stops.reasonOf(
      {
        quirks: quirks(),
        filters: this.filters,
        first: this.#stops === 0,
        stopOnEntry,
        attached: this.#options.attached === true,
        resumed: this.#resumed,
        pausing: this.#pause.isRequested
      },
      body,
      breakpoints
    )
    const description = reason === "exec" ? Stops.replaced : Stops.textOf(body, quirks())
    // Set before `emit`: fibers that wait for the stop continue inside it.
    const stepped = this.#resumed !== "continue" && this.#resumed !== undefined
    this.#stepInterrupted = stepped && body.reason !== "step"
    this.#pause.reported(reason)
    this.#stops += 1
    this.#stopText = description
    const facts = Stops.factsOf(body, description, quirks())
    const signalled = reason === "signal"
    this.#latest = { signalled, signal: signalled ? facts.signal : undefined, isStopped: true, continues: 0 }
    this.#emit({
      _tag: "Stopped",
      reason,
      raw_reason: body.reason,
      ...facts,
      ...(body.threadId === undefined ? {} : { thread: body.threadId }),
      breakpoints,
      focus: body.preserveFocusHint !== true
    })
  }

  /** Emits the logpoint messages in an output. Returns false if it has none. */
  #emitLogMessages(output: string): boolean {
    const messages = LogMessages.parse(output)
    if (messages.length > 0) this.#options.drain()
    for (const { id, text } of messages) {
      this.#options.listener.logpointHit?.(id)
      this.#emit({ _tag: "Output", channel: "log", text })
    }
    return messages.length > 0
  }

  #onOutput({ category, output: written }: typeof Events.Output.body.Type): void {
    const { outputInEvents, traced } = this.#options.quirks()
    if (category === "telemetry") return written === traced ? this.#options.listener.mayMiss?.(false) : undefined
    const output = this.conditionFailures.withoutMarks(written)
    if (output === "" || this.#emitLogMessages(output)) return
    this.conditionFailures.read(output)
    this.texts.read(output, this.#options.quirks())
    const channel = outputInEvents === true && (category === "stdout" || category === "stderr") ? category : "console"
    if (this.#end === "none") this.#emit({ _tag: "Output", channel, text: output })
  }
}
