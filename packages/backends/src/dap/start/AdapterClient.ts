/**
 * Makes the client of one adapter: sends requests, translates events, starts programs at the adapter's request, and shuts
 * everything down.
 *
 * These fibers end with the scope: those of the client and the transport; one that reports the loss of the adapter; after
 * `terminated`, one that waits for `exited`; one for each program started at the adapter's request, until it exits.
 */
import { ChildSessions, Client, Message, Requests } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Attach from "../../adapters/Attach.ts"
import * as Configuration from "../../adapters/Configuration.ts"
import type { Quirks } from "../../adapters/Quirks.ts"
import { BreakpointIds } from "../../console/BreakpointIds.ts"
import type { Dialect } from "../../console/Dialect.ts"
import * as Shutdown from "../../process/Shutdown.ts"
import * as AdapterInfo from "../AdapterInfo.ts"
import * as AdapterProcess from "./AdapterProcess.ts"
import * as AdapterRequests from "./AdapterRequests.ts"
import type { Choice, Started } from "./AdapterStart.ts"
import * as Detach from "../Detach.ts"
import * as DapEvents from "../events/Events.ts"
import { ProgressReports } from "../events/ProgressReports.ts"
import * as StopDetails from "../stops/StopDetails.ts"
import * as StopGroups from "../stops/StopGroups.ts"
import * as StraySignals from "../stops/StraySignals.ts"
import type { StuckCall } from "../../process/StuckCall.ts"
import * as SilentProgram from "./SilentProgram.ts"
import * as UnansweredRequests from "../../process/UnansweredRequests.ts"

/** Timeout of `exited` after `terminated`; some adapters send them in this order. */
const exitedAfterTerminated = "100 millis"

/** How long an adapter may take to exit after its output has ended. */
const exitTimeout = "1 second"

/** Timeout of the `disconnect` at which some adapters report the exit code. */
const disconnectTimeout = "2 seconds"

/** What the items of a response are. */
const listed: { readonly [command: string]: Backend.Listed } = {
  scopes: "variables",
  variables: "variables",
  threads: "threads",
  modules: "modules",
  loadedSources: "files"
}

/** The input of `make`. */
export interface Options {
  readonly request: Backend.LaunchRequest
  readonly choice: Choice
  readonly started: Started
  readonly listener: Backend.Listener
  /** Knows which signals were sent to the program. */
  readonly stuckCall: Pick<StuckCall, "isSignalOwed" | "signalReceived">
}

/** The client of one adapter. */
export interface AdapterClient {
  readonly client: Client.Client
  readonly events: DapEvents.Translator
  readonly ids: BreakpointIds
  readonly shutdown: Shutdown.Shutdown
  readonly quirks: () => Quirks
  readonly dialect: () => Dialect | undefined
  /** Replaces the quirks when the adapter has reported its version. */
  readonly setMajor: (major: number) => void
  /** Keeps programs that were started at the adapter's request alive when the connection ends. */
  readonly keepPrograms: () => void
  /** True if a thread runs although the program is reported stopped. */
  readonly runs: (thread: number) => boolean
  /** Runs an effect in the scope of the connection. */
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** Runs an effect in the scope of the connection, up to its first wait at once. */
  readonly begin: (effect: Effect.Effect<unknown>) => void
}

/** Resumes a process that attaching has stopped. */
const resumeAfterAttach = (client: Client.Client, { body }: Message.Event) =>
  client
    .request(Requests.Continue, {
      threadId: Message.isRecord(body) && typeof body["threadId"] === "number" ? body["threadId"] : 1
    })
    .pipe(Effect.ignore)

/**
 * Reports the exit of a process that this process started. Waits for the end that the adapter reports, if it may still report where
 * breakpoints are: a program can end before that.
 */
