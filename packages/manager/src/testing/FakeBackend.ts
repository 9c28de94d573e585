/**
 * A debugger without a debugger: a `Backend` over a `SimulatedProgram`, which does what it is told to and goes wrong
 * where it is told to.
 *
 * `Conduct` chooses among the legal orders of events, `fault` breaks single requests, and each `Debuggee` writes down
 * what it was asked and lets a test say what happens at the moment it chooses. Nothing waits for time. Handles of an
 * earlier stop are refused and counted, so that using one never goes unnoticed. Fibers: (1) what follows the answer to
 * a resume, ended by itself or with the scope of the launch.
 */
import { Errors, type Event } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import {
  Backend,
  type Connection,
  type Failure,
  type Group,
  type Launch,
  type LaunchFailure,
  type Listener,
  type Resume,
  type Value,
  type Wanted
} from "../Backend.ts"
import * as SimulatedProgram from "./SimulatedProgram.ts"

/** Requests that begin a session. */
export type Beginning = "launch" | "run"

/** Requests to a debugger that is there. */
export type Question =
  | "setBreakpoints"
  | "resume"
  | "pause"
  | "threads"
  | "stack"
  | "locals"
  | "children"
  | "evaluate"
  | "command"

/** What goes wrong with one request. */
export type Fault<E> =
  /** Not carried out; answered with the error. */
  | { readonly kind: "refuse"; readonly error: E }
  /** Answered without being carried out. */
  | { readonly kind: "ignore" }
  /** The adapter dies instead of answering. */
  | { readonly kind: "lose" }
  /** Carried out, answered only after `until`; `Effect.never` is no answer at all. */
  | { readonly kind: "hold"; readonly until: Effect.Effect<void> }
  /** Answered with the error although it was carried out. */
  | { readonly kind: "deny"; readonly error: E }

/** Which of the legal ways an adapter takes. */
export interface Conduct {
  /** When the next stop or end is told: around the answer to the resume, or when `Debuggee.go` is called. */
  readonly pace: "before the answer" | "after the answer" | "when told"
  readonly continued: "before the answer" | "after the answer" | "never"
  /** Where the event of the thread to show comes among those of one stop. */
  readonly focus: "first" | "last"
  /** Whether the other events of a stop come with the first, or only before the next answer. */
  readonly others: "together" | "late"
  /** Whether stacks say how deep they are. */
  readonly totals: boolean
  /** How often every answer lets other fibers go first. */
  readonly turns: number
}

/** One request as it arrived. */
export interface Asked {
  readonly request: Beginning | Question | "end"
  readonly detail?: unknown
}

/** A fake: its layer, its debuggees in the order of their launches, and what is to go wrong. */
export interface Fake {
  readonly layer: Layer.Layer<Backend>
  readonly debuggees: ReadonlyArray<Debuggee>
  /** The debuggee of the newest launch. */
  readonly newest: Effect.Effect<Debuggee>
  /** May be changed at any time. */
  conduct: Conduct
  /** What the next launch runs. */
  program: SimulatedProgram.Program
  /** Breaks the next so many requests of a kind; several faults of one kind are used up in order. */
  readonly fault: {
    (request: Beginning, fault: Fault<LaunchFailure>, times?: number): void
    (request: Question, fault: Fault<Failure>, times?: number): void
  }
}

/** The plainest conduct: the answer, then the stop, one event each. */
export const plain: Conduct = {
  pace: "after the answer",
  continued: "never",
  focus: "first",
  others: "together",
  totals: true,
  turns: 1
}

interface Planned<E> {
  readonly request: Asked["request"]
  readonly fault: Fault<E>
}

/** Faults that have not happened yet. */
class Plan<E> {
  readonly #planned: Array<Planned<E>> = []

  add(request: Asked["request"], fault: Fault<E>, times: number): void {
    for (let time = 0; time < times; time++) this.#planned.push({ request, fault })
  }

  take(request: Asked["request"]): Fault<E> | undefined {
    const index = this.#planned.findIndex((planned) => planned.request === request)
    return index < 0 ? undefined : this.#planned.splice(index, 1)[0]?.fault
  }
}

interface Shared {
  readonly conduct: () => Conduct
  readonly beginnings: Plan<LaunchFailure>
  readonly questions: Plan<Failure>
}

type Handle =
  | { readonly kind: "frame"; readonly place: SimulatedProgram.Place }
  | { readonly kind: "value"; readonly content: SimulatedProgram.Content; readonly expression: string | undefined }

