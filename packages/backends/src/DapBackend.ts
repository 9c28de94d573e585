/**
 * The `dap` backend: a debug adapter started for one program, spoken to in the Debug Adapter Protocol.
 *
 * The handshake works in every order that adapters use: launch is sent without waiting for its response, breakpoints
 * follow `initialized`, and only after configurationDone is the launch response awaited. Fibers of a connection:
 * (1) those of the client and the transport, (2) the watcher, which tells the session when the adapter is gone and ends
 * with the connection, (3) after `terminated`, one that waits a moment for `exited`. All end with the scope, whose
 * closing runs the ladder of `Ending` first.
 */
import { Capabilities, Client, Requests, Transport, type Errors as Dap } from "@sigtrap/dap"
import { Parse } from "@sigtrap/lldb"
import type { Processes } from "@sigtrap/manager"
import { Backend } from "@sigtrap/manager"
import { Errors, type Output } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { BreakpointIds } from "./BreakpointIds.ts"
import * as DapConnection from "./DapConnection.ts"
import * as DapEvents from "./DapEvents.ts"
import { translate } from "./DapFailures.ts"
import * as Ending from "./Ending.ts"
import * as LldbDap from "./LldbDap.ts"
import { ProgramStreams } from "./ProgramStreams.ts"
import * as Quirks from "./Quirks.ts"

/** How long adapters that send `terminated` before `exited` may take between the two. */
const exitedAfterTerminated = "100 millis"

/** How long a launch may take until the adapter takes breakpoints, in milliseconds. */
const initializedWithin = 30_000

const initializeArguments: Requests.InitializeArguments = {
  clientID: "sigtrap",
  clientName: "sigtrap",
  adapterID: "lldb-dap",
  locale: "en-US",
  linesStartAt1: true,
  columnsStartAt1: true,
  pathFormat: "path",
  supportsVariableType: true,
  supportsVariablePaging: true,
  supportsMemoryReferences: true,
  supportsProgressReporting: false,
  supportsRunInTerminalRequest: false
}

/** LLDB's version in the initialize response, where every generation puts it elsewhere. */
const versionIn = (capabilities: Capabilities.Capabilities): string | undefined => {
  const nested = capabilities["__lldb"]
  const texts = [
    capabilities["$__lldb_version"],
    typeof nested === "object" && nested !== null && "version" in nested ? nested.version : undefined
  ]
  return texts
    .map((text) => (typeof text === "string" ? Parse.version(text) : undefined))
    .find((text) => text !== undefined)
}

/** Text of two byte streams, decoded across the borders of their pieces. */
const decoders = (emit: Backend.Listener["emit"]) => {
  const stdout = new TextDecoder()
  const stderr = new TextDecoder()
  return (channel: Extract<Output.Channel, "stdout" | "stderr">, bytes: Uint8Array) => {
    const text = (channel === "stdout" ? stdout : stderr).decode(bytes, { stream: true })
    if (text !== "") emit({ _tag: "Output", channel, text })
  }
}

const lastWords = (text: string): string | undefined => {
  const lines = text.trimEnd().split("\n").slice(-20).join("\n")
  return lines === "" ? undefined : lines
}

const endOf = (exit: Transport.Exit) =>
  exit.signal !== undefined
    ? `was killed by ${exit.signal}`
    : exit.code === undefined
      ? "has gone away"
      : `exited with code ${exit.code}`

