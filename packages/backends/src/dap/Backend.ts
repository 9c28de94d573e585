/**
 * The `dap` backend: a debug adapter started for one program, spoken to in the Debug Adapter Protocol.
 *
 * The handshake works in every order that adapters use: launch is sent without waiting for its response, breakpoints
 * follow `initialized`, and only after configurationDone is the launch response awaited. Fibers of a connection:
 * (1) those of the client and the transport, (2) the watcher, which tells the session when the adapter is gone and ends
 * with the connection, (3) after `terminated`, one that waits a moment for `exited`. All end with the scope, whose
 * closing runs the ladder of `Shutdown` first.
 */
import { Capabilities, ChildSessions, Client, Message, Requests } from "@sigtrap/dap"
import { Backend, Processes } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Hold } from "../adapters/Adapter.ts"
import * as AdapterProcess from "./AdapterProcess.ts"
import type { AdapterSockets } from "../process/AdapterSockets.ts"
import { BreakpointIds } from "../console/BreakpointIds.ts"
import * as Configuration from "../adapters/Configuration.ts"
import * as DapConnection from "./Connection.ts"
import * as DapEvents from "./Events.ts"
import * as AdapterInfo from "./AdapterInfo.ts"
import * as DapFeatures from "./Features.ts"
import { beginning } from "./Errors.ts"
import * as Shutdown from "../process/Shutdown.ts"
import * as StuckCall from "../process/StuckCall.ts"
import * as ExceptionFilters from "./ExceptionFilters.ts"
import * as LaunchOptions from "../adapters/LaunchOptions.ts"
import * as Attach from "../adapters/Attach.ts"
import * as Detach from "./Detach.ts"
import * as ProgramInput from "../process/Input.ts"
import * as ProgramSources from "../process/Sources.ts"
import * as OutputText from "../process/OutputText.ts"
import * as StopDetails from "./StopDetails.ts"
import { ProgramStreams } from "../process/Streams.ts"
import * as Registry from "../adapters/Registry.ts"

/** How long adapters that send `terminated` before `exited` may take between the two. */
const exitedAfterTerminated = "100 millis"

/** How long an adapter may take to say what a program that is gone ended with. */
const leavesWithin = "2 seconds"

/** How long a launch may take until the adapter takes breakpoints, in milliseconds. */
const initializedWithin = 30_000

