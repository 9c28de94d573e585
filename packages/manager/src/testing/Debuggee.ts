/**
 * A simulated program under a fake debugger, from its launch to its end.
 *
 * Records its requests. A test causes events at any time. Handles of an earlier stop are refused and counted. Fibers:
 * (1) the events after the answer to a resume, ended with the scope of the launch.
 */
import { Errors, type Event, Session } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type {
  Connection,
  Failure,
  LaunchRequest,
  LaunchFailure,
  Listener,
  Placement,
  Resume,
  BreakpointRequest
} from "../ports/Backend.ts"
import type { Description } from "../ports/Processes.ts"
import { Answers } from "./Answers.ts"
import type { Request, Behaviour, Plan, DebuggerRequest } from "./Behaviour.ts"
import { below, Handles } from "./Handles.ts"
import * as SimulatedMachine from "./SimulatedMachine.ts"
import * as SimulatedProgram from "./SimulatedProgram.ts"

/** State that the debuggees of one fake share. */
export interface Shared {
  readonly behaviour: () => Behaviour
  readonly beginnings: Plan<LaunchFailure>
  readonly questions: Plan<Failure>
}

/** A launched program with its debugger. */
export class Debuggee {
  readonly launch: LaunchRequest
  readonly program: SimulatedProgram.Program
  /** The newest list of each group. The key is a path, or `""` for functions. */
  readonly lists = new Map<string, ReadonlyArray<BreakpointRequest>>()
  /** True if the adapter must be killed at the end. */
  isStuck = false
  /** The `end` requests. */
  readonly ends: Array<"kill" | "detach"> = []
  /** Other processes that have the program's pipes open. A test changes them. */
  holders: Array<Description> = []
  /** True if the program's pipes were closed. Nothing that is written then arrives. */
  pipesClosed = false
  /** Output that is in a pipe and was not read yet. */
  unread = ""
  /** True if its scope was closed. */
  closed = false
  /** Number of uses of handles of an earlier stop. */
  staleUses = 0
  readonly pid: number
  readonly #listener: Listener
  readonly #shared: Shared
  readonly #scope: Scope.Scope
  readonly #answers: Answers
  readonly #handles = new Handles()
  #at = -1
  #running: Resume | undefined
  #how: Resume = "continue"
  /** Number of resumes. */
  #run = 0
  #stopped = false
  #loaded = false
  /** The breakpoints at which the program is stopped. */
  #hit: ReadonlyArray<number> = []

