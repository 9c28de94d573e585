/**
 * The `dap` backend: a debug adapter started for one program, driven by the Debug Adapter Protocol.
 *
 * A launch has these phases: choose the adapter, start it, make its client, initialize, launch or attach. Then the manager
 * sets breakpoints, and the connection's `run` sends `configurationDone`.
 */
import { Backend, FileReader, Processes } from "@sigtrap/manager"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { BackendServices } from "../process/BackendServices.ts"
import * as ProgramInput from "../process/Input.ts"
import * as OutputText from "../process/OutputText.ts"
import * as ProgramSources from "../process/Sources.ts"
import * as Spans from "../process/Spans.ts"
import * as StuckCall from "../process/StuckCall.ts"
import * as AdapterClient from "./start/AdapterClient.ts"
import * as AdapterInfo from "./AdapterInfo.ts"
import * as AdapterStart from "./start/AdapterStart.ts"
import * as DapConnection from "./Connection.ts"
import { startFailure } from "./Errors.ts"
import * as DapFeatures from "./Features.ts"
import * as CoreStop from "./stops/CoreStop.ts"
import * as HeldStop from "./stops/HeldStop.ts"
import * as Handshake from "./start/Handshake.ts"

/** Makes the requests of a connection. Finds the source files that the program was compiled from. */
const conversationOf = Effect.fnUntraced(function* (
  request: Backend.LaunchRequest,
  { begin, client, dialect, events, fork, ids, quirks, runs }: AdapterClient.AdapterClient,
  { tasks, ...rest }: Pick<DapConnection.Options, "name" | "major" | "stuckCall" | "log" | "tasks">
) {
  const reader = yield* FileReader.FileReader
  const path = yield* Path.Path
  const compiledFrom =
    quirks().absolutePathsOnly === true && request.program !== ""
      ? yield* ProgramSources.compiledFrom(reader, path, request.program)
      : []
  return DapConnection.make({
    ...rest,
    client,
    quirks: quirks(),
    dialect: dialect(),
    ids,
    events,
    sourceOf: ProgramSources.absolutePath(path, request, compiledFrom),
    runs,
    tasks,
    follows: request.followFork === "child",
    lastLine: (file) => ProgramSources.lastLine(reader, file),
    fork,
    ahead: { begin, flush: client.flush }
  })
})

/** Reports the stop of a core file for adapters that report none: lldb-dap if no thread has a signal, and GDB. */
const reportCoreStop = Effect.fnUntraced(function* (
  { client, dialect, events }: AdapterClient.AdapterClient,
  conversation: DapConnection.Conversation
) {
  const selected = yield* dialect()?.coreThread?.(client) ?? Effect.undefined
  const threads = yield* conversation.threads
  const thread = threads.find(({ id }) => id === selected) ?? threads[0]
  if (events.stopExpected || thread === undefined) return
  const body = { reason: "entry", threadId: thread.id, allThreadsStopped: true }
  events.handle({ type: "event", seq: 0, event: "stopped", body })
})

const launch = Effect.fn("DapBackend.launch")(function* (request: Backend.LaunchRequest, receiver: Backend.Listener) {
  const { existing } = request
  const named = existing?.kind === "core" ? CoreStop.named(receiver) : receiver
  const stuckCall = StuckCall.make({
    processes: yield* Processes.Processes,
    listener: request.held === undefined ? named : HeldStop.withCause(request.held, named),
    local: existing === undefined || existing.kind === "process"
  })
  const { listener, onBytes } = OutputText.make(stuckCall.listener)
  const choice = yield* AdapterStart.choose(request)
  const started = yield* AdapterStart.start(request, choice, listener, onBytes)
  const made = yield* AdapterClient.make({ request, choice, started, listener, stuckCall })
  const { client, events, shutdown } = made
  const { adapter, found, name, remedies, remote } = choice
  const { process, streams } = started

  const log = () => AdapterInfo.lastLines(process.stderrTail())
  const atStage = startFailure({
    request,
    name,
    remote,
    log,
    failures: made.quirks().failures,
    exit: process.exit,
    remedies
  })
  const options: Handshake.Options = { client, request, choice, atStage }
  const version = yield* Handshake.initialize(options)
  const major = version === undefined ? 0 : Number.parseInt(version, 10)
  made.setMajor(major)
  yield* Handshake.verifyProcess(existing)
  const quirks = made.quirks()
  const { attach, catches, configure } = yield* Handshake.launch(options, {
    found,
    streams,
    quirks,
    directory: started.directory
  })
  yield* started.prepareNext
  const conversation = yield* conversationOf(request, made, { name, major, stuckCall, log, tasks: adapter.tasks })

  // The program itself reads a file given as standard input.
  const hasInput = request.stdin === undefined && existing === undefined && adapter.streams !== "events"
  const input = request.terminal === undefined ? ProgramInput.make(streams) : ProgramInput.terminal(conversation)
  const connection: Backend.Connection = {
    ...conversation,
    ...(hasInput ? { input } : {}),
    traces: quirks.insertsTraps === true,
    catches,
    adapter: {
      name: name.replace(/-\d+$/, ""),
      backend: "dap",
      ...(version === undefined ? {} : { version }),
      ...(found.skipped === undefined ? {} : { skipped: found.skipped })
    },
    features: () => DapFeatures.of(adapter, quirks, client.capabilities()),
    run: Effect.gen(function* () {
      events.start()
      yield* configure
      if (existing?.kind === "core") yield* reportCoreStop(made, conversation)
      // Some adapters do not send `process` after attach.
      if (existing?.kind === "process" && events.pid === undefined) {
        listener.emit({ _tag: "Process", pid: existing.pid, name: request.program })
      }
      if (attach.keepsRunning === true && request.stopOnEntry) yield* conversation.pause
      yield* shutdown.remember
    }),
    end: (how) =>
      Effect.suspend(() => {
        if (how === "detach") made.keepPrograms()
        return shutdown.end(how)
      })
  }
  return Spans.traced("DapBackend", connection)
})

/** The layer of the backend. */
export const layer: Layer.Layer<Backend.Backend, never, BackendServices> = Layer.effect(
  Backend.Backend,
  Effect.gen(function* () {
    // The layer's own scope and span are removed: a connection belongs to the scope of its launch, its spans to the call's trace.
    const services = Context.omit(Scope.Scope, Tracer.ParentSpan)(yield* Effect.context<BackendServices>())
    return Backend.Backend.of({
      launch: (request, listener) =>
        launch(request, listener).pipe(Effect.provide(services)) satisfies Effect.Effect<
          Backend.Connection,
          Backend.LaunchFailure,
          Scope.Scope
        >
    })
  })
)