const launch = Effect.fnUntraced(function* (request: Backend.Launch, listener: Backend.Listener) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const programStreams = yield* ProgramStreams
  const scope = yield* Effect.scope
  const found = yield* LldbDap.find(request)
  const name = path.basename(found.path)

  const startFailed = (stage: string) => (error: { readonly message: string }) =>
    new Errors.AdapterStartFailed({ adapter: name, stage, detail: error.message })
  const streams = yield* programStreams
    .open(decoders(listener.emit))
    .pipe(Effect.mapError((error) => startFailed("named pipes")({ message: error.detail })))
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-" }).pipe(Effect.mapError(startFailed("home")))

  const process = yield* Transport.spawn({
    command: found.path,
    env: LldbDap.environment(request, home),
    extendEnv: false,
    cwd: home
  }).pipe(Effect.mapError((error) => startFailed("start")({ message: error.detail })))
  listener.spawned(process.pid)
  const log = () => lastWords(process.stderrTail())

  let quirks = Quirks.lldb(found.major ?? 0)
  const ids = new BreakpointIds()
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const context: DapEvents.Context = {
    listener,
    drain: streams.drain,
    quirks: () => quirks,
    ids,
    stopOnEntry: request.stopOnEntry,
    lastResume: undefined,
    stepCutShort: false,
    pausing: false,
    moved: undefined,
    stops: 0,
    signal: undefined,
    ended: "no",
    onTerminated: () =>
      runFork(
        Effect.sleep(exitedAfterTerminated).pipe(
          Effect.andThen(Effect.sync(() => listener.emit({ _tag: "Terminated" }))),
          Effect.forkIn(scope)
        )
      )
  }
  const client = yield* Client.make({ transport: process, onEvent: (event) => DapEvents.handle(context, event) })
  const ending = yield* Ending.make({ client, process, launched: true })
  yield* Effect.addFinalizer(() => ending.end("kill"))

  yield* client.closed.pipe(
    Effect.andThen(process.exit),
    Effect.tap((exit) =>
      Effect.sync(() => {
        if (!ending.begun()) listener.emit({ _tag: "Lost", reason: `${name} ${endOf(exit)}` })
      })
    ),
    Effect.forkIn(scope)
  )

  /** Before the session stands, a broken connection is a failed start, and the exit says more than the connection. */
  const atStage =
    (stage: string) =>
    (error: Dap.RequestError): Effect.Effect<never, Backend.LaunchFailure> =>
      error._tag === "ConnectionClosed"
        ? Effect.flatMap(process.exit, (exit) => {
            const words = log()
            return Effect.fail(
              new Errors.AdapterStartFailed({
                adapter: name,
                stage,
                detail: `it ${endOf(exit)}`,
                ...(words === undefined ? {} : { log: words })
              })
            )
          })
        : error._tag === "RequestFailed"
          ? Effect.fail(new Errors.LaunchFailed({ program: request.program, detail: error.text.trim() }))
          : Effect.fail(translate(name, log)(error))

  yield* client.request(Requests.Initialize, initializeArguments).pipe(Effect.catch(atStage("initialize")))
  const version = versionIn(client.capabilities()) ?? (found.major === undefined ? undefined : `${found.major}`)
  const major = version === undefined ? 0 : Number.parseInt(version, 10)
  quirks = Quirks.lldb(major)
  const launchArguments = LldbDap.launchArguments(request, streams, quirks)
  if (Result.isFailure(launchArguments)) return yield* launchArguments.failure

  // Awaited last: some adapters answer launch only after configurationDone.
  const launched = yield* client
    .request(Requests.Launch, launchArguments.success, { timeout: "120 seconds" })
    .pipe(Effect.forkIn(scope, { startImmediately: true }))
  const launchFailed = Effect.andThen(Fiber.join(launched), Effect.never)
  yield* client.initialized.pipe(
    Effect.raceFirst(launchFailed),
    Effect.catch(atStage("launch")),
    Effect.timeoutOrElse({
      duration: initializedWithin,
      orElse: () => Effect.fail(new Errors.RequestTimeout({ command: "launch", after_ms: initializedWithin }))
    })
  )

  const conversation = DapConnection.make({ client, name, quirks, major, ids, events: context, log })
  const connection: Backend.Connection = {
    ...conversation,
    adapter: { name: name.replace(/-\d+$/, ""), backend: "dap", ...(version === undefined ? {} : { version }) },
    run: Effect.gen(function* () {
      const configured = yield* Capabilities.supports(client.capabilities(), "supportsConfigurationDoneRequest")
        ? // A launch that has failed already may leave it without an answer.
          Effect.exit(client.request(Requests.ConfigurationDone)).pipe(
            Effect.raceFirst(launchFailed),
            Effect.catch(atStage("launch"))
          )
        : Effect.succeed(Exit.void)
      // The launch response has the true reason when both fail.
      yield* Fiber.join(launched).pipe(Effect.catch(atStage("launch")))
      yield* configured.pipe(Effect.catch(atStage("configuration")))
      yield* ending.remember
    }),
    end: (how) => ending.end(how)
  }
  return connection
})

/** The layer of the backend. */
export const layer: Layer.Layer<
  Backend.Backend,
  never,
  ProgramStreams | Processes.Processes | ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path
> = Layer.effect(
  Backend.Backend,
  Effect.gen(function* () {
    // Without the layer's own scope: a connection lives in the scope of whoever launches it.
    const services = Context.omit(Scope.Scope)(
      yield* Effect.context<
        | ProgramStreams
        | Processes.Processes
        | ChildProcessSpawner.ChildProcessSpawner
        | FileSystem.FileSystem
        | Path.Path
      >()
    )
    return Backend.Backend.of({
      name: "dap",
      launch: (request, listener) =>
        launch(request, listener).pipe(Effect.provide(services)) satisfies Effect.Effect<
          Backend.Connection,
          Backend.LaunchFailure,
          Scope.Scope
        >
    })
  })
)
