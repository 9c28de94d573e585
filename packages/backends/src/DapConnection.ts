/**
 * A configured debug adapter as the manager sees it: our requests in the protocol's words, its answers as data.
 *
 * What DAP cannot say or an adapter does not have is asked on the command line of the debugger inside it, LLDB or GDB:
 * the places of a breakpoint with their functions, and why one found none.
 */
import { Errors as DapErrors, Requests, type Client, type Models } from "@sigtrap/dap"
import { Command, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, type Variable } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Beyond } from "./Beyond.ts"
import { BreakpointIds } from "./BreakpointIds.ts"
import * as DapBreakpoints from "./DapBreakpoints.ts"
import * as Departures from "./Departures.ts"
import * as DapEvents from "./DapEvents.ts"
import * as DapExceptions from "./DapExceptions.ts"
import { translate } from "./DapFailures.ts"
import * as DapInspection from "./DapInspection.ts"
import * as GdbBreakpoints from "./GdbBreakpoints.ts"
import * as GdbConsole from "./GdbConsole.ts"
import * as GdbInspection from "./GdbInspection.ts"
import * as Instructions from "./Instructions.ts"
import * as LldbBreakpoints from "./LldbBreakpoints.ts"
import * as LldbStacks from "./LldbStacks.ts"
import type { Quirks } from "./Quirks.ts"

/** What a connection is made from. */
export interface Options {
  readonly client: Client.Client
  /** The adapter's name for messages. */
  readonly name: string
  readonly quirks: Quirks
  readonly major: number
  readonly ids: BreakpointIds
  readonly events: DapEvents.Context
  /** The full path of a source file, for adapters that match no endings of paths. */
  readonly sourceOf?: (file: string) => string
  /** The adapter's last words. */
  readonly log: () => string | undefined
}

/** The requests of a connection, without its beginning and end. */
export type Conversation = Omit<Backend.Connection, "adapter" | "features" | "run" | "end">

/** How long LLDB may take to say that a command of its own has set the program going. */
const resumesWithin = "500 millis"

const optimizedAway = /<variable not available>|DW_OP_|optimized out/

const attributes = (value: string): { readonly attributes?: NonNullable<Variable.Variable["attributes"]> } =>
  optimizedAway.test(value) ? { attributes: ["optimized-out"] } : {}

const valueOf = (variable: Models.Variable): Backend.Value => {
  const count = (variable.indexedVariables ?? 0) + (variable.namedVariables ?? 0)
  return {
    name: variable.name,
    // Up to LLDB 16 a value that has only a summary begins with a blank.
    value: variable.value.replace(/^ /, ""),
    handle: variable.variablesReference,
    ...(variable.type === undefined ? {} : { type: variable.type }),
    ...(variable.evaluateName === undefined ? {} : { expression: variable.evaluateName }),
    ...(count === 0 ? {} : { child_count: count }),
    ...attributes(variable.value)
  }
}

const frameOf = (frame: Models.StackFrame, isLldb: boolean): Backend.StackFrame => {
  // LLDB's sources with a reference are disassemblies that it made up, not files.
  const file = isLldb && frame.source?.sourceReference ? undefined : frame.source?.path
  const placed = file !== undefined && frame.line > 0
  return {
    handle: frame.id,
    function: frame.name,
    ...(placed ? { file, line: frame.line } : {}),
    ...(placed && frame.column > 0 ? { column: frame.column } : {}),
    ...(frame.instructionPointerReference === undefined
      ? {}
      : { address: frame.instructionPointerReference.toLowerCase() })
  }
}

