/**
 * A configured debug adapter as the manager sees it: our requests in the protocol's words, its answers as data.
 *
 * What DAP cannot say or an adapter does not have is asked on the command line of the debugger inside it, LLDB or GDB:
 * the places of a breakpoint with their functions, and why one found none.
 */
import { Requests, type Client, type Models } from "@sigtrap/dap"
import { Command, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ConsoleBreakpoints } from "../console/ConsoleBreakpoints.ts"
import { BreakpointIds } from "../console/BreakpointIds.ts"
import * as DapBreakpoints from "./Breakpoints.ts"
import * as Resume from "./Resume.ts"
import * as DapEvaluation from "./Evaluation.ts"
import * as DapEvents from "./Events.ts"
import * as DapExceptions from "./Exceptions.ts"
import { translate } from "./Errors.ts"
import * as DapFrames from "./Frames.ts"
import * as DapInspection from "./Inspection.ts"
import * as DapValues from "./Values.ts"
import * as DapVariables from "./Variables.ts"
import * as GdbBreakpoints from "../console/gdb/Breakpoints.ts"
import * as GdbConsole from "../console/gdb/Console.ts"
import * as GdbInspection from "../console/gdb/Inspection.ts"
import type { StuckCall } from "../process/StuckCall.ts"
import * as Instructions from "./Instructions.ts"
import * as LldbBreakpoints from "../console/lldb/Breakpoints.ts"
import * as LldbStacks from "../console/lldb/Stacks.ts"
import type { Quirks } from "../adapters/Quirks.ts"

/** What a connection is made from. */
export interface Options {
  readonly client: Client.Client
  /** The adapter's name for messages. */
  readonly name: string
  readonly quirks: Quirks
  readonly major: number
  readonly ids: BreakpointIds
  readonly events: DapEvents.Context
  readonly hanging: StuckCall
  /** The full path of a source file, for adapters that match no endings of paths. */
  readonly sourceOf?: (file: string) => string
  /** Whether a thread runs although the program counts as stopped. */
  readonly runs?: (thread: number) => boolean
  /** The number of a file's last line; beyond all numbers when it is too large to be counted. */
  readonly lastLine?: (file: string) => Effect.Effect<number | "absent">
  /** The adapter's last words. */
  readonly log: () => string | undefined
}

/** The requests of a connection, without its beginning and end. */
export type Conversation = Omit<Backend.Connection, "adapter" | "features" | "run" | "end">

/** How long LLDB may take to say that a command of its own has set the program going. */
const resumesWithin = "500 millis"

/** How long a command of the user's may take of which nothing is said, and at most, in milliseconds. */
const usualCommand = 30_000
const longestCommand = 3_600_000