const reportExit = Effect.fnUntraced(function* (
  events: DapEvents.Translator,
  ids: BreakpointIds,
  how: Parameters<typeof events.reportExit>[0]
) {
  if (ids.assumed.length > 0 && events.end === "none") {
    const change = events.awaitStateChange()
    yield* Effect.timeoutOption(change.happened, exitTimeout).pipe(Effect.ensuring(Effect.sync(change.cancel)))
  }
  yield* events.beforeEnd() ?? Effect.void
  events.reportExit(how)
})

/** Returns the receiver of events: it groups those of one stop and leaves out the SIGSTOP of an earlier pause. */
const receiverOf = ({
  client,
  events,
  fork,
  ids,
  quirks,
  request: { existing },
  stuckCall
}: Pick<Options, "request" | "stuckCall"> &
  Pick<AdapterClient, "events" | "fork" | "ids" | "quirks"> & { readonly client: () => Client.Client }) =>
  StopGroups.make({
    mark: () => (existing?.kind === "core" ? undefined : quirks().stopMark),
    handle: (event) => events.handle(event),
    // An event at a breakpoint with a condition waits. Without the others of its stop, the program would be resumed meanwhile.
    together: (handleAll) => (ids.hasConditions ? events.pendingStops.together(handleAll) : handleAll()),
    reported: StraySignals.make({
      isOwed: stuckCall.isSignalOwed,
      received: stuckCall.signalReceived,
      isPausing: () => events.pausing,
      resume: (threadId) => fork(Effect.ignore(client().request(Requests.Continue, { threadId })))
    }),
    fork
  })

/** Returns what reads each event of an adapter before it is translated. */
const noteEvents = (
  emit: Backend.Listener["emit"],
  { heard }: Pick<UnansweredRequests.UnansweredRequests, "heard">
): ((event: Message.Event) => void) => {
  const progress = new ProgressReports(emit)
  return (event) => {
    heard()
    progress.take(event)
  }
}

/** Returns what reports a response with more items than are read. */
const cutOf = (listener: Backend.Listener) => (command: string, count: number) => {
  const what = listed[command]
  if (what !== undefined) listener.cut?.(what, count)
}

