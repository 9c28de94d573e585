/**
 * A configured debug adapter as the manager's `Connection`: requests of the protocol, and commands of the debugger inside
 * the adapter where the protocol has no request.
 */
import { Requests, type Client } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { CommandLine, Dialect } from "../console/Dialect.ts"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import type { StuckCall } from "../process/StuckCall.ts"
import type { Quirks } from "../adapters/Quirks.ts"
import type * as RuntimeTasks from "../adapters/RuntimeTasks.ts"
import * as DapBreakpoints from "./breakpoints/Breakpoints.ts"
import * as Console from "./Console.ts"
import * as Pause from "./Pause.ts"
import * as Resume from "./Resume.ts"
import * as DapEvaluation from "./values/Evaluation.ts"
import type { Translator } from "./events/Events.ts"
import * as DapExceptions from "./breakpoints/Exceptions.ts"
import { translate } from "./Errors.ts"
import * as DapInspection from "./Inspection.ts"
import * as ReadAhead from "./ReadAhead.ts"
import * as Modules from "./Modules.ts"
import * as ReturnedValue from "./values/ReturnedValue.ts"
import * as DapVariables from "./values/Variables.ts"
import * as EndFacts from "./stops/EndFacts.ts"
import * as ForkFacts from "./stops/ForkFacts.ts"
import type { BeforeStop } from "./stops/Stops.ts"
import * as Stacks from "./Stacks.ts"
import * as Assignment from "./values/Assignment.ts"
import * as EntryStop from "./EntryStop.ts"
import * as StopCorrection from "./StopCorrection.ts"

/** What a connection is made from. */
export interface Options {
  readonly client: Client.Client
  /** The adapter's name in messages. */
  readonly name: string
  readonly quirks: Quirks
  readonly dialect: Dialect | undefined
  readonly major: number
  readonly ids: BreakpointIds
  readonly events: Translator
  readonly stuckCall: StuckCall
  /** The absolute path of a source file, for adapters that need one. */
  readonly sourceOf?: (file: string) => string
  /** True if a thread runs although the program is reported stopped. */
  readonly runs?: (thread: number) => boolean
  /** The number of a file's last line; Infinity if the file is too large to be counted. */
  readonly lastLine?: (file: string) => Effect.Effect<number | "absent">
  /** True if the debugger follows the children of the program. */
  readonly follows: boolean
  /** Lists the tasks of the language's runtime. */
  readonly tasks: RuntimeTasks.Make | undefined
  /** The last lines of the adapter's standard error. */
  readonly log: () => string | undefined
  /** Runs an effect in the background. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** How requests of a stop are sent at once. */
  readonly ahead: Pick<ReadAhead.Options, "begin" | "flush">
}

/** The requests of a connection, without its start and end. */
export type Conversation = Omit<Backend.Connection, "adapter" | "features" | "run" | "end">

/** Makes `changing`, which runs an effect that may change the stopped program. */
const changingBy =
  (
    values: Pick<DapVariables.DapVariables, "changed">,
    ahead: Pick<ReadAhead.ReadAhead, "changing">
  ): ReadAhead.ReadAhead["changing"] =>
  (effect) =>
    Effect.suspend(() => {
      values.changed()
      return ahead.changing(effect)
    })

/** Makes `command`: settings that the dialect changed are restored first. */
const commandOf =
  (
    { changing }: Pick<ReadAhead.ReadAhead, "changing">,
    { command }: Pick<Console.Console, "command">,
    restored: Effect.Effect<void, Backend.Failure> = Effect.void
  ): Backend.Connection["command"] =>
  (...args) =>
    // Sent together. If the debugger does not answer, the timeout of the command counts.
    changing(
      Effect.map(
        Effect.all([Effect.ignore(restored), command(...args)], { concurrency: "unbounded" }),
        ([, answer]) => answer
      )
    )

