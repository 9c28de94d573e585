/**
 * The first phases of a launch: chooses the adapter, refuses unsupported options, opens the program's streams, and starts
 * the adapter or connects to a debug server that speaks DAP.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint, Settings, ShellWords } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type { Adapter, Found } from "../../adapters/Adapter.ts"
import * as Attach from "../../adapters/Attach.ts"
import * as Configuration from "../../adapters/Configuration.ts"
import * as LaunchOptions from "../../adapters/LaunchOptions.ts"
import type { Quirks } from "../../adapters/Quirks.ts"
import * as Registry from "../../adapters/Registry.ts"
import { AdapterSockets } from "../../process/AdapterSockets.ts"
import * as ListeningPorts from "../../process/ListeningPorts.ts"
import * as OutputText from "../../process/OutputText.ts"
import * as ProgramStreams from "../../process/Streams.ts"
import * as AdapterProcess from "./AdapterProcess.ts"
import { PrestartedAdapters, type Plan } from "./PrestartedAdapters.ts"

/** The adapter for a request. */
export interface Choice {
  readonly adapter: Adapter
  readonly found: Found
  /** Its name in messages. */
  readonly name: string
  /** The request with the caller's configuration in its environment. */
  readonly caller: Backend.LaunchRequest
  /** The debug server, if it speaks DAP itself. */
  readonly remote: Extract<Backend.AttachTarget, { readonly kind: "remote" }> | undefined
  readonly quirksOf: (major: number) => Quirks
  /** What to do if it does not start; absent for an adapter whose name is its command. */
  readonly remedies?: Hint.Hints
}

/** Fails if the adapter cannot attach to the target, before anything is started. */
const refuseTarget = Effect.fnUntraced(function* (
  adapter: Adapter,
  request: Backend.LaunchRequest,
  existing: Backend.AttachTarget,
  quirks: Quirks
) {
  yield* Effect.fromResult(adapter.attach(request, existing, quirks))
  if (existing.kind !== "remote") return
  const { host, port } = existing
  const closed = yield* quirks.silentRefusal === true
    ? Effect.map(ListeningPorts.accepts(host, port), (accepts) => !accepts)
    : ListeningPorts.isClosed(host, port)
  if (closed) return yield* Attach.connectionRefused(existing)
})

/** Returns the hint to run an adapter's command without sigtrap. */
const triedAlone = (caller: Backend.LaunchRequest, adapter: Adapter, found: Found): Hint.Hint => {
  const { args } = Configuration.start(caller, adapter.name, adapter.start(found, caller, caller.cwd))
  return Hint.remedy(`try its command alone: ${ShellWords.join([found.path, ...args])}`)
}

/** Chooses the adapter. Fails if it is not found or does not support something in the request. */
export const choose = Effect.fn("DapBackend.choose")(function* (request: Backend.LaunchRequest) {
  const path = yield* Path.Path
  const { callerEnv, existing, terminal } = request
  const caller = Configuration.caller(
    yield* Registry.Adapters,
    callerEnv === undefined ? request : { ...request, env: callerEnv }
  )
  const adapter = yield* Registry.choose(caller)
  const found = yield* adapter.find(Configuration.search(caller, adapter))
  // Output of a program in a terminal of the debugger arrives as `output` events.
  const quirksOf = (major: number): Quirks =>
    terminal === undefined ? adapter.quirks(major) : { ...adapter.quirks(major), outputInEvents: true }
  if (existing !== undefined) yield* refuseTarget(adapter, request, existing, quirksOf(found.major ?? 0))
  yield* LaunchOptions.refuse(request, adapter)
  const choice: Choice = {
    adapter,
    found,
    name: adapter.namedByFile === true ? path.basename(found.path) : adapter.name,
    caller,
    remote: existing?.kind === "remote" && adapter.remoteServesDap === true ? existing : undefined,
    quirksOf,
    ...(adapter.installation === undefined ? { remedies: [triedAlone(caller, adapter, found)] } : {})
  }
  return choice
})

/** Returns the port at which an adapter has to listen; undefined if it has another transport. Fails if the port is in use. */
const portOf = Effect.fnUntraced(function* ({ transport }: Adapter) {
  if (transport === "stdio" || !("port" in transport)) return undefined
  const { port } = transport
  if (port === "free") return yield* (yield* AdapterSockets).freePort
  return (yield* ListeningPorts.isClosed("127.0.0.1", port)) ? port : yield* Effect.fail(`port ${port} is in use`)
})