/** A launched program with its debugger. */
export class Debuggee {
  readonly launch: Launch
  readonly program: SimulatedProgram.Program
  /** Every request, in order of arrival. */
  readonly asked: Array<Asked> = []
  /** The breakpoints of each group as last told; the group is a path, or `""` for functions. */
  readonly told = new Map<string, ReadonlyArray<Wanted>>()
  /** How it was ended, by requests. */
  readonly ends: Array<"kill" | "detach"> = []
  /** Whether its scope was closed. */
  closed = false
  /** How often a handle of an earlier stop was used. */
  strays = 0
  readonly pid: number
  readonly #listener: Listener
  readonly #shared: Shared
  readonly #scope: Scope.Scope
  readonly #dead = Deferred.makeUnsafe<never, Errors.AdapterCrashed>()
  readonly #handles = new Map<number, Handle>()
  readonly #assigned = new Map<string, string>()
  #handle = 1000
  #at = -1
  #running: Resume | undefined
  #stopped = false
  #loaded = false
  #late: Array<Event.Event> = []

  constructor(
    launch: Launch,
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
  }

  /** How often something was asked. */
  count(request: Asked["request"]): number {
    return this.asked.filter((asked) => asked.request === request).length
  }

  /** Tells the session of any event, sensible or not. */
  emit(event: Event.Event): void {
    this.#listener.emit(event)
  }

  /** The program writes something. */
  write(text: string, channel: "stdout" | "stderr" | "console" = "stdout"): void {
    this.emit({ _tag: "Output", channel, text })
  }

  /** The running program comes to its next stop or end. */
  go(): void {
    const how = this.#running
    if (how === undefined) return
    const arrival = SimulatedProgram.advance(this.program, this.#at, how, (moment) => this.#hits(moment))
    if (arrival.output !== "") this.write(arrival.output)
    if (arrival.kind === "end") return this.exit(this.program.end)
    this.#at = arrival.at
    if (arrival.kind === "stop") this.#stop(arrival.reason, arrival.breakpoints)
  }

  /** The program ends. */
  exit(end: SimulatedProgram.Program["end"]): void {
    this.#leave()
    this.emit({ _tag: "Exited", ...end })
  }

  /** The adapter dies, and every pending request with it. */
  lose(reason: string): void {
    this.#leave()
    this.emit({ _tag: "Lost", reason })
    this.#die(reason)
  }

  /** The library is loaded; breakpoints in it find their places. */
  load(): void {
    this.#loaded = true
    for (const [path, list] of this.told) {
      const group = groupOf(path)
      for (const wanted of list) {
        const placement = SimulatedProgram.bind(this.program, true, group, wanted)
        if (placement.resolved) this.#listener.placed(placement)
      }
    }
  }

  /** The connection that the session gets. */
  readonly connection: Effect.Effect<Connection, LaunchFailure> = Effect.suspend(() =>
    this.#answer("launch", { program: this.launch.program }, this.#shared.beginnings, () => {
      this.emit({ _tag: "Process", pid: this.pid, name: this.launch.program })
      return Effect.succeed(this.#connection)
    })
  )

  /** Closing the scope of the launch. */
  readonly close = Effect.sync(() => {
    this.closed = true
    this.#leave()
    this.#die("it was ended")
  })

  readonly #ask = <A>(request: Question, detail: unknown, carryOut: () => Effect.Effect<A, Failure>) =>
    this.#answer(request, detail, this.#shared.questions, carryOut)

