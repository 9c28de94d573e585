/**
 * All sessions of one owner: creates, selects, restarts and ends them.
 *
 * An ended session is kept until its name is used again or it is stopped, so that its history can still be read.
 * Fibers: one idle timer for each session with a timeout, ended with the session.
 */
import { type Caller, type Errors, Session as Model } from "@sigtrap/protocol"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { Launch, type StartPayload } from "../launch/Launch.ts"
import * as ClientRules from "../model/permissions/ClientRules.ts"
import * as ProjectDebuggerConsent from "../launch/ProjectDebuggerConsent.ts"
import * as Policy from "../model/permissions/Policy.ts"
import { SourceFiles } from "../model/sources/SourceFiles.ts"
import type { Backend, LaunchRequest } from "../ports/Backend.ts"
import { FileReader } from "../ports/FileReader.ts"
import type { RecordedBreakpoint } from "../ports/Intent.ts"
import { IntentStore } from "../ports/IntentStore.ts"
import type { Ledger } from "../ports/Ledger.ts"
import { Processes } from "../ports/Processes.ts"
import type { Held } from "../ports/ProgramRuns.ts"
import * as IntentRequest from "../launch/IntentRequest.ts"
import * as LostSessions from "./recovery/LostSessions.ts"
import { Observers } from "./Observers.ts"
import { Questions } from "./consent/Questions.ts"
import * as Recovery from "./recovery/Recovery.ts"
import * as Reruns from "./Reruns.ts"
import * as Session from "./Session.ts"
import * as SessionSelection from "./SessionSelection.ts"
import * as SessionStart from "./SessionStart.ts"
import type { Configure, SessionOptions, Started, StartFailure } from "./SessionStart.ts"
import { type SessionSelector, isLive, type SelectionFailure, SessionNames } from "./SessionNames.ts"
import type { ShutdownMode } from "./Shutdown.ts"

export type { SessionSelector, SelectionFailure } from "./SessionNames.ts"
export type { Configure, SessionOptions, Started, StartFailure } from "./SessionStart.ts"
export { defaultName } from "./SessionStart.ts"

/** Launch options that a restart can change. */
export type RestartOptions = Partial<Pick<LaunchRequest, "args" | "stopOnEntry">>

/** Starts, selects, restarts and ends sessions. */
export class Manager extends Context.Service<
  Manager,
  {
    /** The sessions that the caller may see. */
    readonly sessions: Effect.Effect<ReadonlyArray<Session.Session>>
    /** The caller of the running operation, confined to the session that it may see by the name which that has now. */
    readonly caller: Effect.Effect<Caller.Caller>
    /** Calls `wake` once, when a session is added, removed or renamed. Returns a function that ends that. */
    readonly onChange: (wake: () => void) => () => void
    /** Returns the named session; without a name the current one of the directory, or the only live one. */
    readonly select: (selector: SessionSelector) => Effect.Effect<Session.Session, SelectionFailure>
    /** Makes a session the current one of a directory. */
    readonly use: (
      name: string,
      directory: string | undefined
    ) => Effect.Effect<Session.Session, Errors.SessionNotFound | Errors.Policy>
    readonly rename: (name: string, next: string) => Effect.Effect<Session.Session, SessionSelection.RenameFailure>
    /** Launches a program. `configure` runs after its breakpoints are set. */
    readonly start: (payload: StartPayload, configure?: Configure) => Effect.Effect<Started, StartFailure>
    /** Starts a session from a launch request: launches, attaches, opens a core file or connects. */
    readonly begin: (
      launch: LaunchRequest,
      payload: SessionOptions,
      configure?: Configure
    ) => Effect.Effect<Started, StartFailure>
    /** Ends a session and starts its program again under the same name. */
    readonly restart: (session: Session.Session, change: RestartOptions) => Effect.Effect<Started, StartFailure>
    /**
     * Starts the program of a session once more, in a session that no list has, and stops it at its first instruction. With a held
     * run the session takes that over, where it is stopped.
     */
    readonly rerun: (session: Session.Session, held?: Held) => Effect.Effect<Started, StartFailure>
    /** Gives such a session a name, and ends the session that has it. */
    readonly publish: (session: Session.Session, name: string) => Effect.Effect<void>
    /** Ends such a session in the background, unless it has a name. */
    readonly discard: (session: Session.Session) => Effect.Effect<void>
    /** Starts or attaches to the program of a lost session again, with these breakpoints. A failure leaves it lost. */
    readonly recover: (
      session: Session.Session,
      launch: LaunchRequest,
      breakpoints: ReadonlyArray<RecordedBreakpoint>
    ) => Effect.Effect<Recovery.Recovered, Recovery.RecoverFailure>
    /**
     * Ends a session and, unless `mode` keeps it, forgets it. A launched program is killed unless `mode` says otherwise. Returns a
     * problem that the caller should know.
     */
    readonly end: (session: Session.Session, mode?: ShutdownMode) => Effect.Effect<string | undefined>
    /** Ends the control leases of an actor whose last connection has closed. */
    readonly disconnected: (actor: string) => Effect.Effect<void>
    /** The calls that wait for consent. */
    readonly questions: Effect.Effect<Questions>
    /** Ends the questions of a connection that has closed. */
    readonly left: (connection: string) => Effect.Effect<void>
    /** Counts a stream of the caller until the scope ends. Ends its control leases with its last one, if it is an actor of HTTP. */
    readonly observing: Effect.Effect<void, never, Scope.Scope>
    /** Number of live sessions. An idle daemon exits when there are none. */
    readonly live: Effect.Effect<number>
    /** Ends every session. */
    readonly endAll: Effect.Effect<void>
    /** Stores every session and writes no more, so that their end does not remove the records. */
    readonly keepRecords: Effect.Effect<void>
  }
