/**
 * The `lldb-cli` backend: one interactive LLDB for one program, driven by its command line.
 *
 * LLDB creates the process and stops it at its entry point. Breakpoints are set then, and `run` resumes the process. The
 * program never reads LLDB's own standard input.
 *
 * The scope of a connection has these fibers: those of the driver, one that processes notices, and one that reports the
 * loss of LLDB. Closing the scope runs `Shutdown` first.
 */
import { Lldb } from "@sigtrap/lldb"
import { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { BreakpointIds } from "../console/BreakpointIds.ts"
import { failures } from "../console/lldb/Failures.ts"
import type { BackendServices } from "../process/BackendServices.ts"
import * as Attach from "../adapters/Attach.ts"
import * as Configuration from "../adapters/Configuration.ts"
import * as LaunchOptions from "../adapters/LaunchOptions.ts"
import * as LldbDap from "../adapters/LldbDap.ts"
import * as LldbDebugFile from "../adapters/LldbDebugFile.ts"
import * as LldbRust from "../adapters/LldbRust.ts"
import * as Registry from "../adapters/Registry.ts"
import * as DapEvents from "../dap/events/Events.ts"
import * as PythonLoader from "../console/lldb/python/Loader.ts"
import * as HeldStop from "../dap/stops/HeldStop.ts"
import * as Handshake from "../dap/start/Handshake.ts"
import * as ProgramInput from "../process/Input.ts"
import * as ListeningPorts from "../process/ListeningPorts.ts"
import * as OutputText from "../process/OutputText.ts"
import * as Shutdown from "../process/Shutdown.ts"
import * as ProgramStreams from "../process/Streams.ts"
import * as Spans from "../process/Spans.ts"
import * as UnansweredRequests from "../process/UnansweredRequests.ts"
import * as LldbCliBreakpoints from "./Breakpoints.ts"
import * as LldbCliConnection from "./Connection.ts"
import * as LldbCliConsole from "./Console.ts"
import * as LldbCliEvents from "./Events.ts"
import { features } from "./Features.ts"
import * as LldbCliLaunchOptions from "./LaunchOptions.ts"
import * as LldbProgram from "./Lldb.ts"
import * as LldbCliTargets from "./Targets.ts"
import * as LldbCliValues from "./Values.ts"

const { name } = LldbProgram

/** Timeouts of the command that creates the process, and of the stop after it in milliseconds. */
const createTimeout = "120 seconds"
const firstStopTimeout = 30_000

const startFailed = (stage: string) => (error: { readonly message: string }) =>
  new Errors.AdapterStartFailed({ adapter: name, stage, detail: error.message })

/** Starts LLDB on the program's streams. */
const start = Effect.fn("LldbCliBackend.start")(function* (
  request: Backend.LaunchRequest,
  listener: Backend.Listener,
  onBytes: ProgramStreams.OnBytes
) {
  yield* LldbCliLaunchOptions.refuse(request)
  const { existing } = request
  if (existing?.kind === "remote" && (yield* ListeningPorts.isClosed(existing.host, existing.port))) {
    return yield* Attach.connectionRefused(existing)
  }
  const caller = Configuration.caller(
    yield* Registry.Adapters,
    request.callerEnv === undefined ? request : { ...request, env: request.callerEnv }
  )
  const found = yield* LldbProgram.find(caller)
  const place = yield* ProgramStreams.ProgramStreams
  const pipes = yield* (
    request.held === undefined
      ? ProgramStreams.open(place, listener, onBytes)
      : ProgramStreams.takeOver(request.held, listener, onBytes)
  ).pipe(Effect.mapError((error) => startFailed("named pipes")({ message: error.detail })))
  const streams = yield* LaunchOptions.streams(request, pipes)
  const home = yield* place.home(false).pipe(Effect.mapError((error) => startFailed("home")({ message: error.detail })))
  const commands = yield* Effect.fromResult(
    LldbCliTargets.commands(request, LldbDap.environment(caller, home), streams, found.major ?? 19)
  )
  const lldb = yield* Lldb.make({
    executable: found.path,
    env: commands.env,
    extendEnv: false,
    cwd: home,
    deadlines: { start: Configuration.startTimeout(request) }
  }).pipe(Effect.mapError(startFailed("start")))
  yield* listener.spawned(lldb.pid, home)
  return { lldb, streams, commands, home }
})

/** The translator of LLDB's notices. The stop at the entry point is a signal in every version. */
const translatorOf = (
  request: Backend.LaunchRequest,
  options: Pick<DapEvents.Options, "listener" | "drain" | "ids">,
  major: number
): DapEvents.Translator => {
  const { existing, stopOnEntry } = request
  const quirks = { ...LldbDap.quirks(major), entryLooksLikeSignal: true }
  const events: DapEvents.Translator = new DapEvents.Translator({
    ...options,
    quirks: () => quirks,
    stopOnEntry: stopOnEntry && existing === undefined,
    attached: existing !== undefined && existing.kind !== "core",
    onTerminated: () => events.reportTermination()
  })
  return events
}

/** Kills the program or detaches, and waits until LLDB has done so. Succeeds if the program has already ended. */
const leave = (lldb: Lldb.Lldb, how: "kill" | "detach", millis: number) =>
  lldb
    .run(how === "kill" ? "process kill" : "process detach", { timeout: millis })
    .pipe(Effect.catchTag("CommandFailed", () => Effect.void))

/** Makes the shutdown, which ends with the scope, and reports the loss of LLDB. */
const watch = Effect.fnUntraced(function* (
  { existing }: Backend.LaunchRequest,
  lldb: Lldb.Lldb,
  listener: Backend.Listener,
  program: Pick<Shutdown.Options, "exited" | "holders" | "home">
) {
  const scope = yield* Effect.scope
  const shutdown = yield* Shutdown.make({
    disconnect: (how, millis) => leave(lldb, how, millis),
    // A stuck LLDB has not exited.
    process: {
      pid: lldb.pid,
      exit: Effect.flatMap(lldb.lost, ({ reason }) => (reason === "stuck" ? Effect.never : Effect.void)),
      closeInput: lldb.closeInput
    },
    launched: existing === undefined,
    ...program,
    disconnects: existing?.kind !== "core"
  })
  yield* Effect.addFinalizer(() => shutdown.end("kill"))
  yield* lldb.lost.pipe(
    Effect.flatMap((lost) =>
      Effect.sync(() => {
        const notice = Attach.trapNotice(existing, { insertsTraps: true })
        if (!shutdown.started())
          listener.emit({ _tag: "Lost", reason: `${name} ${LldbCliConsole.endOf(lost)}${notice}` })
      })
    ),
    Effect.forkIn(scope)
  )
  return shutdown
})

/** Runs commands that must succeed; the first failure is that of the launch. */
const runAll = (request: Backend.LaunchRequest, console: LldbCliConsole.Console, lines: ReadonlyArray<string>) =>
  Effect.forEach(lines, (line) => console.command(line), { discard: true }).pipe(
    Effect.catchTag("AdapterError", (error) => Effect.fail(refused(request, error.detail)))
  )

const launch = Effect.fn("LldbCliBackend.launch")(function* (
  request: Backend.LaunchRequest,
  receiver: Backend.Listener
): Effect.fn.Return<Backend.Connection, Backend.LaunchFailure, Scope.Scope | BackendServices> {
  const { existing } = request
  const { listener, onBytes } = OutputText.make(
    request.held === undefined ? receiver : HeldStop.withCause(request.held, receiver)
  )
  const { commands, home, lldb, streams } = yield* start(request, listener, onBytes)
  const { major } = lldb.version
  const ids = new BreakpointIds()
  const events = translatorOf(request, { listener, drain: streams.drain, ids }, major)
  const unanswered = yield* UnansweredRequests.make(listener.emit)
  const console = LldbCliConsole.make(lldb, unanswered, Configuration.requestTimeout(request))
  const values = LldbCliValues.make(console)
  const breakpoints = LldbCliBreakpoints.make(console, { events, follows: request.followFork === "child", ids })
  let running = false
  const firstStop = yield* Deferred.make<Effect.Effect<void>>()
  const notices = yield* LldbCliEvents.make({
    console,
    events,
    listener,
    ids,
    reportsStops: () => running,
    unreportedStop: (stop, pid) => {
      LldbCliEvents.handle(events, "process", { name: request.program, systemProcessId: pid })
      Deferred.doneUnsafe(firstStop, Exit.succeed(stop))
    },
    resolved: breakpoints.resolved,
    prologues: breakpoints.prologues,
    stepEnds: breakpoints.stepEnds,
    beforeStop: breakpoints.beforeStop,
    stopped: () => {
      values.forget()
      breakpoints.prologues.forget()
    },
    detached: () => listener.emit({ _tag: "Detached" })
  })
  lldb.onNotice((notice) => {
    unanswered.heard()
    notices.take(notice)
  })
  const shutdown = yield* watch(request, lldb, listener, {
    exited: () => events.end !== "none",
    holders: streams.holders,
    home
  })

  // An LLDB without Python keeps its own formatters.
  yield* Effect.ignore(console.text(PythonLoader.load))
  const isRust = yield* LldbRust.isProgram(request.program)
  if (isRust) {
    const rust = yield* LldbRust.formatters(request, major)
    yield* Effect.forEach(rust, (line) => Effect.ignore(console.text(line)), { discard: true })
  }
  const debugFile = yield* LldbDebugFile.command(request, major)
  const addDebugFile = debugFile === undefined ? Effect.void : Effect.ignore(console.text(debugFile))
  yield* runAll(request, console, commands.prepare)
  if (existing === undefined) yield* addDebugFile
  yield* Handshake.verifyProcess(existing)
  yield* lldb
    .run(commands.create, { timeout: createTimeout })
    .pipe(
      Effect.mapError((error) =>
        error._tag === "CommandFailed" ? refused(request, error.text) : LldbCliConsole.translate(error)
      )
    )
  // Here LLDB prints no notice of the first stop, so one is made.
  const launches = existing === undefined && request.held === undefined
  const silent = launches ? LldbDap.quirks(major).silentEntry === true : existing?.kind === "core"
  if (silent) notices.take({ kind: "stopped", pid: yield* processId(console) })
  const first = yield* Deferred.await(firstStop).pipe(
    Effect.timeoutOrElse({
      duration: firstStopTimeout,
      orElse: () => Effect.fail(new Errors.RequestTimeout({ command: commands.create, after_ms: firstStopTimeout }))
    })
  )
  if (existing !== undefined) yield* addDebugFile

  return Spans.traced("LldbCliBackend", {
    ...LldbCliConnection.make({ console, events, ids, notices, values, breakpoints }),
    // The program itself reads a file given as standard input.
    ...(request.stdin === undefined && existing === undefined ? { input: ProgramInput.make(streams) } : {}),
    traces: true,
    ...(isRust ? { catches: LldbRust.catches } : {}),
    features: () => features,
    adapter: { name, backend: "lldb-cli", version: lldb.version.text },
    run: Effect.gen(function* () {
      yield* runAll(request, console, commands.finish)
      if (request.commands !== undefined) yield* values.readSettings
      running = true
      if (request.stopOnEntry || request.held !== undefined) yield* first
      else yield* console.command("process continue")
      yield* shutdown.remember
    }),
    end: shutdown.end
  })
})

/** Returns the pid from the first line of `process status`, also of a process that has ended. */
const processId = (console: LldbCliConsole.Console) =>
  Effect.map(console.text("process status"), (text) => Number(/^Process (\d+) /m.exec(text)?.[1] ?? 0))

/** The error of a launch or attach that LLDB refused. */
const refused = (request: Backend.LaunchRequest, detail: string) => {
  const text = detail.replace(/^error: /, "").trim()
  return request.existing === undefined
    ? Attach.launchRefused(request.program, text, failures)
    : Attach.refused(request.existing, text, failures)
}

/** The layer of the backend. */
export const layer: Layer.Layer<Backend.Backend, never, BackendServices> = Layer.effect(
  Backend.Backend,
  Effect.map(Effect.context<BackendServices>(), (services) =>
    Backend.Backend.of({
      launch: (request, listener) =>
        // Without the scope and span of the layer: a connection belongs to the scope of its launch, its spans to the call's trace.
        launch(request, listener).pipe(Effect.provide(Context.omit(Scope.Scope, Tracer.ParentSpan)(services)))
    })
  )
)