const launch = Effect.fnUntraced(function* (request: Backend.LaunchRequest, told: Backend.Listener) {
  const hanging = StuckCall.make({
    processes: yield* Processes.Processes,
    listener: told,
    local: request.existing === undefined || request.existing.kind === "process"
  })
  const { listener } = hanging
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const programStreams = yield* ProgramStreams
  const scope = yield* Effect.scope
  const caller = Configuration.caller(
    request.surroundings === undefined ? request : { ...request, env: request.surroundings }
  )
  const adapter = yield* Registry.choose(caller)
  const found = yield* adapter.find(Configuration.search(caller, adapter))
  const isLldb = adapter.name === "lldb-dap"
  const name = isLldb ? path.basename(found.path) : adapter.name
  const { existing } = request
  const remote = existing?.kind === "remote" && adapter.remoteIsAdapter === true ? existing : undefined
  // Before anything is started: what the adapter does not take hold of at all is refused.
  if (existing !== undefined) {
    const known = adapter.quirks(found.major ?? 0)
    yield* Effect.fromResult(adapter.hold(request, existing, known))
    if (existing.kind === "remote" && known.silentRefusal === true) {
      const { host, port } = existing
      if (!(yield* AdapterProcess.listens(host, port))) return yield* Attach.refused(existing, "connection refused")
    }
  }

  yield* LaunchOptions.refuse(request, adapter)
  const startFailed = (stage: string) => (error: { readonly message: string }) =>
    new Errors.AdapterStartFailed({ adapter: name, stage, detail: error.message })
  // What a program writes to a terminal of the debugger's arrives in events.
  const quirksOf = (version: number) =>
    request.terminal === undefined ? adapter.quirks(version) : { ...adapter.quirks(version), outputInEvents: true }
  let quirks = quirksOf(found.major ?? 0)
  const decoded = OutputText.without(quirks.runtimeNotices ?? [], OutputText.decoders(listener.emit), (text) =>
    listener.emit({ _tag: "Output", channel: "console", text })
  )
  const output = AdapterProcess.firstLine(decoded)
  const pipes = yield* programStreams
    .open(adapter.streams === "adapter" ? output.onBytes : decoded)
    .pipe(Effect.mapError((error) => startFailed("named pipes")({ message: error.detail })))
  const streams = yield* LaunchOptions.streams(request, pipes)
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-" }).pipe(Effect.mapError(startFailed("home")))

  const process = yield* remote === undefined
    ? AdapterProcess.start({
        adapter,
        path: found.path,
        runner: found.runner,
        start: Configuration.start(request, adapter.name, adapter.start(found, caller, home)),
        directory: home,
        streams,
        announced: output.line,
        within: Configuration.startTimeout(request),
        ...(request.stdin === undefined ? {} : { stdin: request.stdin })
      }).pipe(Effect.mapError((error) => startFailed("start")({ message: error.detail })))
    : AdapterProcess.dial(remote.host, remote.port)
  if (remote === undefined) listener.spawned(process.pid)
  const log = () => AdapterInfo.lastWords(process.stderrTail())

  let broken = false
  const ids = new BreakpointIds()
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const context: DapEvents.Context = {
    listener,
    drain: streams.drain,
    quirks: () => quirks,
    ids,
    stopOnEntry: request.stopOnEntry && request.existing === undefined,
    begun: request.existing?.kind === "process" || request.existing?.kind === "remote",
    arriving: request.existing !== undefined && request.existing.kind !== "core",
    lastResume: undefined,
    stepCutShort: false,
    pausing: false,
    moved: undefined,
    stops: 0,
    signal: undefined,
    ended: "no",
    inquire: (body) => StopDetails.complete({ client, ids, core: existing?.kind === "core" }, body, quirks),
    inquireEnd: (exitCode) => StopDetails.ended({ client, ids }, exitCode, quirks),
    fork: (effect) => runFork(Effect.forkIn(effect, scope)),
    onTerminated: () => {
      // Some say what the program ended with only when they are left.
      const last = quirks.exitInText === undefined ? Effect.sleep(exitedAfterTerminated) : leave
      runFork(
        Effect.forkIn(
          Effect.andThen(
            last,
            Effect.sync(() => DapEvents.over(context))
          ),
          scope
        )
      )
    }
  }
  let wentOn = false
  const goOn = ({ body }: Message.Event) =>
    client
      .request(Requests.Continue, {
        threadId: Message.isRecord(body) && typeof body["threadId"] === "number" ? body["threadId"] : 1
      })
      .pipe(Effect.ignore)
  const leave = Effect.suspend(() =>
    client.request(Requests.Disconnect, { terminateDebuggee: true }, { timeout: leavesWithin })
  ).pipe(Effect.ignore)
  const terminal = yield* AdapterProcess.terminal({
    streams,
    env: request.env,
    cwd: request.cwd,
    ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
    onStarted: (pid, exit) => {
      if (quirks.silentProcess !== true) return
      listener.emit({ _tag: "Process", pid, name: request.program })
      runFork(
        Effect.forkIn(
          Effect.map(exit, (how) => {
            // Without its debugger it went on by itself: what is told then is that the debugger is lost.
            if (!broken) DapEvents.left(context, how)
          }),
          scope
        )
      )
    }
  })
  const conversing = {
    transport: process,
    onEvent: (event: Message.Event) => {
      // Attaching stops what is attached to; nobody asked for that stop.
      const unasked = quirks.stopsAtAttach === true && existing?.kind === "process" && !request.stopOnEntry
      if (unasked && !wentOn && event.event === "stopped") {
        wentOn = true
        runFork(Effect.forkIn(goOn(event), scope))
      } else DapEvents.handle(context, event)
    },
    requestMillis: Configuration.requestTimeout(request),
    ...(adapter.streams === "terminal" ? { onReverseRequest: terminal.handle } : {})
  }
  const sessions =
    adapter.children === true ? yield* ChildSessions.make({ ...conversing, connect: process.connect }) : undefined
  const client: Client.Client = sessions ?? (yield* Client.make(conversing))
  const ending = yield* Shutdown.make({
    disconnect: (how) =>
      how === "detach" && quirks.letsGoByEnding === true
        ? Effect.void
        : (how === "detach" && quirks.detaches !== undefined && existing?.kind !== "core"
            ? Detach.byCommand(client, context, quirks.detaches)
            : Effect.void
          ).pipe(
            Effect.andThen(
              client.request(
                Requests.Disconnect,
                { terminateDebuggee: how === "kill" },
                { timeout: Shutdown.disconnectWithin }
              )
            )
          ),
    process,
    programs: terminal.started,
    launched: request.existing === undefined,
    servesOn: adapter.children === true,
    disconnects: request.existing?.kind !== "core"
  })
  yield* Effect.addFinalizer(() => ending.end("kill"))

  yield* client.closed.pipe(
    Effect.tap(() =>
      Effect.sync(() => {
        broken = true
      })
    ),
    Effect.andThen(process.exit),
    Effect.tap((exit) =>
      Effect.sync(() => {
        if (!ending.begun() && context.ended !== "terminated")
          listener.emit({ _tag: "Lost", reason: `${name} ${AdapterInfo.endOf(exit)}` })
      })
    ),
    Effect.forkIn(scope)
  )

  const atStage = beginning({ request, name, remote, log, exit: process.exit })

  yield* client
    .request(Requests.Initialize, Configuration.introduction(request, adapter), {
      timeout: Configuration.initializeTimeout(request)
    })
    .pipe(Effect.catch(atStage("initialize")))
  const version =
    AdapterInfo.versionIn(client.capabilities()) ??
    found.version ??
    (found.major === undefined ? undefined : `${found.major}`)
  const major = version === undefined ? 0 : Number.parseInt(version, 10)
  quirks = quirksOf(major)
  if (existing?.kind === "process") {
    // Looked at again as late as can be: the pid may belong to another process by now.
    const now = yield* Effect.flatMap(Processes.Processes, (processes) => processes.identify(existing.pid))
    if (Option.isNone(now) || now.value.started !== existing.started) {
      return yield* new Errors.AttachFailed({ target: Attach.describe(existing), detail: "it has ended" })
    }
  }
  const given = { found, streams, quirks, directory: home }
  const hold: Hold = yield* existing === undefined
    ? Effect.map(adapter.launchArguments(request, given), (args): Hold => ({ request: "launch", arguments: args }))
    : Effect.fromResult(adapter.hold(request, existing, quirks))
  yield* Effect.forEach(adapter.prepare?.(request, given) ?? [], (line) =>
    client.request(Requests.Evaluate, { expression: line, context: "repl" }, { timeout: "120 seconds" })
  ).pipe(Effect.catch(atStage("preparation")))

  // Awaited last: some adapters answer launch only after configurationDone.
  const launched = yield* (
    hold.request === "none"
      ? Effect.void
      : client.request(
          hold.request === "launch" ? Requests.Launch : Requests.Attach,
          LaunchOptions.added(hold.arguments, request, adapter, quirks),
          { timeout: request.held === true ? "20 days" : "120 seconds" }
        )
  ).pipe(Effect.forkIn(scope, { startImmediately: true }))
  // A program that is over at once ends the connection, and this with it; that is no failure of the launch.
  const launchAnswered = Effect.flatMap(Fiber.await(launched), (exit) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.void : Effect.asVoid(exit)
  )
  const launchFailed = Effect.andThen(launchAnswered, Effect.never)
  yield* client.initialized.pipe(
    Effect.raceFirst(launchFailed),
    Effect.catch(atStage("launch")),
    Effect.timeoutOrElse({
      duration: initializedWithin,
      orElse: () =>
        Effect.fail(
          existing?.kind === "remote"
            ? Attach.refused(existing, "failed to connect")
            : new Errors.RequestTimeout({ command: "launch", after_ms: initializedWithin })
        )
    })
  )

  if (!isLldb)
    yield* ExceptionFilters.setDefaults(client, quirks.defaultFilters).pipe(Effect.catch(atStage("exception filters")))
  const compiledFrom =
    quirks.wholePaths === true && request.program !== ""
      ? yield* ProgramSources.compiledFrom(fs, path, request.program)
      : []
  const conversation = DapConnection.make({
    client,
    name,
    quirks,
    major,
    ids,
    events: context,
    hanging,
    log,
    sourceOf: ProgramSources.whole(path, request, compiledFrom),
    runs: (thread) => sessions?.isRunning(thread) ?? false,
    lastLine: (file) => ProgramSources.lastLine(fs, file)
  })
  /** A core file stands still, also where its threads had no signal, of which lldb-dap says nothing. */
  const standing = Effect.gen(function* () {
    const [first] = yield* conversation.threads
    if (context.stops > 0 || context.asking === true || first === undefined) return
    const body = { reason: "entry", threadId: first.id, allThreadsStopped: true }
    DapEvents.handle(context, { type: "event", seq: 0, event: "stopped", body })
  })
  const connection: Backend.Connection = {
    ...conversation,
    // A file as input is read by the program itself.
    ...(request.stdin === undefined && existing === undefined && adapter.streams !== "events"
      ? { input: request.terminal === undefined ? ProgramInput.make(streams) : ProgramInput.terminal(conversation) }
      : {}),
    adapter: { name: name.replace(/-\d+$/, ""), backend: "dap", ...(version === undefined ? {} : { version }) },
    features: () => DapFeatures.of(adapter, client.capabilities()),
    run: Effect.gen(function* () {
      context.begun = true
      const configured = yield* hold.request !== "none" &&
      Capabilities.supports(client.capabilities(), "supportsConfigurationDoneRequest")
        ? // A launch that has failed already may leave it without an answer.
          Effect.exit(client.request(Requests.ConfigurationDone)).pipe(
            Effect.raceFirst(launchFailed),
            Effect.catch(atStage("launch"))
          )
        : Effect.succeed(Exit.void)
      // The launch response has the true reason when both fail.
      yield* launchAnswered.pipe(Effect.catch(atStage("launch")))
      yield* configured.pipe(Effect.catch(atStage("configuration")))
      if (existing?.kind === "core") yield* standing
      // Not every adapter says which process it was attached to.
      if (existing?.kind === "process" && context.process === undefined) {
        listener.emit({ _tag: "Process", pid: existing.pid, name: request.program })
      }
      if (hold.runsOn === true && request.stopOnEntry) yield* conversation.pause
      yield* ending.remember
    }),
    end: (how) =>
      Effect.suspend(() => {
        if (how === "detach") terminal.keep()
        return ending.end(how)
      })
  }
  return connection
})

/** What a connection is made with. */
type Services =
  | AdapterSockets
  | ProgramStreams
  | Processes.Processes
  | ChildProcessSpawner.ChildProcessSpawner
  | FileSystem.FileSystem
  | Path.Path

/** The layer of the backend. */
export const layer: Layer.Layer<Backend.Backend, never, Services> = Layer.effect(
  Backend.Backend,
  Effect.gen(function* () {
    // Without the layer's own scope: a connection lives in the scope of whoever launches it.
    const services = Context.omit(Scope.Scope)(yield* Effect.context<Services>())
    return Backend.Backend.of({
      runsSource: (program, settings) => Registry.forSource(program, settings) !== undefined,
      launch: (request, listener) =>
        launch(request, listener).pipe(Effect.provide(services)) satisfies Effect.Effect<
          Backend.Connection,
          Backend.LaunchFailure,
          Scope.Scope
        >
    })
  })
)