/** Evaluates expressions for the list of tasks. */
const evaluatedBy = ({
  client,
  failed
}: Pick<Console.Options, "client" | "failed">): Pick<RuntimeTasks.Questions, "text" | "raised"> => ({
  text: (expression, frame) =>
    client
      .request(Requests.Evaluate, { expression, context: "watch", frameId: frame })
      .pipe(Effect.mapBoth({ onFailure: failed, onSuccess: ({ result }) => result })),
  raised: (expression) =>
    client.request(Requests.Evaluate, { expression, context: "watch" }).pipe(
      Effect.map(({ result }) => result),
      Effect.catchTag("RequestFailed", ({ text }) => Effect.succeed(text)),
      Effect.mapError(failed)
    )
})

/** The commands that evaluate expressions. */
const commandsOf = (commandLine: CommandLine | undefined) => ({
  ...(commandLine?.evaluate === undefined ? {} : { command: commandLine.evaluate }),
  ...(commandLine?.assign === undefined ? {} : { assign: commandLine.assign }),
  ...(commandLine?.find === undefined ? {} : { find: commandLine.find }),
  ...(commandLine?.compiled === undefined ? {} : { compiled: commandLine.compiled })
})

/** What only a command line can do. */
const offeredBy = (commandLine: CommandLine | undefined) => ({
  ...(commandLine?.tracer === undefined ? {} : { tracer: commandLine.tracer }),
  ...(commandLine?.paths === undefined ? {} : { paths: commandLine.paths }),
  ...(commandLine?.dueBreakpoints === undefined ? {} : { dueBreakpoints: commandLine.dueBreakpoints }),
  ...(commandLine?.knowsEscaping === undefined ? {} : { knowsEscaping: commandLine.knowsEscaping }),
  ...(commandLine?.namesFalseConditions === undefined
    ? {}
    : { namesFalseConditions: commandLine.namesFalseConditions }),
  ...(commandLine?.breakpointsAtSignal === undefined ? {} : { breakpointsAtSignal: commandLine.breakpointsAtSignal }),
  ...(commandLine?.unknownNames === undefined ? {} : { unknownNames: commandLine.unknownNames }),
  ...(commandLine?.reexecution === undefined ? {} : { reexecution: commandLine.reexecution }),
  ...(commandLine?.selectedBy === undefined ? {} : { selectedBy: commandLine.selectedBy })
})

/** Adds the ids of the operating system to threads, for adapters whose ids are numbers of their own. */
const withSystemIds = (
  threads: Backend.Connection["threads"],
  systemIds: CommandLine["systemThreads"]
): Backend.Connection["threads"] => {
  if (systemIds === undefined) return threads
  return Effect.gen(function* () {
    const found = yield* threads
    const ids = yield* Effect.catchTag(systemIds, "AdapterError", () => Effect.succeed(new Map<number, number>()))
    return found.map((thread) => {
      const os_id = ids.get(thread.id)
      return os_id === undefined ? thread : { ...thread, os_id }
    })
  })
}

/** Makes the request for a page of a stack: by a command if the debugger has one for it. */
const stackOf = (commandLine: CommandLine | undefined, { stack }: Stacks.Stacks): Backend.Connection["stack"] =>
  Effect.fnUntraced(function* (thread, start, count) {
    const page = yield* commandLine?.stack?.(thread, start, count) ?? Effect.succeed(undefined)
    const read = page ?? (yield* stack(thread, start, count))
    return commandLine?.prologues?.seen(read) ?? read
  })

/** Fails: only debuggers with a command line list the lines of a file. */
const noLines = (name: string) =>
  Effect.fail(
    new Errors.Unsupported({
      what: "a list of the lines that have code",
      by: name,
      remedies: [Hint.call("source", {})]
    })
  )

/** True if reads refuse an expression that runs code of the program where that is forbidden. */
const refusesCode = (commandLine: CommandLine | undefined, { codeCheck, hoverRunsNoCode = false }: Quirks): boolean =>
  commandLine?.evaluate !== undefined || hoverRunsNoCode || codeCheck !== undefined