>()("@sigtrap/manager/Manager") {
  static readonly layer = Layer.effect(
    Manager,
    Effect.suspend(() => make)
  )
}

/** Ends a session when its idle timeout expires, unless it ends before. */
const idled = Effect.fnUntraced(function* (session: Session.Session, end: Manager["Service"]["end"]) {
  if (!Number.isFinite(session.idle.millis)) return
  const ended = session.await(({ state }) => !Model.isLive(state) && state !== "none", Infinity)
  if (yield* Effect.raceFirst(Effect.as(session.idle.expired, true), Effect.as(ended, false)))
    yield* end(session, { how: "kill", unasked: true })
})

/** Stores every session and writes no more. */
const keepAll = (names: SessionNames) =>
  Effect.suspend(() =>
    Effect.forEach(
      names.all(),
      ({ intent, spool }) =>
        Effect.andThen(
          spool.finish,
          Effect.sync(() => intent.keep())
        ),
      { discard: true }
    )
  )

const make = Effect.gen(function* () {
  const program = yield* Launch
  const machine = { fs: yield* FileSystem.FileSystem, path: yield* Path.Path }
  const reader = yield* FileReader
  const processes = yield* Processes
  const sources = yield* SourceFiles
  // Closed after all sessions have ended.
  const lifetime = yield* Effect.flatMap(Effect.scope, Scope.fork)
  // Without the span of the layer, so that a session's start is part of the trace of its call.
  const services = Context.omit(Tracer.ParentSpan)(yield* Effect.context<Backend | Ledger | Processes | IntentStore>())
  const recording = { store: yield* IntentStore, fs: machine.fs, reader }
  const names = new SessionNames()
  const observers = new Observers()
  const questions = new Questions(yield* Clock.Clock, lifetime, yield* ClientRules.Current)
  yield* LostSessions.add(names, lifetime)

  const end = Effect.fn("Manager.end")(function* (session: Session.Session, mode: ShutdownMode = { how: "kill" }) {
    const problem = yield* session.end(mode)
    session.intent.remove()
    if (mode.keep !== true) names.forget(session)
    return problem
  })

  const endAll = Effect.suspend(() =>
    Effect.forEach(names.all(), (session) => end(session, { how: "kill", unasked: true }), {
      concurrency: "unbounded",
      discard: true
    })
  ).pipe(Effect.andThen(names.ended))
  const keepRecords = keepAll(names)
  yield* Effect.addFinalizer((exit) =>
    Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Effect.andThen(keepRecords, endAll) : endAll
  )

  const endWhenIdle = (session: Session.Session) => Effect.forkIn(idled(session, end), lifetime)

  const begin = SessionStart.make({
    programs: program,
    machine,
    reader,
    processes,
    sources,
    lifetime,
    services,
    recording,
    names,
    end,
    endWhenIdle
  })

  const restart = Effect.fn("Manager.restart")(function* (session: Session.Session, change: RestartOptions) {
    const { policy, stopAtMain } = session
    yield* Policy.permit(policy, "restart", "starting the program again")
    yield* session.end({ how: "kill" })
    const { held: _held, loadOnly: _loadOnly, ...before } = session.launch
    const launch = { ...before, ...change }
    const request = yield* IntentRequest.ofRestart(session.request, launch, recording)
    const options = { ...Recovery.continued(session, launch), ...(request === undefined ? {} : { request }) }
    const next = yield* Session.make(options, lifetime).pipe(Effect.provide(services))
    names.set(next)
    const token = yield* next.start(
      Effect.andThen(
        next.breakpoints.restore,
        stopAtMain ? Effect.asVoid(next.breakpoints.add(SessionStart.atMain)) : Effect.void
      )
    )
    yield* endWhenIdle(next)
    return { session: next, token }
  })
  const recover: Manager["Service"]["recover"] = Effect.fn("Manager.recover")(function* (session, launch, wanted) {
    yield* ProjectDebuggerConsent.permit(launch, session.policy).pipe(Effect.provide(services))
    const owner = { names, lifetime, recording, atMain: SessionStart.atMain }
    const recovered = yield* Recovery.recover(owner, session, launch, wanted).pipe(Effect.provide(services))
    yield* endWhenIdle(recovered.session)
    return recovered
  })

  return Manager.of({
    ...SessionSelection.seen(names),
    onChange: (wake) => names.onChange(wake),
    select: SessionSelection.select(names),
    use: SessionSelection.use(names),
    rename: SessionSelection.rename(names, end),
    start: (payload, configure) =>
      Effect.flatMap(program.launch(payload), (launch) => begin(launch, payload, configure)),
    begin,
    restart,
    ...Reruns.make({ names, lifetime, end, endWhenIdle, services }),
    recover,
    end,
    disconnected: (actor) => Effect.sync(() => names.all().forEach(({ lease }) => lease.disconnected(actor))),
    questions: Effect.succeed(questions),
    left: (connection) => Effect.sync(() => questions.left(connection)),
    observing: observers.observing((actor) => names.all().forEach(({ lease }) => lease.unobserved(actor))),
    live: Effect.sync(() => names.all().filter(isLive).length),
    endAll,
    keepRecords
  })
})