/** Makes the client of an adapter that was started. */
export const make = Effect.fn("DapBackend.converse")(function* ({
  choice,
  listener,
  request,
  started,
  stuckCall
}: Options) {
  const { adapter, found, name, quirksOf } = choice
  const { existing } = request
  const { process, streams } = started
  const scope = yield* Effect.scope
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const fork = (effect: Effect.Effect<unknown>) => void runFork(Effect.forkIn(effect, scope))
  const ids = new BreakpointIds()
  let quirks = quirksOf(found.major ?? 0)
  let dialect = adapter.dialect?.(quirks)
  let closed = false
  const program = SilentProgram.make({ listener, request }, fork, (how) =>
    // After the connection closed, the loss of the adapter is reported instead.
    closed ? Effect.void : reportExit(events, ids, how)
  )

  const leave = Effect.suspend(() =>
    client.request(Requests.Disconnect, { terminateDebuggee: true }, { timeout: disconnectTimeout })
  ).pipe(Effect.ignore)
  const events = new DapEvents.Translator({
    listener,
    drain: streams.drain,
    quirks: () => quirks,
    ids,
    stopOnEntry: request.stopOnEntry && existing === undefined,
    attached: existing !== undefined && existing.kind !== "core",
    mayRepeatStop: existing !== undefined || request.held !== undefined,
    completeStop: (body) =>
      StopDetails.complete({ client, core: existing?.kind === "core", dialect, ids, listener, quirks }, body),
    completeExit: (exitCode) => dialect?.end?.(client, exitCode),
    fork,
    onTerminated: () => {
      // Adapters with `exitCodeInText` report the exit code only when they are disconnected.
      const exited = Effect.andThen(program.reported, Effect.sleep(exitedAfterTerminated))
      const last = quirks.exitCodeInText === undefined ? exited : leave
      fork(
        Effect.andThen(
          last,
          Effect.sync(() => events.reportTermination())
        )
      )
    }
  })
  if (existing !== undefined && existing.kind !== "core") events.start()

  const terminal = yield* AdapterProcess.terminal({
    streams,
    env: request.env,
    cwd: request.cwd,
    ...(adapter.command === undefined ? {} : { command: adapter.command }),
    ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
    onStarted: (pid, exit) => {
      if (quirks.silentProcess === true) program.onStarted(pid, exit)
    }
  })
  const receive = receiverOf({ request, stuckCall, events, fork, ids, client: () => client, quirks: () => quirks })
  let resumed = false
  const unanswered = yield* UnansweredRequests.make(listener.emit)
  const note = noteEvents(listener.emit, unanswered)
  const connection = {
    transport: process,
    onResponse: unanswered.heard,
    onEvent: (event: Message.Event) => {
      note(event)
      const stopsUnrequested = quirks.stopsAtAttach === true && existing?.kind === "process" && !request.stopOnEntry
      if (!stopsUnrequested || resumed || event.event !== "stopped") return receive(event)
      resumed = true
      fork(resumeAfterAttach(client, event))
    },
    onSkipped: (bytes: number) => listener.emit({ _tag: "Gap", count: 1, bytes }),
    onCut: cutOf(listener),
    requestMillis: Configuration.requestTimeout(request),
    ...(adapter.streams === "terminal" ? { onReverseRequest: terminal.handle } : {})
  }
  const sessions =
    adapter.children === true ? yield* ChildSessions.make({ ...connection, connect: process.connect }) : undefined
  const connected: Client.Client = sessions ?? (yield* Client.make(connection))
  const client = AdapterRequests.make({ connected, unanswered, process, millis: connection.requestMillis })

  const disconnect = (how: "kill" | "detach", millis: number): Effect.Effect<unknown, unknown> => {
    if (how === "detach" && quirks.detachesWhenKilled === true) return Effect.void
    const { detachCommand } = quirks
    const request = (timeout: number) =>
      client.request(Requests.Disconnect, { terminateDebuggee: how === "kill" }, { timeout })
    if (how === "kill" || detachCommand === undefined || existing?.kind === "core") return request(millis)
    return Effect.andThen(
      Effect.timeoutOption(Detach.byCommand(client, events, detachCommand), millis / 2),
      request(millis / 2)
    )
  }
  const shutdown = yield* Shutdown.make({
    disconnect,
    process,
    programs: terminal.started,
    awaitsPrograms: quirks.silentProcess === true,
    launched: existing === undefined,
    exited: () => events.end !== "none",
    holders: streams.holders,
    home: started.directory,
    survivesDisconnect: adapter.children === true,
    disconnects: existing?.kind !== "core"
  })
  yield* Effect.addFinalizer(() => shutdown.end("kill"))

  yield* client.closed.pipe(
    Effect.tap(() =>
      Effect.sync(() => {
        closed = true
      })
    ),
    Effect.andThen(process.exit),
    Effect.tap((exit) =>
      Effect.sync(() => {
        if (!shutdown.started() && events.end !== "terminated")
          listener.emit({
            _tag: "Lost",
            reason: `${name} ${AdapterInfo.endOf(exit)}${Attach.trapNotice(existing, quirks)}`
          })
      })
    ),
    Effect.forkIn(scope)
  )

  return {
    client,
    events,
    ids,
    shutdown,
    quirks: () => quirks,
    dialect: () => dialect,
    setMajor: (major) => {
      quirks = quirksOf(major)
      dialect = adapter.dialect?.(quirks)
    },
    keepPrograms: terminal.keep,
    runs: (thread) => sessions?.isRunning(thread) ?? false,
    fork,
    begin: (effect) => void runFork(Effect.forkIn(effect, scope, { startImmediately: true }))
  } satisfies AdapterClient
})
