/**
 * The `lldb-cli` backend: one interactive LLDB for one program, driven through its command line.
 *
 * The program is made before its breakpoints are set and stands still until it is `run`, as with an adapter; it never has
 * LLDB's own standard input. Fibers of a connection: (1) those of the driver, (2) the one that works through notices,
 * (3) the watcher, which tells the session when LLDB is gone. All end with the scope, whose closing runs the ladder of
 * `Shutdown` first.
 */
import { Lldb } from "@sigtrap/lldb"
import { Backend, Processes } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import { BreakpointIds } from "../console/BreakpointIds.ts"
import * as Configuration from "../adapters/Configuration.ts"
import * as DapEvents from "../dap/Events.ts"
import * as DapFeatures from "../dap/Features.ts"
import * as Shutdown from "../process/Shutdown.ts"
import * as LaunchOptions from "../adapters/LaunchOptions.ts"
import * as LldbProgram from "./Lldb.ts"
import * as LldbCliBreakpoints from "./Breakpoints.ts"
import * as LldbCliConnection from "./Connection.ts"
import * as LldbCliConsole from "./Console.ts"
import * as LldbCliEvents from "./Events.ts"
import * as LldbCliTargets from "./Targets.ts"
import * as LldbCliValues from "./Values.ts"
import * as LldbDap from "../adapters/LldbDap.ts"
import * as Attach from "../adapters/Attach.ts"
import * as ProgramInput from "../process/Input.ts"
import { ProgramStreams } from "../process/Streams.ts"
import * as OutputText from "../process/OutputText.ts"
import * as Quirks from "../adapters/Quirks.ts"

/** What a connection needs of the machine. */
type Needs =
  | ProgramStreams
  | Processes.Processes
  | ChildProcessSpawner.ChildProcessSpawner
  | FileSystem.FileSystem
  | Path.Path

const name = "lldb"

/** How long LLDB may take to make a process, and to say that it stands still. */
const beginsWithin = "120 seconds"
const standsWithin = 30_000

const startFailed = (stage: string) => (error: { readonly message: string }) =>
  new Errors.AdapterStartFailed({ adapter: name, stage, detail: error.message })

/** That the process to attach to is still the one that was meant. */
const stillThere = Effect.fnUntraced(function* (existing: Backend.Existing) {
  if (existing.kind !== "process") return
  const now = yield* Effect.flatMap(Processes.Processes, (processes) => processes.identify(existing.pid))
  if (Option.isNone(now) || now.value.started !== existing.started) {
    return yield* new Errors.AttachFailed({ target: Attach.describe(existing), detail: "it has ended" })
  }
})

