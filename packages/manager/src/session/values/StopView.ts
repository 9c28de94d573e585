/**
 * Threads, stacks, variables and values at one stop.
 *
 * A view belongs to one stop and caches what it reads; an expression with side effects clears the cache. Each answer is checked
 * to be of this stop: another client may have resumed meanwhile, and debuggers reuse handles. Code of the program runs only for
 * callers who may (`RunsCode`), and secret values are masked (`Secrets.Reveal`).
 */
import { Errors, type Stop, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, Thread, Value } from "../../ports/Backend.ts"
import type { GlobalVariable, Format, RegisterGroup } from "../../ports/Inspection.ts"
import * as RunsCode from "../../ports/RunsCode.ts"
import type { Reference } from "./References.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import * as ShownValues from "./ShownValues.ts"
import { ReadValues } from "./ReadValues.ts"
import { type Located, type Page, type Source as StackSource, StopStacks, type ViewFailure } from "./StopStacks.ts"

export type { Located, Page, ViewFailure } from "./StopStacks.ts"

/** Dependencies of a view. */
export interface Source extends StackSource {
  readonly secrets: Secrets.Secrets
  /** Fails if the program has left this stop: it was resumed, or its session has ended. */
  readonly check: Effect.Effect<void, ViewFailure>
}

/** The view of one stop. */
export class StopView {
  readonly #source: Source
  #threads: ReadonlyArray<Thread> | undefined
  readonly #stacks: StopStacks
  readonly #locals = new Map<number, ReadonlyArray<Value>>()
  readonly #read = new ReadValues()
  #evaluations: ReadonlyArray<Stop.Evaluation> = []
  #commands: ReadonlyArray<Stop.CommandRun> = []

  constructor(source: Source) {
    this.#source = source
    this.#stacks = new StopStacks(source, (read) => this.#ofThisStop(read))
  }

  /** The number of the stop. */
  get stop(): number {
    return this.#source.stop
  }

  /** Values of the expressions of the breakpoints that were hit. */
  get evaluations(): ReadonlyArray<Stop.Evaluation> {
    return this.#evaluations
  }

  recordEvaluations(evaluations: ReadonlyArray<Stop.Evaluation>): void {
    this.#evaluations = evaluations
  }

  /** Output of the debugger commands of the breakpoints that were hit. */
  get commands(): ReadonlyArray<Stop.CommandRun> {
    return this.#commands
  }

  /** Records debugger commands that ran, and drops values that they may have changed. */
  recordCommands(commands: ReadonlyArray<Stop.CommandRun>): void {
    this.#commands = commands
    if (commands.length > 0) this.forget()
  }

  /** Fails unless the program is still at this stop. */
  get check(): Effect.Effect<void, ViewFailure> {
    return this.#source.check
  }