/** The requests of a configured adapter. */
export const make = (options: Options): Conversation => {
  const { client, events, hanging, ids, major, quirks } = options
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
  const console = (line: string, frame?: number, millis?: number) =>
    calling(
      client.request(
        Requests.Evaluate,
        {
          expression: isLldb ? `\`${line}` : line,
          context: "repl",
          ...(frame === undefined ? {} : { frameId: frame })
        },
        millis === undefined ? {} : { timeout: millis }
      )
    ).pipe(
      Effect.mapError(failed),
      Effect.map(({ result }) => (quirks.echoesCommands ? result.replace(/^\(lldb\) .*\n?/, "") : result))
    )

  /** The text of an LLDB command, where there is an LLDB that takes one. */
  const commandText = (line: string, frame?: number, millis?: number): Effect.Effect<string, Backend.Failure> =>
    isLldb
      ? console(line, frame, millis)
      : Effect.fail(
          new Errors.Unsupported({
            what: `the LLDB command ${line}`,
            by: options.name,
            remedies: [Hint.call("status", {})]
          })
        )

  const gdb = quirks.family === "gdb" ? GdbConsole.make({ client, calling, failed }) : undefined
  const watchIds = new BreakpointIds()
  events.watchIds = watchIds
  const lldb = isLldb ? LldbBreakpoints.make({ command: commandText, ids, watchIds, major }) : undefined
  const beyond: ConsoleBreakpoints | undefined = lldb ?? (gdb === undefined ? undefined : GdbBreakpoints.make(gdb, ids))
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
    ...(options.lastLine === undefined ? {} : { lastLine: options.lastLine }),
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

  const values = DapVariables.make({ client, quirks, failed })

  let fresh = quirks.staleThreads !== true
  const askThreads = client.request(Requests.Threads)

  const threads = Effect.suspend(() => {
    if (fresh || events.stops === 0) return askThreads
    fresh = true
    return Effect.andThen(askThreads, askThreads)
  }).pipe(
    Effect.mapError(failed),
    Effect.map((body) =>
      body.threads.map((thread): Backend.Thread => ({
        ...DapFrames.threadOf(thread, quirks),
        ...(options.runs?.(thread.id) === true ? { running: true } : {})
      }))
    )
  )

  /** Sources that only the adapter has, by the handles of the frames that stand in them. */
  const sources = new Map<number, Models.Source>()
  const departures = Resume.make({ client, commandText, console, failed, isLldb, quirks, name: options.name })
  const answers = gdb === undefined ? undefined : GdbInspection.make(gdb)
  const instructions = Instructions.make({
    client,
    commandText,
    failed,
    valueOf: DapValues.valueOf,
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
    values,
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
        hanging.departed()
        stacked = []
        sources.clear()
        values.forget()
        events.stepCutShort = false
        events.pausing = false
        if (how === "stepi" || how === "nexti") return instructions.step(how, thread)
        const abandon = abandoned ? Effect.ignore(commandText("thread plan discard 1")) : Effect.void
        return Effect.andThen(abandon, departures.depart(how, thread, manner))
      }),

    pause: Effect.suspend(() => {
      const again = events.pausing
      events.pausing = true
      const { idleExpression } = quirks
      const asked = client.request(Requests.Pause, { threadId: 0 }).pipe(Effect.mapError(failed), Effect.asVoid)
      // It is answered when the program goes on.
      const stir = (expression: string) =>
        Effect.sync(() =>
          events.fork?.(
            Effect.ignore(client.request(Requests.Evaluate, { expression, context: "repl" }, { timeout: "1 day" }))
          )
        )
      return again && idleExpression !== undefined ? Effect.andThen(asked, stir(idleExpression)) : asked
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
          const frames = body.stackFrames.map((frame) => DapFrames.frameOf(frame, quirks))
          for (const { id, source } of body.stackFrames) if (source?.sourceReference) sources.set(id, source)
          // A total that is not beyond what was asked for is the true one; a larger one may be an estimate.
          const end = start + frames.length
          const known = frames.length < count ? end : quirks.exactTotals ? body.totalFrames : undefined
          return known === undefined ? { frames } : { frames, total: known }
        })
      )
    }),

    locals: values.locals,
    children: values.children,

    evaluate: DapEvaluation.make({
      client,
      name: options.name,
      quirks,
      calling,
      failed,
      valueOf: values.valueOf,
      hanging,
      answers: threads,
      ...(isLldb ? { command: inspecting.command } : {})
    }),

    inspection: inspecting.inspection,
    instruction: instructions.at,
    returned: instructions.returned,

    command: Effect.fnUntraced(function* (line, frame, within = usualCommand) {
      if (isLldb ? Command.interactive(line) : quirks.waitsForPerson?.test(line) === true) {
        return yield* new Errors.Unsupported({
          what: `the command ${line.trim() === "" ? "''" : line.trim()}, which would wait for a terminal or end the debugger,`,
          by: options.name,
          remedies: [Hint.call("raw", { command: "help" })]
        })
      }
      const moved = yield* Deferred.make<void>()
      events.moved = moved
      // What LLDB calls of the program may not come back.
      const asked = console(line, frame, Math.min(within, longestCommand) + 2 * usualCommand)
      const text = yield* hanging.bounded(asked, line, Math.min(within, longestCommand), threads).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            events.moved = undefined
          })
        )
      )
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