/** Returns how the adapter is started without the streams of a program; undefined if it is not started before it is needed. */
const planOf = (request: Backend.LaunchRequest, { adapter, caller, found, remote }: Choice): Plan | undefined => {
  const isOff = Settings.text(request.settings, "defaults.prestart") === "false"
  if (isOff || remote !== undefined || adapter.prestarts !== true || adapter.transport !== "stdio") return undefined
  return {
    adapter: adapter.name,
    path: found.path,
    runner: found.runner,
    startIn: (directory) => Configuration.start(request, adapter.name, adapter.start(found, caller, directory)),
    initialize: Configuration.initializeArguments(request, adapter)
  }
}

/** An adapter that was started, and the program's streams. */
export interface Started {
  readonly process: AdapterProcess.Started
  readonly streams: ProgramStreams.Streams
  /** A directory that is removed with the connection. */
  readonly directory: string
  /** Starts the adapter of the next launch in the background. */
  readonly prepareNext: Effect.Effect<void>
}

/** Starts the adapter; everything belongs to the scope. `onOutput` gets the output of the program. */
export const start = Effect.fn("DapBackend.startAdapter")(function* (
  request: Backend.LaunchRequest,
  choice: Choice,
  listener: Backend.Listener,
  onOutput: ProgramStreams.OnBytes
) {
  const { adapter, caller, found, name, quirksOf, remedies, remote } = choice
  const failed = (stage: string) => (error: { readonly message: string }) =>
    new Errors.AdapterStartFailed({
      adapter: name,
      stage,
      detail: error.message,
      ...(remedies === undefined ? {} : { remedies })
    })
  const { runtimeNotices = { lines: [] } } = quirksOf(found.major ?? 0)
  const toConsole = (text: string) => listener.emit({ _tag: "Output", channel: "console", text })
  const onBytes = OutputText.without(runtimeNotices, onOutput, toConsole)
  const place = yield* ProgramStreams.ProgramStreams
  const pipes = yield* (
    request.held === undefined
      ? ProgramStreams.open(place, listener, onBytes)
      : ProgramStreams.takeOver(request.held, listener, onBytes)
  ).pipe(Effect.mapError((error) => failed("named pipes")({ message: error.detail })))
  const streams = yield* LaunchOptions.streams(request, pipes)
  const prestarted = yield* PrestartedAdapters
  const plan = planOf(request, choice)
  const prepareNext = plan === undefined ? Effect.void : prestarted.prepare(plan)
  const taken = plan === undefined ? undefined : yield* prestarted.take(plan)
  if (taken !== undefined) {
    const { directory, process, recorded } = taken
    yield* Effect.andThen(listener.spawned(process.pid, directory), recorded)
    const started: Started = { process: AdapterProcess.startedBefore(process), streams, directory, prepareNext }
    return started
  }
  const own = OutputText.decoders((event) =>
    listener.emit(event._tag === "Output" ? { ...event, channel: "console" } : event)
  )
  const messages = AdapterProcess.firstLine(own)
  const log =
    adapter.streams === "adapter" && remote === undefined
      ? yield* place
          .open(messages.onBytes)
          .pipe(Effect.mapError(({ detail }) => failed("named pipes")({ message: detail })))
      : undefined
  const directory = yield* place
    .home(adapter.children === true)
    .pipe(Effect.mapError((error) => failed("home")({ message: error.detail })))
  const port = yield* portOf(adapter).pipe(Effect.mapError((detail) => failed("start")({ message: detail })))
  const process = yield* remote === undefined
    ? AdapterProcess.start({
        adapter,
        path: found.path,
        runner: found.runner,
        start: Configuration.start(request, adapter.name, adapter.start(found, caller, directory, log?.output), port),
        directory,
        streams,
        announced: messages.line,
        spawned: (pid) => listener.spawned(pid, directory),
        timeout: Configuration.startTimeout(request),
        ...(port === undefined ? {} : { port }),
        ...(request.stdin === undefined ? {} : { stdin: request.stdin })
      }).pipe(Effect.mapError((error) => failed("start")({ message: error.detail })))
    : AdapterProcess.dial(remote.host, remote.port)
  const started: Started = { process, streams, directory, prepareNext }
  return started
})