const threadOf = (thread: Models.Thread, quirks: Quirks) => {
  // lldb-vscode 13 to 16 put a number before the name.
  const name = thread.name.replace(/^Thread #\d+ ?/, "")
  const isLldb = quirks.family === "lldb" || quirks.family === "codelldb"
  return { id: thread.id, ...(isLldb ? { os_id: thread.id } : {}), ...(name === "" ? {} : { name }) }
}

/** The requests of a configured adapter. */
export const make = (options: Options): Conversation => {
  const { client, events, ids, major, quirks } = options
  const failed = translate(options.name, options.log)

  const isLldb = quirks.family === "lldb"

  /** The stacks that were asked for since the program was last set going. */
  let stacked: ReadonlyArray<Requests.StackTraceArguments> = []

  const askStack = (asked: Requests.StackTraceArguments) => {
    if (quirks.tellsOfCalls !== undefined) stacked = [...stacked, asked]
    return client.request(Requests.StackTrace, asked)
  }

  /** Some forget their frames when a function is called; asked in the same order they get the same handles again. */
  const calling = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.ensuring(
      DapEvents.calling(events, effect),
      Effect.suspend(() => {
        if (events.called !== true) return Effect.void
        events.called = false
        return Effect.ignore(Effect.forEach(stacked, (asked) => client.request(Requests.StackTrace, asked)))
      })
    )

  /** A line for the adapter's own console. */
  const console = (line: string, frame?: number) =>
    calling(
      client.request(Requests.Evaluate, {
        expression: isLldb ? `\`${line}` : line,
        context: "repl",
        ...(frame === undefined ? {} : { frameId: frame })
      })
    ).pipe(
      Effect.mapError(failed),
      Effect.map(({ result }) => (quirks.echoesCommands ? result.replace(/^\(lldb\) .*\n?/, "") : result))
    )

  /** The text of an LLDB command, where there is an LLDB that takes one. */
  const commandText = (line: string, frame?: number): Effect.Effect<string, Backend.Failure> =>
    isLldb
      ? console(line, frame)
      : Effect.fail(
          new Errors.Unsupported({ what: `the LLDB command ${line}`, by: options.name, remedy: "sigtrap status" })
        )

  const gdb = quirks.family === "gdb" ? GdbConsole.make({ client, calling, failed }) : undefined
  const watchIds = new BreakpointIds()
  events.watchIds = watchIds
  const lldb = isLldb ? LldbBreakpoints.make({ command: commandText, ids, watchIds, major }) : undefined
  const beyond: Beyond | undefined = lldb ?? (gdb === undefined ? undefined : GdbBreakpoints.make(gdb, ids))
  const exceptions = DapExceptions.make({ client, events, ids, failed, ...(gdb === undefined ? {} : { gdb }) })
  const breakpoints = DapBreakpoints.make({
    client,
    events,
    exceptions,
    failed,
    ids,
    name: options.name,
    quirks,
    ...(beyond === undefined ? {} : { beyond }),
    ...(options.sourceOf === undefined ? {} : { sourceOf: options.sourceOf }),
    whyNoLine: (file, line) =>
      isLldb
        ? LldbBreakpoints.whyNoLine({ command: commandText, major }, file, line)
        : beyond === undefined
          ? Effect.succeed(`the debugger binds nothing at line ${line}`)
          : Effect.map(
              Effect.orElseSucceed(beyond.lines(file), () => []),
              (found) =>
                found.length > 0 ? `no code at line ${line} or after it` : "no debug information names such a file"
            )
  })

  /** Handles of pointers, of adapters that show what is pointed at as their only child. */
  const pointers = new Set<number>()

  const noted = (variable: Models.Variable): Backend.Value => {
    const points = quirks.pointedAt !== undefined && /[*&](?: ?const)?$/.test(variable.type ?? "")
    if (points) pointers.add(variable.variablesReference)
    return valueOf(variable)
  }

  const evaluated = (body: typeof Requests.Evaluate.body.Type, expression: string): Backend.Value => {
    const { result: text, ...rest } = body
    const type = `(${rest.type ?? ""}) `
    const declared = quirks.hoverDeclares === true && text.startsWith(type)
    const result = declared ? text.slice(type.length).replace(/^[^=]* = /, "") : text
    return { ...noted({ name: expression, value: result, evaluateName: expression, ...withReference(rest) }) }
  }

  const evaluate = (expression: string, frame: number, context: "hover" | "watch") =>
    (quirks.neverReturns?.test(expression) === true
      ? Effect.fail(
          new DapErrors.RequestFailed({
            command: "evaluate",
            text: `${options.name} does not come back from such a call`
          })
        )
      : calling(client.request(Requests.Evaluate, { expression, context, frameId: frame }))
    ).pipe(
      Effect.mapError(failed),
      Effect.mapError((error) =>
        error._tag === "AdapterError"
          ? new Errors.AdapterError({ command: error.command, detail: Parse.expressionProblem(error.detail) })
          : error
      ),
      Effect.map((body) => evaluated(body, expression))
    )

  const variables = (reference: number, page?: { readonly start: number; readonly count: number }) =>
    client.request(Requests.Variables, { variablesReference: reference, ...page }).pipe(
      Effect.mapError(failed),
      Effect.map((body) => body.variables.map(noted))
    )

  /** Variables asked for singly, without those that cannot be told. */
  const oneByOne = (reference: number, count: number) =>
    Effect.map(
      Effect.forEach(Array.from({ length: count }), (_, start) =>
        variables(reference, { start, count: 1 }).pipe(Effect.catchTag("AdapterError", () => Effect.succeed([])))
      ),
      (lists) => lists.flat()
    )

  /** A page of what is in a value, of adapters too that cannot count to the end of a short list. */
  const paged = (value: number, start: number, count: number) => {
    const page = variables(value, { start, count })
    return quirks.failsForOne === true
      ? page.pipe(
          Effect.catchTag("AdapterError", () => Effect.map(variables(value), (all) => all.slice(start, start + count)))
        )
      : page
  }

  /** What is in a value; in a pointer what is in that which it points to. */
  const children: Conversation["children"] = Effect.fnUntraced(function* (value, start, count) {
    if (!pointers.has(value)) return yield* paged(value, start, count)
    const found = yield* variables(value)
    const [only] = found
    return only !== undefined && only.name === quirks.pointedAt && only.handle !== 0 && found.length === 1
      ? yield* paged(only.handle, start, count)
      : found.slice(start, start + count)
  })

  let fresh = quirks.staleThreads !== true
  const askThreads = client.request(Requests.Threads)

  const threads = Effect.suspend(() => {
    if (fresh || events.stops === 0) return askThreads
    fresh = true
    return Effect.andThen(askThreads, askThreads)
  }).pipe(
    Effect.mapError(failed),
    Effect.map((body) => body.threads.map((thread) => threadOf(thread, quirks)))
  )

  /** Sources that only the adapter has, by the handles of the frames that stand in them. */
  const sources = new Map<number, Models.Source>()
  const departures = Departures.make({ client, commandText, console, failed, isLldb, quirks, name: options.name })
  const answers = gdb === undefined ? undefined : GdbInspection.make(gdb)
  const instructions = Instructions.make({
    client,
    commandText,
    failed,
    valueOf,
    ...(isLldb ? {} : { at: answers?.instruction ?? (() => Effect.succeed(undefined)) })
  })
  const stacks =
    isLldb && quirks.exactTotals ? LldbStacks.make((commands) => inspecting.formatted(commands)) : undefined
  const inspecting = DapInspection.make({
    client,
    name: options.name,
    isLldb,
    major,
    dumps: quirks.dumpsSafely === true,
    leavesOutScopes: quirks.leavesOutScopes === true,
    commandText,
    failed,
    valueOf: noted,
    ...(answers === undefined ? {} : { answers }),
    sourceOf: (frame) => sources.get(frame)
  })

  return {
    setBreakpoints: breakpoints.set,
    threads,
    lines: (file) => beyond?.lines(file) ?? Effect.succeed([]),
    filters: exceptions.filters,
    exception: exceptions.found,

    goOn: (thread) =>
      client.request(Requests.Continue, { threadId: thread }).pipe(Effect.mapError(failed), Effect.asVoid),

    resume: (how, thread, manner = {}) =>
      Effect.suspend(() => {
        const abandoned = quirks.stepsGoOn === true && events.stepCutShort
        events.lastResume = how
        stacked = []
        sources.clear()
        pointers.clear()
        events.stepCutShort = false
        events.pausing = false
        if (how === "stepi" || how === "nexti") return instructions.step(how, thread)
        const abandon = abandoned ? Effect.ignore(commandText("thread plan discard 1")) : Effect.void
        return Effect.andThen(abandon, departures.depart(how, thread, manner))
      }),

    pause: Effect.suspend(() => {
      events.pausing = true
      return client.request(Requests.Pause, { threadId: 0 }).pipe(Effect.mapError(failed), Effect.asVoid)
    }),

    stack: Effect.fnUntraced(function* (thread, start, count) {
      const quick = stacks === undefined ? undefined : yield* stacks(thread, start, count)
      if (quick !== undefined) return quick
      return yield* askStack({ threadId: thread, startFrame: start, levels: count }).pipe(
        Effect.mapError(failed),
        // Where nothing has begun there is no stack.
        Effect.catchIf(
          (error) => error._tag === "AdapterError" && quirks.nothingBegun?.test(error.detail) === true,
          () => Effect.succeed({ stackFrames: [], totalFrames: 0 })
        ),
        Effect.map((body): Backend.Stack => {
          const frames = body.stackFrames.map((frame) => frameOf(frame, isLldb))
          for (const { id, source } of body.stackFrames) if (source?.sourceReference) sources.set(id, source)
          // A total that is not beyond what was asked for is the true one; a larger one may be an estimate.
          const end = start + frames.length
          const known = frames.length < count ? end : quirks.exactTotals ? body.totalFrames : undefined
          return known === undefined ? { frames } : { frames, total: known }
        })
      )
    }),

    locals: Effect.fnUntraced(function* (frame) {
      const { scopes } = yield* client.request(Requests.Scopes, { frameId: frame }).pipe(Effect.mapError(failed))
      const hinted = scopes.filter(
        (scope) => scope.presentationHint === "locals" || scope.presentationHint === "arguments"
      )
      const chosen = hinted.length > 0 ? hinted : scopes.filter((scope) => /^(?:arguments|locals?)\b/i.test(scope.name))
      const lists = yield* Effect.forEach(chosen, (scope) =>
        scope.variablesReference === 0
          ? Effect.succeed([])
          : variables(scope.variablesReference).pipe(
              Effect.catchIf(
                (error) => error._tag === "AdapterError" && quirks.failsForOne === true,
                () => oneByOne(scope.variablesReference, scope.namedVariables ?? 0)
              )
            )
      )
      return lists.flat()
    }),

    children,

    evaluate: (expression, frame, how) =>
      how === "any"
        ? evaluate(expression, frame, "watch")
        : // The hover context cannot change anything, but knows only paths; the caller has made sure of the rest.
          evaluate(expression, frame, "hover").pipe(
            Effect.catchTag("AdapterError", () => evaluate(expression, frame, "watch"))
          ),

    inspection: inspecting.inspection,
    instruction: instructions.at,
    returned: instructions.returned,

    command: Effect.fnUntraced(function* (line, frame) {
      if (isLldb ? Command.interactive(line) : quirks.waitsForPerson?.test(line) === true) {
        return yield* new Errors.Unsupported({
          what: `the command ${line.trim() === "" ? "''" : line.trim()}, which would wait for a terminal or end the debugger,`,
          by: options.name,
          remedy: "sigtrap raw 'help'"
        })
      }
      const moved = yield* Deferred.make<void>()
      events.moved = moved
      const text = yield* console(line, frame)
      // A command that moves the program answers at once; the event that says so comes a moment later.
      if (Command.resumes(line)) yield* Effect.timeoutOption(Deferred.await(moved), resumesWithin)
      else yield* Effect.ignore(threads)
      events.moved = undefined
      const problem = Parse.failure(text)
      if (problem === undefined) return text
      return yield* new Errors.AdapterError({ command: line, detail: problem.trim() })
    })
  }
}

/** The fields of an evaluate response that a variable has as well. */
const withReference = (rest: Omit<typeof Requests.Evaluate.body.Type, "result">) => ({
  variablesReference: rest.variablesReference ?? 0,
  ...(rest.type === undefined ? {} : { type: rest.type }),
  ...(rest.namedVariables === undefined ? {} : { namedVariables: rest.namedVariables }),
  ...(rest.indexedVariables === undefined ? {} : { indexedVariables: rest.indexedVariables })
})
