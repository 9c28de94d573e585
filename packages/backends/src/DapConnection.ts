/**
 * A configured debug adapter as the manager sees it: our requests in the protocol's words, its answers as data.
 *
 * What DAP cannot say or lldb-dap does not have is asked on the LLDB command line inside the adapter: the places of a
 * breakpoint with their functions, and why one found none.
 */
import { Capabilities, Requests, type Client, type Models } from "@sigtrap/dap"
import { Command, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { BreakpointIds } from "./BreakpointIds.ts"
import * as Departures from "./Departures.ts"
import * as DapEvaluation from "./DapEvaluation.ts"
import * as DapEvents from "./DapEvents.ts"
import * as DapExceptions from "./DapExceptions.ts"
import { translate } from "./DapFailures.ts"
import * as DapFrames from "./DapFrames.ts"
import * as DapFunctions from "./DapFunctions.ts"
import * as DapInspection from "./DapInspection.ts"
import * as DapVariables from "./DapVariables.ts"
import type { Hanging } from "./Hanging.ts"
import * as IndirectFunctions from "./IndirectFunctions.ts"
import * as Instructions from "./Instructions.ts"
import * as LldbBreakpoints from "./LldbBreakpoints.ts"
import * as LldbStacks from "./LldbStacks.ts"
import type { Quirks } from "./Quirks.ts"
import * as SourceBreakpoints from "./SourceBreakpoints.ts"

/** What a connection is made from. */
export interface Options {
  readonly client: Client.Client
  /** The adapter's name for messages. */
  readonly name: string
  readonly quirks: Quirks
  readonly major: number
  readonly ids: BreakpointIds
  readonly events: DapEvents.Context
  readonly hanging: Hanging
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

  /** A line for the adapter's own console. */
  const console = (line: string, frame?: number, millis?: number) =>
    client
      .request(
        Requests.Evaluate,
        {
          expression: isLldb ? `\`${line}` : line,
          context: "repl",
          ...(frame === undefined ? {} : { frameId: frame })
        },
        millis === undefined ? {} : { timeout: millis }
      )
      .pipe(
        Effect.mapError(failed),
        Effect.map(({ result }) => (quirks.echoesCommands ? result.replace(/^\(lldb\) .*\n?/, "") : result))
      )

  /** The text of an LLDB command, where there is an LLDB that takes one. */
  const commandText = (line: string, frame?: number, millis?: number): Effect.Effect<string, Backend.Failure> =>
    isLldb
      ? console(line, frame, millis)
      : Effect.fail(
          new Errors.Unsupported({ what: `the LLDB command ${line}`, by: options.name, remedy: "sigtrap status" })
        )

  const places = Effect.fnUntraced(function* (breakpoint: Models.Breakpoint, group: Backend.Group) {
    if (breakpoint.id !== undefined && isLldb) {
      const answer = JSON.stringify(breakpoint)
      const known = ids.found(breakpoint.id, answer)
      if (known !== undefined) return known
      const found = Parse.breakpointPlaces(yield* commandText(`breakpoint list -v ${breakpoint.id}`))
      if (found.length > 0) {
        ids.keep(breakpoint.id, answer, found)
        return found
      }
    }
    const file = breakpoint.source?.path ?? (group.kind === "source" ? group.path : undefined)
    return [
      {
        ...(file === undefined ? {} : { file }),
        ...(breakpoint.line === undefined ? {} : { line: breakpoint.line }),
        ...(breakpoint.instructionReference === undefined
          ? {}
          : { address: breakpoint.instructionReference.toLowerCase() })
      }
    ]
  })

  const whyUnresolved = Effect.fnUntraced(function* (group: Backend.Group, wanted: Backend.Wanted) {
    if (group.kind !== "source") return "no function of that name"
    if (!isLldb) return `the debugger binds nothing at line ${wanted.line ?? 0}`
    return yield* LldbBreakpoints.whyNoLine({ command: commandText, major }, group.path, wanted.line ?? 0)
  })

  const placementOf = Effect.fnUntraced(function* (
    group: Backend.Group,
    wanted: Backend.Wanted,
    breakpoint: Models.Breakpoint | undefined
  ) {
    // Said before the program is known it means nothing yet; a later event tells.
    const early = quirks.bindsAtRun === true && events.stops === 0 && breakpoint?.id !== undefined
    ids.set(wanted.id, breakpoint?.id, early || (breakpoint?.verified ?? false))
    if (early && breakpoint.verified !== true) {
      const reason = yield* beyondFile(group, wanted)
      if (reason !== undefined) {
        ids.settle(wanted.id, false)
        return { id: wanted.id, resolved: false, locations: [], reason } satisfies Backend.Placement
      }
      if (group.kind === "source") ids.place(wanted.id, sourcePath(group.path), wanted.line ?? 0)
      const placement: Backend.Placement = {
        id: wanted.id,
        resolved: true,
        locations: yield* places({ ...(wanted.line === undefined ? {} : { line: wanted.line }), ...breakpoint }, group)
      }
      return placement
    }
    const file = breakpoint?.source?.path ?? (group.kind === "source" ? sourcePath(group.path) : undefined)
    if (file !== undefined && breakpoint?.line !== undefined) ids.place(wanted.id, file, breakpoint.line)
    const placement: Backend.Placement =
      breakpoint?.verified === true
        ? { id: wanted.id, resolved: true, locations: yield* places(breakpoint, group) }
        : {
            id: wanted.id,
            resolved: false,
            locations: [],
            reason: breakpoint?.message ?? (yield* whyUnresolved(group, wanted))
          }
    return placement
  })

  const beyondFile = (group: Backend.Group, { line = 0 }: Backend.Wanted) =>
    group.kind === "source" && quirks.wholePaths === true && options.lastLine !== undefined
      ? SourceBreakpoints.beyondFile(sourcePath(group.path), line, options.lastLine)
      : Effect.succeed(undefined)

  const sourcePath = (file: string) =>
    quirks.wholePaths === true && options.sourceOf !== undefined ? options.sourceOf(file) : file

  const functionName = (name: string) => quirks.functionNames?.[name] ?? name

  const values = DapVariables.make({ client, quirks, failed })
  const watchIds = new BreakpointIds()
  events.watchIds = watchIds
  const byCommand = LldbBreakpoints.make({ command: commandText, ids, watchIds, major })
  const exceptions = DapExceptions.make({ client, events, ids, failed })

  /** A second one at a place, which would never be hit. */
  const beside = (id: number, there: number): Backend.Placement => {
    ids.set(id, undefined, false)
    const reason = `${options.name} takes one breakpoint at a place, and breakpoint ${there} is there`
    return { id, resolved: false, locations: [], reason }
  }

  /** What only an LLDB can be told. */
  const beyond = (one: Backend.Wanted): Effect.Effect<Backend.Placement> =>
    Effect.succeed({
      id: one.id,
      resolved: false,
      locations: [],
      reason: `${options.name} sets breakpoints on lines and functions only`
    })

  const setBreakpoints: Conversation["setBreakpoints"] = Effect.fnUntraced(function* (group, wanted) {
    if (group.kind === "exception") return yield* exceptions.set(wanted)
    if (group.kind === "special" || group.kind === "watch") {
      return yield* isLldb ? byCommand[group.kind](wanted) : Effect.forEach(wanted, beyond)
    }
    const countsHits = isLldb && Capabilities.supports(client.capabilities(), "supportsHitConditionalBreakpoints")
    const writes =
      isLldb && group.kind === "source" && Capabilities.supports(client.capabilities(), "supportsLogPoints")
    const chosen = (one: Backend.Wanted) => ({
      ...(one.condition === undefined ? {} : { condition: one.condition }),
      ...(one.hits === undefined || !countsHits ? {} : { hitCondition: `${one.hits}` })
    })
    const message = (one: Backend.Wanted) =>
      one.log === undefined || !writes ? {} : { logMessage: `${DapEvents.logMark(one.id)}${one.log}` }
    const alone = quirks.onePerPlace === true && group.kind === "source"
    const { second, sent: apart } = alone ? SourceBreakpoints.firstAtEach(wanted) : { second: undefined, sent: wanted }
    const left = [...(countsHits ? [] : (["hits"] as const)), ...(writes ? [] : (["log"] as const))]
    const fresh = wanted.flatMap((one) =>
      one.function === undefined || ids.theirsOf(one.id) !== undefined ? [] : [one.function]
    )
    // Before it begins no library is loaded; those that come are looked at by LLDB itself.
    const barred = isLldb && group.kind === "function" && events.begun === true ? yield* byCommand.prepare(fresh) : []
    const sent = apart.filter((one) => one.function === undefined || !barred.includes(one.function))
    const answers = yield* (
      group.kind === "source"
        ? Effect.map(
            client.request(Requests.SetBreakpoints, {
              source: { path: sourcePath(group.path) },
              breakpoints: sent.map((one) => ({
                line: one.line ?? 0,
                ...(one.column === undefined ? {} : { column: one.column }),
                ...chosen(one),
                ...message(one)
              }))
            }),
            ({ breakpoints }) => breakpoints
          )
        : DapFunctions.set(
            { client, ids, ordered: !isLldb },
            sent.map((one) => ({
              wanted: one,
              breakpoint: { name: functionName(one.function ?? ""), ...chosen(one) }
            }))
          )
    ).pipe(Effect.mapError(failed))
    return yield* Effect.forEach(wanted, (one) => {
      const there = second?.get(one.id)
      if (there !== undefined) return Effect.succeed(beside(one.id, there))
      const at = sent.indexOf(one)
      return at === -1
        ? Effect.succeed<Backend.Placement>({
            id: one.id,
            resolved: false,
            locations: [],
            reason: IndirectFunctions.reason
          })
        : Effect.map(placementOf(group, one, answers[at]), (placement) => ({ ...placement, left }))
    })
  })

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
  const departures = Departures.make({ client, commandText, failed, isLldb, name: options.name })
  const instructions = Instructions.make({ client, commandText, failed })
  const stacks =
    isLldb && quirks.exactTotals ? LldbStacks.make((commands) => inspecting.formatted(commands)) : undefined
  const inspecting = DapInspection.make({
    client,
    name: options.name,
    isLldb,
    major,
    dumps: quirks.dumpsSafely === true,
    commandText,
    failed,
    values,
    sourceOf: (frame) => sources.get(frame)
  })

  return {
    // A breakpoint that is hit at once can be told of before its number is known.
    setBreakpoints: (group, wanted) =>
      Effect.suspend(() => {
        events.setting = (events.setting ?? 0) + 1
        return setBreakpoints(group, wanted)
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            events.setting = (events.setting ?? 1) - 1
            DapEvents.numbersKnown(events)
          })
        )
      ),
    threads,
    lines: (file) => (isLldb ? byCommand.lines(file) : Effect.succeed([])),
    filters: exceptions.filters,
    exception: exceptions.found,

    goOn: (thread) =>
      client.request(Requests.Continue, { threadId: thread }).pipe(Effect.mapError(failed), Effect.asVoid),

    resume: (how, thread, manner = {}) =>
      Effect.suspend(() => {
        const abandoned = quirks.stepsGoOn === true && events.stepCutShort
        events.lastResume = how
        hanging.departed()
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
      return yield* client.request(Requests.StackTrace, { threadId: thread, startFrame: start, levels: count }).pipe(
        Effect.mapError(failed),
        Effect.catchIf(
          (error) => quirks.noStackYet?.test(error.message) === true,
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
      if (isLldb && Command.interactive(line)) {
        return yield* new Errors.Unsupported({
          what: `the command ${line.trim() === "" ? "''" : line.trim()}, which would wait for a terminal or end the debugger,`,
          by: options.name,
          remedy: "sigtrap raw 'help'"
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