  readonly #connection: Connection = {
    adapter: { name: "fake", version: "1.0", backend: "dap" },
    adapterPid: 1,
    setBreakpoints: (group, wanted) =>
      this.#ask("setBreakpoints", { group, wanted }, () => {
        this.told.set(group.kind === "source" ? group.path : "", wanted)
        return Effect.succeed(wanted.map((one) => SimulatedProgram.bind(this.program, this.#loaded, group, one)))
      }),
    run: Effect.suspend(() => this.#answer("run", undefined, this.#shared.beginnings, () => this.#resume("continue"))),
    resume: (how, thread) =>
      this.#ask("resume", { how, thread }, () =>
        this.#stopped ? this.#resume(how) : Effect.fail(refused("resume", "notStopped"))
      ),
    pause: Effect.suspend(() =>
      this.#ask("pause", undefined, () => {
        if (this.#running !== undefined) this.#stop("pause", [])
        return Effect.void
      })
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
          ...(place.line === undefined ? {} : { file: this.program.source.file, line: place.line }),
          handle: this.#keep({ kind: "frame", place })
        }))
        return Effect.succeed({ frames, ...(this.#shared.conduct().totals ? { total: all.length } : {}) })
      }),
    locals: (frame) =>
      this.#ask("locals", { frame }, () => {
        const handle = this.#handles.get(frame)
        if (handle?.kind !== "frame") return this.#stray("locals")
        return Effect.succeed(
          Object.entries(handle.place.variables ?? {}).map(([name, content]) => this.#value(name, content, name))
        )
      }),
    children: (value, start, count) =>
      this.#ask("children", { value, start, count }, () => {
        const handle = this.#handles.get(value)
        if (handle?.kind !== "value") return this.#stray("children")
        const { content, expression } = handle
        const parts = typeof content === "string" ? [] : Object.entries(content.parts)
        return Effect.succeed(
          parts
            .slice(start, start + count)
            .map(([name, part]) => this.#value(name, part, below(expression, name, part)))
        )
      }),
    evaluate: (expression, frame, how) =>
      this.#ask("evaluate", { expression, frame, how }, () => {
        const handle = this.#handles.get(frame)
        if (handle?.kind !== "frame") return this.#stray("evaluate")
        const [, name, text] = /^(\w+) = (.+)$/.exec(expression) ?? []
        if (how === "any" && name !== undefined && text !== undefined) {
          this.#assigned.set(name, text)
          return Effect.succeed(this.#value(expression, text, undefined))
        }
        const content = this.program.expressions?.[expression] ?? lookUp(handle.place, expression)
        return content === undefined
          ? Effect.fail(refused("evaluate", `use of undeclared identifier '${expression}'`))
          : Effect.succeed(this.#value(expression, content, expression))
      }),
    command: (text) =>
      this.#ask("command", { text }, () => {
        if (text === "process continue" && this.#stopped) {
          this.emit({ _tag: "Continued" })
          return Effect.as(this.#resume("continue"), "resuming")
        }
        return Effect.succeed(`ran ${text}\n`)
      }),
    end: (how) =>
      Effect.sync(() => {
        this.asked.push({ request: "end", detail: how })
        this.ends.push(how)
        this.#leave()
      })
  }

  #answer<A, E>(
    request: Asked["request"],
    detail: unknown,
    plan: Plan<E>,
    carryOut: () => Effect.Effect<A, E>
  ): Effect.Effect<A, E | Errors.AdapterCrashed> {
    this.asked.push(detail === undefined ? { request } : { request, detail })
    const fault = plan.take(request)
    const turns = Effect.gen({ self: this }, function* () {
      for (let turn = this.#shared.conduct().turns; turn > 0; turn--) yield* Effect.yieldNow
      for (const event of this.#late.splice(0)) this.emit(event)
    })
    const work: Effect.Effect<A, E | Errors.AdapterCrashed> = Effect.suspend(() => {
      switch (fault?.kind) {
        case "lose":
          return Effect.andThen(turns, () => {
            this.lose(`it died at ${request}`)
            return Deferred.await(this.#dead)
          })
        case "refuse":
          return Effect.andThen(turns, Effect.fail(fault.error))
        case "deny":
          return carryOut().pipe(Effect.andThen(turns), Effect.andThen(Effect.fail(fault.error)))
        case "hold":
          return carryOut().pipe(Effect.tap(fault.until))
        case "ignore":
          return Effect.andThen(turns, this.#emptyAnswer(request, carryOut))
        case undefined:
          // A change of course is made at once, a reading when it is answered.
          return request === "resume" || request === "run"
            ? Effect.tap(carryOut(), turns)
            : Effect.andThen(turns, Effect.suspend(carryOut))
      }
    })
    return Effect.raceFirst(Deferred.await(this.#dead), work)
  }

  /** Requests without a result can be answered without being carried out. */
  #emptyAnswer<A, E>(request: Asked["request"], carryOut: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    const running = this.#running
    if (request !== "pause") return Effect.suspend(carryOut)
    this.#running = undefined
    return Effect.ensuring(
      Effect.suspend(carryOut),
      Effect.sync(() => (this.#running = running))
    )
  }

  #resume(how: Resume): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const { continued, pace } = this.#shared.conduct()
      this.#stopped = false
      this.#running = how
      this.#handles.clear()
      if (continued === "before the answer") this.emit({ _tag: "Continued" })
      if (pace === "before the answer") this.go()
      yield* Effect.yieldNow.pipe(
        Effect.andThen(
          Effect.sync(() => {
            if (this.#running !== how) return
            if (continued === "after the answer") this.emit({ _tag: "Continued" })
            if (pace === "after the answer") this.go()
          })
        ),
        Effect.forkIn(this.#scope)
      )
    })
  }

  #stop(reason: "breakpoint" | "step" | "finish" | "pause", breakpoints: ReadonlyArray<number>) {
    const { focus, others } = this.#shared.conduct()
    this.#running = undefined
    this.#stopped = true
    const event = (thread: number, focus: boolean): Event.Event => ({
      _tag: "Stopped",
      reason,
      raw_reason: reason,
      thread,
      breakpoints,
      focus
    })
    const shown = event(this.program.threads[0].id, true)
    const rest = (reason === "breakpoint" ? (this.program.moments[this.#at]?.others ?? []) : []).map((thread) =>
      event(thread, false)
    )
    const [first = shown, ...later] = focus === "first" ? [shown, ...rest] : [...rest, shown]
    this.emit(first)
    if (others === "late") this.#late = later
    else for (const one of later) this.emit(one)
  }

  #leave() {
    this.#running = undefined
    this.#stopped = false
    this.#handles.clear()
  }

  #die(detail: string) {
    Deferred.doneUnsafe(this.#dead, Exit.fail(new Errors.AdapterCrashed({ detail })))
  }

  #hits(moment: SimulatedProgram.Moment): ReadonlyArray<number> {
    const { line } = moment.stack[0]
    return [...this.told].flatMap(([path, list]) =>
      list
        .filter(
          (wanted) =>
            SimulatedProgram.bind(this.program, this.#loaded, groupOf(path), wanted).locations.some(
              (place) => place.file === this.program.source.file && place.line === line
            ) &&
            (wanted.condition === undefined || this.program.holds?.(wanted.condition, moment) !== false)
        )
        .map((wanted) => wanted.id)
    )
  }

  #keep(handle: Handle): number {
    this.#handles.set(++this.#handle, handle)
    return this.#handle
  }

  #stray(request: Question) {
    this.strays++
    return Effect.fail(refused(request, "no such handle"))
  }

  #value(name: string, content: SimulatedProgram.Content, expression: string | undefined): Value {
    const named = expression === undefined ? { name } : { name, expression }
    if (typeof content === "string") {
      return { ...named, value: this.#assigned.get(expression ?? "") ?? content, type: "int", handle: 0 }
    }
    return {
      ...named,
      value: content.value,
      ...(content.type === undefined ? {} : { type: content.type }),
      child_count: Object.keys(content.parts).length,
      handle: this.#keep({ kind: "value", content, expression })
    }
  }
}

const groupOf = (path: string): Group => (path === "" ? { kind: "function" } : { kind: "source", path })

const refused = (command: string, detail: string) => new Errors.AdapterError({ command, detail })

const below = (expression: string | undefined, name: string, part: SimulatedProgram.Content) =>
  expression === undefined || (typeof part !== "string" && part.unnamed === true) ? undefined : `${expression}.${name}`

const lookUp = (place: SimulatedProgram.Place, expression: string): SimulatedProgram.Content | undefined => {
  const [name = "", ...path] = expression.split(".")
  return path.reduce<SimulatedProgram.Content | undefined>(
    (content, part) => (content === undefined || typeof content === "string" ? undefined : content.parts[part]),
    place.variables?.[name]
  )
}

/** A fake that launches `program`, whatever it is asked to launch. */
export const make = (program: SimulatedProgram.Program = SimulatedProgram.sample, conduct: Conduct = plain): Fake => {
  const debuggees: Array<Debuggee> = []
  const beginnings = new Plan<LaunchFailure>()
  const questions = new Plan<Failure>()
  const fake: Fake = {
    debuggees,
    newest: Effect.suspend(() => {
      const newest = debuggees.at(-1)
      return newest === undefined ? Effect.die("nothing was launched") : Effect.succeed(newest)
    }),
    conduct,
    program,
    fault: (request: Beginning | Question, fault: Fault<Failure> | Fault<LaunchFailure>, times = 1) => {
      if (request === "launch" || request === "run") beginnings.add(request, fault, times)
      else questions.add(request, fault, times)
    },
    layer: Layer.succeed(Backend, {
      name: "dap",
      launch: Effect.fnUntraced(function* (launch: Launch, listener: Listener) {
        const scope = yield* Effect.scope
        const debuggee = new Debuggee(
          launch,
          fake.program,
          4000 + debuggees.length,
          listener,
          { conduct: () => fake.conduct, beginnings, questions },
          scope
        )
        debuggees.push(debuggee)
        yield* Effect.addFinalizer(() => debuggee.close)
        return yield* debuggee.connection
      })
    })
  }
  return fake
}