/** Makes what is requested before an event of a stop is reported. */
const requestsBeforeStop =
  (events: Translator, commandLine: CommandLine | undefined, forked: ForkFacts.Request): BeforeStop =>
  (body, isFirst, ...resumed) => {
    const reported = events.conditionFailures.before(body, commandLine?.writeError)
    const others = isFirst ? [commandLine?.tracer?.stopping(), forked(...resumed)] : []
    const requests = [reported, ...others].flatMap((one) => one ?? [])
    return requests.length === 0 ? undefined : Effect.all(requests, { discard: true })
  }

/** The failure of a step while the debugger keeps another one. */
const keptStep = (name: string) =>
  Effect.fail(
    new Errors.Unsupported({
      what: "a step while another step, which a breakpoint interrupted, has not ended",
      by: name,
      remedies: [Hint.call("continue", {})]
    })
  )

/** Makes the requests of a configured adapter. */
export const make = (options: Options): Conversation => {
  const { client, dialect, events, fork, ids, major, name, quirks, stuckCall } = options
  const failed = translate(name, options.log, quirks.failures)
  const runs = options.runs === undefined ? {} : { runs: options.runs }
  const stacks = Stacks.make({ client, events, failed, quirks, ...runs })
  const [{ threads }, { entryFrame }] = [stacks, quirks]
  const calling = <A, E>(effect: Effect.Effect<A, E>) => events.evaluating(effect, stacks.restore)
  const console = Console.make({ calling, client, dialect, events, failed, name, ping: threads, quirks, stuckCall })
  const modules = Modules.list({ client, failed }, quirks)
  const commandLine = dialect?.open({
    client,
    major,
    ids,
    watchIds: events.watchIds,
    calling,
    failed,
    text: console.text,
    listener: events.listener,
    placed: (placement) => events.placed(placement),
    modules,
    lastStop: () => events.lastStop
  })
  const prologues = commandLine?.prologues
  const entry = entryFrame === undefined ? undefined : EntryStop.make({ client, entryFrame, events, name })
  events.correctStop =
    prologues === undefined
      ? entry
      : StopCorrection.make({ client, events, prologues, stepEnds: commandLine?.stepEnds })
  const forked = ForkFacts.make(commandLine?.breakpoints.children, events.listener, options.follows)
  events.beforeStop = requestsBeforeStop(events, commandLine, forked)
  events.beforeEnd = EndFacts.make(
    commandLine?.breakpoints,
    events.listener,
    options.follows,
    commandLine?.tracer?.keep,
    commandLine?.paths?.keep,
    EndFacts.unbound(ids, events.listener)
  )
  events.listener.mayMiss?.(quirks.traced !== undefined)
  const exceptions = DapExceptions.make({ client, commandLine, events, ids, failed, quirks })
  const values = DapVariables.make({ client, quirks, failed })
  const ahead = ReadAhead.make({
    ...options.ahead,
    threads: withSystemIds(threads, commandLine?.systemThreads),
    locals: values.locals,
    recurs: quirks.recurringFrameIds === true,
    stack: stackOf(commandLine, stacks)
  })
  const changing = changingBy(values, ahead)
  const evaluating = { client, name, quirks, calling, failed, values, locals: ahead.locals, stuckCall, ping: threads }
  const evaluate = DapEvaluation.make({ ...evaluating, ...commandsOf(commandLine) })
  const plain = { locals: ahead.locals, evaluate }
  const corrected = commandLine?.corrected?.(plain) ?? { ...plain, forget: () => undefined }
  const shown = prologues?.corrected(corrected) ?? corrected
  const listed = { locals: shown.locals, children: values.children, evaluate: shown.evaluate }
  const readable = commandLine?.readable?.(listed) ?? listed
  const named = commandLine?.named?.(readable)
  const read = named ?? readable
  const resume = Resume.make({ client, commandLine, failed, name })
  const inspection = DapInspection.make({
    client,
    name,
    quirks,
    failed,
    values,
    completed: commandLine?.completed?.(values.children) ?? Effect.succeed,
    seen: named?.seen ?? ((values) => values),
    evaluate: read.evaluate,
    modules,
    answers: commandLine?.answers ?? {}
  })
  const assign =
    quirks.assignsBy === undefined ? undefined : Assignment.make({ calling, client, failed, quirks }, quirks.assignsBy)
  const breakpoints = DapBreakpoints.make({
    client,
    commandLine,
    events,
    exceptions,
    failed,
    ids,
    name,
    quirks,
    ...(options.sourceOf === undefined ? {} : { sourceOf: options.sourceOf }),
    ...(options.lastLine === undefined ? {} : { lastLine: options.lastLine })
  })

  return {
    setBreakpoints: breakpoints.set,
    ...(breakpoints.add === undefined ? {} : { addBreakpoints: breakpoints.add }),
    threads: ahead.threads,
    stack: ahead.stack,
    readAhead: ahead.start,
    lines: (file) => commandLine?.breakpoints.lines(file) ?? noLines(name),
    filters: exceptions.filters,
    ...(commandLine === undefined ? { catchFunctions: quirks.catchFunctions ?? {} } : {}),
    turnOffDefaults: exceptions.turnOffDefaults,
    exception: exceptions.found,
    ...(exceptions.earlier === undefined ? {} : { earlierExceptions: exceptions.earlier }),

    resumeSilently: (thread) =>
      Effect.suspend(() => {
        named?.forget()
        shown.forget()
        ahead.forget()
        stuckCall.resumed()
        const proceed = client.request(Requests.Continue, { threadId: thread })
        return Effect.andThen(commandLine?.beforeResume?.("continue", thread) ?? Effect.void, proceed)
      }).pipe(Effect.mapError(failed), Effect.asVoid),

    resume: (how, thread, manner = {}) =>
      Effect.suspend(() => {
        if (events.texts.stepIsKept && (how === "next" || how === "step" || how === "finish")) return keptStep(name)
        const interrupted = events.resume(how)
        stuckCall.resumed()
        for (const known of [stacks, values, named, shown]) known?.forget()
        ahead.resuming(manner)
        const discard = interrupted && how !== "stepi" && how !== "nexti" ? commandLine?.discardStep : undefined
        const { beforeResume, breakpoints, stepEnds } = commandLine ?? {}
        const ends = stepEnds?.resuming(how, thread, manner.frame)
        const asked = [beforeResume?.(how, thread), ends, breakpoints?.resuming?.(how), discard]
        const first = asked.map((request) => request ?? Effect.void)
        return Effect.all([...first, resume(how, thread, manner)], { discard: true })
      }),

    ...(commandLine?.finishFrame === undefined ? {} : { finishesFrames: true }),

    usesUpPauses: quirks.idleExpression !== undefined,
    ...(quirks.idleExpression === undefined ? {} : { stopsInCode: true }),
    pause: Pause.make({ client, events, failed, fork, quirks, stuckCall }),

    ...(assign === undefined ? {} : { assign: (...args) => changing(assign(...args)) }),
    readsContainers: commandLine?.find !== undefined,
    ...(quirks.readingCalls === undefined ? {} : { readingCalls: quirks.readingCalls }),
    ...(quirks.predictsUncaught === undefined ? {} : { predictsUncaught: quirks.predictsUncaught }),
    ...(quirks.propertiesRunCode === undefined ? {} : { propertiesRunCode: quirks.propertiesRunCode }),
    refusesCode: refusesCode(commandLine, quirks),
    locals: read.locals,
    children: read.children,
    evaluate: (...args) => (args[2] === "read" ? read.evaluate(...args) : changing(read.evaluate(...args))),

    inspection: { ...inspection, write: (address, bytes) => changing(inspection.write(address, bytes)) },
    instruction: (frame) => commandLine?.instruction(frame) ?? Effect.succeed(undefined),
    returned: commandLine?.returned ?? ReturnedValue.make({ client, failed, name, quirks }),
    ...offeredBy(commandLine),
    ...(options.tasks === undefined ? {} : { tasks: options.tasks({ ...ahead, ...evaluatedBy({ client, failed }) }) }),
    command: commandOf({ changing }, console, commandLine?.restored)
  }
}