const launch = Effect.fnUntraced(function* (
  request: Backend.LaunchRequest,
  listener: Backend.Listener
): Effect.fn.Return<Backend.Connection, Backend.LaunchFailure, Scope.Scope | Needs> {
  const fs = yield* FileSystem.FileSystem
  const programStreams = yield* ProgramStreams
  const scope = yield* Effect.scope
  yield* LaunchOptions.refuseLldb(request)
  const caller = Configuration.caller(
    request.surroundings === undefined ? request : { ...request, env: request.surroundings }
  )
  const found = yield* LldbProgram.find(caller)
  const { existing } = request

  const pipes = yield* programStreams
    .open(OutputText.decoders(listener.emit))
    .pipe(Effect.mapError((error) => startFailed("named pipes")({ message: error.detail })))
  const streams = yield* LaunchOptions.streams(request, pipes)
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-" }).pipe(Effect.mapError(startFailed("home")))
  const major = found.major ?? 19
  const beginning = yield* Effect.fromResult(
    LldbCliTargets.beginning(request, LldbDap.environment(caller, home), streams, major)
  )

  const lldb = yield* Lldb.make({
    executable: found.path,
    env: beginning.env,
    extendEnv: false,
    cwd: home,
    deadlines: { start: Configuration.startTimeout(request) }
  }).pipe(Effect.mapError(startFailed("start")))
  listener.spawned(lldb.pid)

  // Here the stop at the entry point is a signal in every version.
  const quirks = { ...Quirks.lldb(lldb.version.major), entryLooksLikeSignal: true }
  const context: DapEvents.Context = {
    listener,
    drain: streams.drain,
    quirks: () => quirks,
    ids: new BreakpointIds(),
    stopOnEntry: request.stopOnEntry && existing === undefined,
    arriving: existing !== undefined && existing.kind !== "core",
    lastResume: undefined,
    stepCutShort: false,
    pausing: false,
    moved: undefined,
    stops: 0,
    signal: undefined,
    ended: "no",
    onTerminated: () => DapEvents.over(context)
  }
  const console = LldbCliConsole.make(lldb)
  const values = LldbCliValues.make(console)
  const breakpoints = LldbCliBreakpoints.make(console, context)
  let telling = false
  const standing = yield* Deferred.make<Effect.Effect<void>>()
  const notices = yield* LldbCliEvents.make({
    console,
    context,
    telling: () => telling,
    held: (stop, pid) => {
      LldbCliEvents.handle(context, "process", { name: request.program, systemProcessId: pid })
      Deferred.doneUnsafe(standing, Exit.succeed(stop))
    },
    bound: breakpoints.bound,
    stopped: values.forget,
    letGo: () => listener.emit({ _tag: "Detached" })
  })
  lldb.onNotice(notices.take)

  const ending = yield* Shutdown.make({
    disconnect: (how) => leave(lldb, how),
    // One that is stuck still has a process.
    process: {
      pid: lldb.pid,
      exit: Effect.flatMap(lldb.lost, ({ reason }) => (reason === "stuck" ? Effect.never : Effect.void)),
      closeInput: lldb.closeInput
    },
    launched: existing === undefined,
    disconnects: existing?.kind !== "core"
  })
  yield* Effect.addFinalizer(() => ending.end("kill"))
  yield* lldb.lost.pipe(
    Effect.flatMap((lost) =>
      Effect.sync(() => {
        if (!ending.begun()) listener.emit({ _tag: "Lost", reason: `${name} ${LldbCliConsole.endOf(lost)}` })
      })
    ),
    Effect.forkIn(scope)
  )

  const obey = (lines: ReadonlyArray<string>) =>
    Effect.forEach(lines, (line) => console.command(line), { discard: true }).pipe(
      Effect.catchTag("AdapterError", (error) => Effect.fail(refused(request, error.detail)))
    )
  yield* obey(beginning.prepare)
  if (existing !== undefined) yield* stillThere(existing)
  yield* lldb
    .run(beginning.begin, { timeout: beginsWithin })
    .pipe(
      Effect.mapError((error) =>
        error._tag === "CommandFailed" ? refused(request, error.text) : LldbCliConsole.translate(error)
      )
    )
  // Of these nothing is said; the others tell it as a notice, sooner or later.
  const silent = existing === undefined ? context.quirks().silentEntry === true : existing.kind === "core"
  if (silent) notices.take({ kind: "stopped", pid: yield* processId(console) })
  const first = yield* Deferred.await(standing).pipe(
    Effect.timeoutOrElse({
      duration: standsWithin,
      orElse: () => Effect.fail(new Errors.RequestTimeout({ command: beginning.begin, after_ms: standsWithin }))
    })
  )

  const conversation = LldbCliConnection.make({ console, events: context, notices, values, breakpoints })
  return {
    ...conversation,
    // A file as input is read by the program itself.
    ...(request.stdin === undefined && existing === undefined ? { input: ProgramInput.make(streams) } : {}),
    features: () => DapFeatures.commandLine,
    adapter: { name, backend: "lldb-cli", version: lldb.version.text },
    run: Effect.gen(function* () {
      yield* obey(beginning.finish)
      if (request.commands !== undefined) yield* values.settled
      telling = true
      if (request.stopOnEntry) yield* first
      else yield* console.command("process continue")
      yield* ending.remember
    }),
    end: ending.end
  }
})

/** The number of the process, or the one that it had, by the first line of its status. */
const processId = (console: LldbCliConsole.Console) =>
  Effect.map(console.text("process status"), (text) => Number(/^Process (\d+) /m.exec(text)?.[1] ?? 0))

const refused = (request: Backend.LaunchRequest, detail: string) => {
  const text = detail.replace(/^error: /, "").trim()
  return request.existing === undefined
    ? new Errors.LaunchFailed({ program: request.program, detail: text })
    : Attach.refused(request.existing, text)
}

/** Lets go of the program, or ends it; LLDB has done it when it says so. */
const leave = (lldb: Lldb.Lldb, how: "kill" | "detach") =>
  lldb.run(how === "kill" ? "process kill" : "process detach", { timeout: Shutdown.disconnectWithin }).pipe(
    // There is no process any more.
    Effect.catchTag("CommandFailed", () => Effect.void)
  )

/** The layer of the backend. */
export const layer: Layer.Layer<Backend.Backend, never, Needs> = Layer.effect(
  Backend.Backend,
  Effect.map(Effect.context<Needs>(), (services) =>
    Backend.Backend.of({
      launch: (request, listener) =>
        // Without the layer's own scope: a connection lives in the scope of whoever launches it.
        launch(request, listener).pipe(Effect.provide(Context.omit(Scope.Scope)(services)))
    })
  )
)