  #ofThisStop<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | ViewFailure> {
    return Effect.tap(RunsCode.forCaller(effect), this.check)
  }

  /** All threads (DAP `threads`). */
  readonly threads: Effect.Effect<ReadonlyArray<Thread>, ViewFailure> = Effect.suspend(() => {
    if (this.#threads !== undefined) return Effect.succeed(this.#threads)
    return this.#ofThisStop(this.#source.connection.threads).pipe(
      Effect.map((threads) => (this.#threads = this.#source.references.threads.numbered(threads)))
    )
  })

  /** Returns the id of the requested thread, else of the one that stopped, else of the first. */
  threadFor(
    asked: number | undefined,
    stopped: number | undefined
  ): Effect.Effect<number, ViewFailure | Errors.ThreadNotFound> {
    if (asked !== undefined) return Effect.map(this.thread(asked), ({ id }) => id)
    return stopped === undefined ? Effect.map(this.threads, ([first]) => first?.id ?? 0) : Effect.succeed(stopped)
  }

  /** Returns the thread with an id or a short number. */
  thread(named: number): Effect.Effect<Thread, ViewFailure | Errors.ThreadNotFound> {
    return Effect.flatMap(this.threads, (threads) => {
      const id = this.#source.references.threads.idOf(named)
      const thread = threads.find((candidate) => candidate.id === id)
      return thread === undefined
        ? Effect.fail(new Errors.ThreadNotFound({ id: named, known: threads.map((known) => known.number ?? known.id) }))
        : Effect.succeed(thread)
    })
  }

  /** Returns `count` frames of a thread from `start` on, by pages that are kept. */
  stack(thread: number, start: number, count: number): Effect.Effect<Page, ViewFailure> {
    return this.#stacks.page(thread, start, count)
  }

  /** Reads the innermost `count` frames of all threads in one request, if supported, for later calls of `stack`. */
  prefetchStacks(count: number): Effect.Effect<void, ViewFailure> {
    return this.#stacks.prefetch(count)
  }

  /** Returns a text that identifies the activation of the function of a frame, as far as its stack was read. */
  activation(thread: number, located: Located): string {
    return this.#stacks.activation(thread, located)
  }

  /** Returns one frame of a thread. */
  frame(thread: number, index: number): Effect.Effect<Located, ViewFailure | Errors.FrameNotFound> {
    return this.#stacks.frame(thread, index)
  }

  /** Returns arguments and locals of a frame (DAP `scopes`, `variables`). A backend may be able to read none in an unlisted frame. */
  locals(frame: Located): Effect.Effect<ReadonlyArray<Variable.Variable>, ViewFailure> {
    const cached = this.#locals.get(frame.handle)
    const read = this.#ofThisStop(this.#source.connection.locals(frame.handle)).pipe(
      Effect.map(ShownValues.withoutTags),
      Effect.tap((found) => Effect.sync(() => this.#locals.set(frame.handle, found)))
    )
    return Effect.flatMap(cached === undefined ? read : Effect.succeed(cached), (all) =>
      this.#shown(all, placeOf(frame), frame.frame.ref, false, (masked) =>
        this.#source.readings()?.recordLocals(frame.frame.ref, masked)
      )
    )
  }

  /** Returns the identities of the variables of a frame whose locals were read. Debuggers other than LLDB have none. */
  declarations(frame: Located): ReadonlyMap<string, string> {
    const all = this.#locals.get(frame.handle) ?? []
    return new Map(all.flatMap(({ declaration, name }) => (declaration === undefined ? [] : [[name, declaration]])))
  }

  /** Returns global variables that are visible in a frame (DAP `scopes`). An unlisted frame has none: lldb-dap shows those of another. */
  globals(frame: Located): Effect.Effect<ReadonlyArray<Variable.Variable>, ViewFailure> {
    if (frame.frame.unlisted === true) return Effect.succeed([])
    return this.#ofThisStop(this.#source.connection.inspection.globals(frame.handle)).pipe(
      Effect.map(ShownValues.withoutTags),
      Effect.flatMap((all) =>
        this.#shown(all, placeOf(frame), `${frame.frame.ref} global`, false, (masked) =>
          this.#source.readings()?.recordGlobals(frame.frame.ref, masked)
        )
      )
    )
  }

  /** Returns the registers of a frame by group, the general ones first. */
  registers(frame: Located): Effect.Effect<ReadonlyArray<RegisterGroup>, ViewFailure> {
    if (frame.frame.unlisted === true) return Effect.succeed([])
    return this.#ofThisStop(this.#source.connection.inspection.registers(frame.handle)).pipe(
      Effect.tap((groups) => Effect.sync(() => this.#source.readings()?.recordRegisters(frame.frame.ref, groups)))
    )
  }

  /** Records the value of an expression that a caller evaluated. A value that shows secrets is masked, without its members. */
  recordPrinted(frame: Located, expression: string, value: Variable.Variable): Effect.Effect<void> {
    return Effect.map(Secrets.Reveal, (reveal) => {
      const { children: _, ...alone } = value
      const masked = reveal ? this.#source.secrets.shown({ ...alone, expression }, false) : value
      this.#source.readings()?.recordPrinted(frame.frame.ref, expression, masked)
    })
  }

  /**
   * Returns global and static variables of all files of the program, or of one file. They have no references. Two
   * variables of the same name differ by their address.
   */
  otherGlobals(file: string | undefined): Effect.Effect<ReadonlyArray<GlobalVariable>, ViewFailure> {
    const { secrets } = this.#source
    const read = this.#ofThisStop(this.#source.connection.inspection.otherGlobals(file))
    return Effect.map(Effect.all([read, Secrets.Reveal]), ([all, reveal]) =>
      ShownValues.withoutTags(all).map((one) => (reveal ? one : { ...one, value: secrets.shown(one, false).value }))
    )
  }

  /** How often clients may have written to the program at this stop. */
  writes = 0

  /** Clears cached values, after a write. */
  forget(): void {
    this.writes++
    this.#locals.clear()
    this.#read.clear()
  }

  /** The connection of the stop, which says which expressions it reads without running code of the program. */
  get connection(): Connection {
    return this.#source.connection
  }

  /** Evaluates an expression in a frame. `any` may change the program. */
  evaluate(
    expression: string,
    frame: Located,
    how: "read" | "any",
    within?: number
  ): Effect.Effect<Variable.Variable, ViewFailure> {
    const evaluated = this.#ofThisStop(this.#source.connection.evaluate(expression, frame.handle, how, within))
    const value =
      how === "read"
        ? this.#read.expression(frame.handle, expression, evaluated)
        : // An expression that failed may have changed the program, too.
          Effect.ensuring(
            evaluated,
            Effect.sync(() => this.forget())
          )
    return value.pipe(
      Effect.flatMap((value) =>
        this.#named({ ...value, name: expression, expression }, placeOf(frame), `${frame.frame.ref} ${expression}`)
      ),
      Effect.catchTag("AdapterError", (error) => this.#problem(expression, error))
    )
  }

  /** Fails with the debugger's error, without secret values. */
  #problem(expression: string, error: Errors.AdapterError): Effect.Effect<never, Errors.AdapterError> {
    return Effect.flatMap(Secrets.Reveal, (reveal) => {
      const detail = reveal ? error.detail : this.#source.secrets.inProblem(expression, error.detail)
      return Effect.fail(detail === error.detail ? error : new Errors.AdapterError({ command: error.command, detail }))
    })
  }

  /** Returns the value of an expression in another format. The expression must not change the program. */
  formatted(
    expression: string,
    frame: Located,
    format: Format
  ): Effect.Effect<{ readonly type?: string; readonly value: string }, ViewFailure> {
    return this.#ofThisStop(this.#source.connection.inspection.formatted(expression, frame.handle, format)).pipe(
      Effect.flatMap((found) =>
        Effect.map(Secrets.Reveal, (reveal) =>
          reveal ? found : { ...found, value: this.#source.secrets.shown({ name: expression, ...found }, false).value }
        )
      ),
      Effect.catchTag("AdapterError", (error) => this.#problem(expression, error))
    )
  }

  /** Masks a value as that of `name`. */
  masked<A extends { readonly value: string }>(name: string, value: A): Effect.Effect<A> {
    return Effect.map(Secrets.Reveal, (reveal) =>
      reveal ? value : { ...value, value: this.#source.secrets.shown({ name, value: value.value }, false).value }
    )
  }

  /** Returns a page of the children of a referenced value (DAP `variables`). */
  children(
    parent: Reference,
    start: number,
    count: number
  ): Effect.Effect<ReadonlyArray<Variable.Variable>, ViewFailure> {
    const read = this.#ofThisStop(this.#source.connection.children(parent.handle, start, count))
    return this.#read.page(parent.handle, start, count, read).pipe(
      Effect.flatMap((values) =>
        this.#shown(values, ShownValues.inside(parent), parent.ref, parent.secret === true, (masked) => {
          const expressions = values.map(({ expression }) => expression)
          this.#source.readings()?.recordChildren(parent.within, parent.ref, start, masked, expressions)
        })
      )
    )
  }

  /** Returns the values of one list with references, and records them with secrets masked. */
  #shown(
    values: ReadonlyArray<Value>,
    place: ShownValues.Place,
    where: string,
    secret: boolean,
    record: (masked: ReadonlyArray<Variable.Variable>) => void
  ): Effect.Effect<ReadonlyArray<Variable.Variable>> {
    return Effect.map(Secrets.Reveal, (reveal) => {
      const shown = ShownValues.list(this.#source, values, place, where, { secret, reveal })
      record(reveal ? ShownValues.list(this.#source, values, place, where, { secret, reveal: false }) : shown)
      return shown
    })
  }

  #named(value: Value, place: ShownValues.Place, key: string): Effect.Effect<Variable.Variable> {
    return Effect.map(Secrets.Reveal, (reveal) =>
      ShownValues.one(this.#source, value, place, key, { secret: false, reveal })
    )
  }
}

const placeOf = ({ frame }: Located): ShownValues.Place => ({ frame: frame.index, within: frame.ref })