  constructor(
    launch: LaunchRequest,
    program: SimulatedProgram.Program,
    pid: number,
    listener: Listener,
    shared: Shared,
    scope: Scope.Scope
  ) {
    this.launch = launch
    this.program = program
    this.pid = pid
    this.#listener = listener
    this.#shared = shared
    this.#scope = scope
    this.#answers = new Answers({
      behaviour: shared.behaviour,
      emit: (event) => this.emit(event),
      lose: (reason) => this.lose(reason),
      follow: Effect.suspend(() => this.#follow)
    })
  }

  /** Every request, in order of arrival. */
  get requests(): ReadonlyArray<Request> {
    return this.#answers.requests
  }

  /** Text that was written to the program's input. */
  written = ""
  inputClosed = false
  /** True if the program reads its input, so that the pipe never fills. */
  reads = true

  /** Returns the number of requests of a kind. */
  count(request: Request["request"]): number {
    return this.requests.filter((one) => one.request === request).length
  }

  /** Reports any event to the session. */
  emit(event: Event.Event): void {
    this.#listener.emit(event)
  }

  /** Reports that the debugger moved a breakpoint. */
  placed(placement: Placement): void {
    this.#listener.placed(placement)
  }

  /** Writes output of the program. */
  write(text: string, channel: "stdout" | "stderr" | "console" = "stdout"): void {
    if (channel === "console" || !this.pipesClosed) this.emit({ _tag: "Output", channel, text })
  }

  /** Reads what is in the pipe. */
  drain(): void {
    if (this.unread !== "") this.write(this.unread)
    this.unread = ""
  }

  /** Runs the program to its next stop or exit. */
  go(): void {
    const how = this.#running
    if (how === undefined) return
    const arrival = SimulatedProgram.advance(this.program, this.#at, how, (moment) =>
      SimulatedProgram.hits(this.program, this.#loaded, this.lists, moment)
    )
    if (arrival.output !== "") this.write(arrival.output)
    if (arrival.kind === "end") return this.exit(this.program.end)
    this.#at = arrival.at
    if (arrival.kind === "stop") this.#stop(arrival.reason, arrival.breakpoints)
  }

  /** Stops the program where it is, at breakpoints that may have been changed since. */
  stopAt(breakpoints: ReadonlyArray<number>): void {
    if (this.#running !== undefined) this.#stop("breakpoint", breakpoints)
  }

  /** Ends the program. */
  exit(end: SimulatedProgram.Program["end"]): void {
    this.#leave()
    this.emit({ _tag: "Exited", ...end })
  }

  /** Kills the adapter, with every pending request. */
  lose(reason: string): void {
    this.#leave()
    this.emit({ _tag: "Lost", reason })
    this.#answers.die(reason)
  }

  /** Loads the library and reports the breakpoints in it. */
  load(): void {
    this.#loaded = true
    for (const [path, list] of this.lists) {
      const group = SimulatedProgram.groupOf(path)
      for (const wanted of list) {
        const placement = SimulatedProgram.bind(this.program, true, group, wanted)
        if (placement.resolved) this.#listener.placed(placement)
      }
    }
  }

  /** Launches and returns the session's connection. */
  readonly connection: Effect.Effect<Connection, LaunchFailure> = Effect.suspend(() =>
    this.#answers.answer("launch", { program: this.launch.program }, this.#shared.beginnings, () => {
      this.emit({ _tag: "Process", pid: this.pid, name: this.launch.program })
      const { propertiesRunCode = false, refusesCode = true, tasks } = this.program
      const usesUpPauses = this.#shared.behaviour().usesUpPauses === true
      const connection = { ...this.#connection, propertiesRunCode, refusesCode, usesUpPauses }
      return Effect.succeed(tasks === undefined ? connection : { ...connection, tasks })
    })
  )

  /** Finalizer of the launch's scope. */
  readonly close = Effect.sync(() => {
    this.closed = true
    this.#leave()
    this.#answers.die("it was ended")
  })

  readonly #ask = <A>(
    request: DebuggerRequest,
    detail: unknown,
    carryOut: () => Effect.Effect<A, Failure>,
    idle?: () => Effect.Effect<A, Failure>
  ) => this.#answers.answer(request, detail, this.#shared.questions, carryOut, idle)

  readonly #connection: Connection = {
    adapter: { name: "fake", version: "1.0", backend: "dap" },
    readingCalls: new Set(["len"]),
    features: () => [
      Session.feature("stepping", "adapter"),
      Session.feature("logpoints", "none"),
      Session.feature("types", "none")
    ],
    setBreakpoints: (group, wanted) =>
      this.#ask("setBreakpoints", { group, wanted }, () => {
        this.lists.set(group.kind === "source" ? group.path : group.kind === "function" ? "" : group.kind, wanted)
        return Effect.succeed(wanted.map((one) => SimulatedProgram.bind(this.program, this.#loaded, group, one)))
      }),
    lines: (file) =>
      this.#ask("lines", { file }, () => {
        const { code, file: path } = this.program.source
        return Effect.succeed(
          path === file || path.endsWith(`/${file}`) ? code.map((line) => ({ file: path, line })) : []
        )
      }),
    filters: Effect.succeed([{ filter: "throw", label: "Throw", conditions: false }]),
    exception: (thread) => this.#ask("exception", { thread }, () => Effect.succeed({ id: "throw", text: "Throw" })),
    namesFalseConditions: true,
    breakpointsAtSignal: () => Effect.sync(() => this.#shared.behaviour().trapped?.(this.#hit)),
    resumeSilently: (thread) =>
      this.#ask("goOn", { thread }, () =>
        this.#stopped ? this.#resume(this.#how) : Effect.fail(refused("goOn", "notStopped"))
      ),
    run: Effect.suspend(() =>
      this.#answers.answer("run", undefined, this.#shared.beginnings, () => this.#resume("continue"))
    ),
    resume: (how, thread, manner = {}) =>
      this.#ask("resume", { how, thread, manner }, () =>
        this.#stopped ? this.#resume(how) : Effect.fail(refused("resume", "notStopped"))
      ),
    pause: Effect.suspend(() =>
      this.#ask(
        "pause",
        undefined,
        () =>
          Effect.sync(() => {
            if (this.#running !== undefined) this.#stop("pause", [])
          }),
        () => Effect.void
      )
    ),
    threads: Effect.suspend(() => this.#ask("threads", undefined, () => Effect.succeed(this.program.threads))),
    stack: (thread, start, count) =>
      this.#ask("stack", { thread, start, count }, () => {
        const moment = this.program.moments[this.#at]
        if (!this.#stopped || moment === undefined) return Effect.fail(refused("stack", "notStopped"))
        const all: ReadonlyArray<SimulatedProgram.Place> =
          thread === this.program.threads[0].id ? moment.stack : [{ function: "worker" }]
        const frames = all.slice(start, start + count).map((place) => ({
          function: place.function,
          ...(place.label === undefined ? {} : { label: place.label }),
          ...(place.line === undefined ? {} : { file: this.program.source.file, line: place.line }),
          handle: this.#handles.keep({ kind: "frame", place })
        }))
        return Effect.succeed({ frames, ...(this.#shared.behaviour().totals ? { total: all.length } : {}) })
      }),
    inspection: SimulatedMachine.make({
      program: () => this.program,
      place: (handle) => {
        const known = this.#handles.get(handle)
        return known?.kind === "frame" ? known.place : undefined
      }
    }),
    locals: (frame) =>
      this.#ask("locals", { frame }, () => {
        const handle = this.#handles.get(frame)
        if (handle?.kind !== "frame") return this.#stale("locals")
        return Effect.succeed(
          Object.entries(handle.place.variables ?? {}).map(([name, content]) =>
            this.#handles.value(name, content, name)
          )
        )
      }),
    children: (value, start, count) =>
      this.#ask("children", { value, start, count }, () => {
        const handle = this.#handles.get(value)
        if (handle?.kind !== "value") return this.#stale("children")
        const { content, expression } = handle
        const parts = typeof content === "string" ? [] : Object.entries(content.parts)
        return Effect.succeed(
          parts
            .slice(start, start + count)
            .map(([name, part]) => this.#handles.value(name, part, below(expression, name, part)))
        )
      }),
    evaluate: (expression, frame, how) =>
      this.#ask("evaluate", { expression, frame, how }, () => {
        const handle = this.#handles.get(frame)
        if (handle?.kind !== "frame") return this.#stale("evaluate")
        const [, name, text] = /^(\w+) = (.+)$/.exec(expression) ?? []
        if (how === "any" && name !== undefined && text !== undefined) {
          this.#handles.assigned.set(name, text)
          return Effect.succeed(this.#handles.value(expression, text, undefined))
        }
        const content = this.program.expressions?.[expression] ?? SimulatedProgram.lookUp(handle.place, expression)
        return content === undefined
          ? Effect.fail(refused("evaluate", `use of undeclared identifier '${expression}'`, "unknown-name"))
          : Effect.succeed(this.#handles.value(expression, content, expression))
      }),
    instruction: () => this.#ask("command", { text: "instruction" }, () => Effect.succeed("0x1000 nop")),
    returned: () =>
      this.#ask("command", { text: "returned" }, () =>
        Effect.succeed({ name: "return", value: "60", type: "int", handle: 0 })
      ),
    command: (text) =>
      this.#ask("command", { text }, () => {
        if (text === "process continue" && this.#stopped) {
          this.emit({ _tag: "Continued" })
          return this.#resume("continue").pipe(Effect.andThen(this.#follow), Effect.as("resuming"))
        }
        return Effect.succeed(`ran ${text}\n`)
      }),
    input: {
      write: (bytes) =>
        Effect.suspend(() => {
          this.written += new TextDecoder().decode(bytes)
          return this.reads ? Effect.void : Effect.never
        }),
      close: Effect.sync(() => {
        this.inputClosed = true
      })
    },
    end: (how) =>
      Effect.sync(() => {
        this.#answers.requests.push({ request: "end", detail: how })
        this.ends.push(how)
        this.#leave()
        return { forced: this.isStuck }
      })
  }

  /** Resumes the program. */
  #resume(how: Resume): Effect.Effect<void> {
    return Effect.sync(() => {
      const { continued, pace } = this.#shared.behaviour()
      this.#stopped = false
      this.#running = how
      this.#how = how
      this.#run++
      this.#handles.clear()
      if (continued === "before the answer") this.emit({ _tag: "Continued" })
      if (pace === "before the answer") this.go()
    })
  }

  /** Reports the events after the answer to a resume, in a fiber. */
  readonly #follow = Effect.suspend(() => {
    const { continued, pace } = this.#shared.behaviour()
    const run = this.#run
    const happen = Effect.sync(() => {
      if (this.#running === undefined || this.#run !== run) return
      if (continued === "after the answer") this.emit({ _tag: "Continued" })
      if (pace === "after the answer") this.go()
    })
    return Effect.yieldNow.pipe(Effect.andThen(happen), Effect.forkIn(this.#scope), Effect.asVoid)
  })

  #stop(reason: "breakpoint" | "step" | "finish" | "pause", breakpoints: ReadonlyArray<number>) {
    const { focus, others, trapped } = this.#shared.behaviour()
    this.#running = undefined
    this.#stopped = true
    this.#hit = breakpoints
    const isTrap = trapped !== undefined && breakpoints.length > 0
    const cause = isTrap
      ? { reason: "signal" as const, signal: "SIGTRAP", description: "signal SIGTRAP", breakpoints: [] }
      : { reason, breakpoints }
    const event = (thread: number, focus: boolean): Event.Event => ({
      _tag: "Stopped",
      raw_reason: reason,
      ...cause,
      thread,
      focus
    })
    const shown = event(this.program.threads[0].id, true)
    const rest = (reason === "breakpoint" ? (this.program.moments[this.#at]?.others ?? []) : []).map((thread) =>
      event(thread, false)
    )
    const [first = shown, ...later] = focus === "first" ? [shown, ...rest] : [...rest, shown]
    this.emit(first)
    if (others === "together") for (const one of later) this.emit(one)
    else this.#answers.late = { events: later, answers: others === "late" ? 0 : 1 }
  }

  #leave() {
    this.#running = undefined
    this.#stopped = false
    this.#handles.clear()
  }

  #stale(request: DebuggerRequest) {
    this.staleUses++
    return Effect.fail(refused(request, "no such handle"))
  }
}

const refused = (command: string, detail: string, reason?: Errors.AdapterReason) =>
  new Errors.AdapterError({ command, detail, ...(reason === undefined ? {} : { reason }) })
