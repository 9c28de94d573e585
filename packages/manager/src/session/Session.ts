/**
 * One session: a debugger with its program, from the first event to the last.
 *
 * Owns the scope in which the debugger lives, the event log, the breakpoints and the references. Fibers: (1) the
 * keeper, started with the session, ended by its own work: it waits for the program's end and closes the scope, by
 * which debugger and program are gone whatever happened. Requests run in their callers' fibers.
 */
import { type Breakpoint, Errors, Hint, Session as Model, type Snapshot } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as StopActions from "./StopActions.ts"
import {
  Backend,
  type Connection,
  type Failure,
  type LaunchRequest,
  type LaunchFailure,
  type Manner,
  type Resume
} from "../ports/Backend.ts"
import * as Registry from "../breakpoints/Registry.ts"
import { ChangedValues } from "./ChangedValues.ts"
import { EventLog } from "./EventLog.ts"
import { limitsOf } from "./Journal.ts"
import * as StopFilter from "./StopFilter.ts"
import * as IdleTimeout from "./IdleTimeout.ts"
import * as OwnedProcesses from "./OwnedProcesses.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Pause from "./Pause.ts"
import * as Policy from "../model/Policy.ts"
import { References } from "./References.ts"
import * as Secrets from "../model/Secrets.ts"
import * as SourceMap from "../model/SourceMap.ts"
import { gone, hitsOf, runsNothing, settledAfter, within } from "./State.ts"
import { StopView } from "./StopView.ts"
import { Watches } from "./Watches.ts"

/** How long a debugger may take to tell that its program is gone, in milliseconds. */
const deathWithin = 1000

/** What a session is made from. */
export interface Options {
  readonly name: string
  readonly launch: LaunchRequest
  /** The ended session whose program is started again: breakpoints, numbers and history are taken over from it. */
  readonly restarts?: Session
  /** Whether every beginning of the program stops at its main function. */
  readonly stopAtMain?: boolean
  /** What it may not do; anything is allowed when left out. */
  readonly policy?: Policy.Policy
  /** Why there is nothing but a record of it. */
  readonly lost?: string
  /** A note for the list of sessions. */
  readonly label?: string
  /** After how many milliseconds without use it is ended; `IdleTimeout.limit` when left out. */
  readonly ttl?: number
}

/** Where a registry of breakpoints finds its debugger and tells of changes: at another session after a restart. */
export interface Wire {
  connection: Effect.Effect<Connection, Failure>
  emit: EventLog["emit"]
}

/** A session. Times are milliseconds since 1970. */
export interface Session {
  name: string
  readonly launch: LaunchRequest
  readonly startedAt: number
  /** When a caller last asked anything of it. */
  lastUsed: number
  /** Output bytes that stop reports have told of already. */
  reportedBytes: number
  /** Calls that are under way. */
  calls: number
  /** Takes over what the program has written to files of its own by now. */
  catchUp: Effect.Effect<void>
  readonly stopAtMain: boolean
  readonly label: string | undefined
  readonly ttl: number
  readonly log: EventLog
  /** Closed with the debugger; work that outlives its call lives here. */
  readonly scope: Scope.Scope
  readonly changes: ChangedValues
  readonly references: References
  /** Source files that were told to be newer than the program. */
  readonly staleTold: Set<string>
  readonly policy: Policy.Policy
  /** Which names are secret. */
  readonly secrets: Secrets.Secrets
  readonly breakpoints: Registry.Registry
  readonly wire: Wire
  /** What is known of the watchpoints beside their places. */
  readonly watches: Watches
  /** Conditions that could not be evaluated at the current stop. */
  readonly conditionProblems: StopFilter.StopFilter["problems"]
  /** The debugger, or why there is none. */
  readonly connection: Effect.Effect<Connection, Failure>
  /** The adapter, once it has introduced itself. */
  readonly adapter: () => Model.Adapter | undefined
  /** Starts debugger and program; `configure` sets breakpoints before the program runs. On failure nothing is left. */
  readonly start: <E>(configure: Effect.Effect<void, E>) => Effect.Effect<number, E | LaunchFailure>
  /** Whether the program is loaded and waits for `begin`. */
  readonly held: () => boolean
  /** Begins a program that was only loaded; answers with a token for `outcome`. */
  readonly begin: Effect.Effect<number, LaunchFailure | Errors.InvalidState>
  /** Temporary breakpoints that went with the newest stop. */
  readonly spent: () => ReadonlyArray<Breakpoint.Breakpoint>
  /** The current stop, or why there is none. */
  readonly view: Effect.Effect<StopView, Failure | Errors.NotStopped>
  /** Sets the stopped program going; answers with a token for `outcome`. */
  readonly resume: (
    how: Resume,
    thread?: number,
    manner?: Manner
  ) => Effect.Effect<number, Failure | Errors.NotStopped | Errors.InvalidState | Errors.ThreadNotFound>
  /** The first stop or end after a resume; none within `millis`. */
  readonly outcome: (token: number, millis: number) => Effect.Effect<Option.Option<Snapshot.Snapshot>>
  /** The first state that satisfies `test`; none within `millis`. */
  readonly await: (
    test: (snapshot: Snapshot.Snapshot) => boolean,
    millis: number
  ) => Effect.Effect<Option.Option<Snapshot.Snapshot>>
  /** Stops the running program, asking again until the stop is seen; none within `millis`. */
  readonly pause: (millis: number) => Effect.Effect<Option.Option<Snapshot.Snapshot>, Failure | Errors.InvalidState>
  /** Ends the session. Debugger and, unless it is let go, program are gone when it answers. */
  readonly end: (parting: Shutdown.ShutdownMode) => Effect.Effect<void>
  readonly ownership: OwnedProcesses.OwnedProcesses
}

/** Makes a session that has not been started. `lifetime` is the scope of the manager. */
export const make = Effect.fnUntraced(function* (options: Options, lifetime: Scope.Scope) {
  const { name, launch } = options
  const backend = yield* Backend
  const clock = yield* Clock.Clock
  const scope = yield* Scope.make()
  const resuming = yield* Semaphore.make(1)
  const ended = yield* Deferred.make<void>()
  const closed = yield* Deferred.make<void>()
  const references = new References()
  const secrets = Secrets.make(launch.settings)
  const policy = options.policy ?? Policy.none
  const startedAt = clock.currentTimeMillisUnsafe()
  const ownership = yield* OwnedProcesses.make({ name, launch, startedAt })
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let live: Connection | undefined
  let view: StopView | undefined
  let lettingGo = false
  let held: Connection["run"] | undefined

  const log = new EventLog(
    clock,
    (event, after, before) => {
      if (event._tag === "Stopped" && after !== before) {
        const hit = hitsOf(event.breakpoints, after, before)
        const at = { stop: after.stop, ...(event.thread === undefined ? {} : { thread: event.thread }) }
        breakpoints.hit(gate.counted() ? hit.filter((id) => !breakpoints.managed(id)) : hit, at)
      }
      if (event._tag === "Process") run(Effect.forkIn(ownership.note("debuggee", event.pid), scope))
      if (after.state !== "stopped") view = undefined
      if (!Model.isLive(after.state) && after.state !== "none") Deferred.doneUnsafe(ended, Exit.void)
    },
    options.restarts?.log,
    limitsOf(launch.settings)
  )

  const connection: Effect.Effect<Connection, Failure> = Effect.suspend(() =>
    live !== undefined && Model.isLive(log.snapshot.state) ? Effect.succeed(live) : Effect.fail(gone(log.snapshot))
  )
  const wire: Wire = options.restarts?.wire ?? { connection, emit: log.emit }
  wire.connection = connection
  wire.emit = log.emit
  const breakpoints =
    options.restarts?.breakpoints ??
    (yield* Registry.make(
      Effect.suspend(() => wire.connection),
      (event) => wire.emit(event),
      secrets,
      policy,
      launch.sourceMap
    ))

  const watches = new Watches()
  const gate = StopFilter.make({
    emit: log.emit,
    secrets,
    breakpoints: () => breakpoints,
    connection,
    isStopped: () => log.snapshot.state === "stopped",
    guarded: (guard) => {
      const over = watches.ended(guard)
      if (over === undefined) return undefined
      run(Effect.forkIn(Effect.ignore(breakpoints.remove([over.id, guard])), scope))
      return over.text
    },
    fork: (work) => run(Effect.forkIn(work, scope))
  })

  const keeper = Deferred.await(ended).pipe(
    Effect.andThen(Scope.close(scope, Exit.void)),
    Effect.andThen(ownership.forget),
    Effect.ensuring(Deferred.succeed(closed, undefined))
  )

  const close = (state: "Terminated" | "Detached") =>
    Effect.sync(() => log.emit({ _tag: state })).pipe(Effect.andThen(Deferred.await(closed)))

  const atStop = yield* StopActions.make({
    breakpoints: () => breakpoints,
    secrets,
    connection,
    stopped: () => log.snapshot.stopped
  })

  /** LLDB learns of a stopped program's SIGKILL late or never; nothing may be told of a program that is gone. */
  const noticeDeath = Effect.gen(function* () {
    if (log.snapshot.state !== "stopped" || !(yield* ownership.programGone)) return
    const told = yield* within(deathWithin)(log.until((snapshot) => snapshot.state !== "stopped"))
    if (Option.isNone(told)) log.emit({ _tag: "Exited", signal: "a signal" })
  })

  const currentView: Session["view"] = Effect.gen(function* () {
    yield* noticeDeath
    const snapshot = log.snapshot
    const connected = yield* connection
    if (snapshot.state !== "stopped") {
      return yield* new Errors.NotStopped(held === undefined ? {} : { loaded: true })
    }
    const { stop } = snapshot
    view ??= new StopView({
      stop,
      references,
      secrets,
      connection: connected,
      current: () => log.snapshot.state === "stopped" && log.snapshot.stop === stop
    })
    const current = view
    yield* atStop.settle(current)
    return current
  })

  /** A stop or an end that was seen already is the outcome of a resume, whatever becomes of its answer. */
  const unlessSettled =
    (token: number) =>
    <E>(answer: Effect.Effect<void, E>): Effect.Effect<void, E> =>
      Effect.catch(answer, (error) => (settledAfter(token)(log.snapshot) ? Effect.void : Effect.fail(error)))

  const setGoing = Effect.fnUntraced(function* (going: Connection["run"]) {
    log.emit({ _tag: "Resumed", command: "start" })
    const token = log.snapshot.resumes
    yield* going.pipe(unlessSettled(token))
    return token
  })

  const session: Session = {
    name,
    launch,
    startedAt,
    lastUsed: startedAt,
    calls: 0,
    catchUp: Effect.void,
    stopAtMain: options.stopAtMain ?? false,
    label: options.label,
    ttl: options.ttl ?? IdleTimeout.limit,
    reportedBytes: options.restarts?.reportedBytes ?? 0,
    log,
    scope,
    changes: new ChangedValues(),
    references,
    policy,
    secrets,
    staleTold: new Set(),
    breakpoints,
    wire,
    watches,
    conditionProblems: gate.problems,
    connection,
    adapter: () => live?.adapter,
    view: currentView,
    ownership,
    spent: atStop.spent,
    held: () => held !== undefined && log.snapshot.state === "starting",
    begin: Effect.gen(function* () {
      const run = held
      if (run === undefined || log.snapshot.state !== "starting") {
        return yield* new Errors.InvalidState({ problem: "the program was begun already; restart begins it anew" })
      }
      held = undefined
      return yield* setGoing(run).pipe(Effect.onError(() => close("Terminated")))
    }).pipe(Effect.uninterruptible, resuming.withPermit),

    start: <E>(configure: Effect.Effect<void, E>) => {
      const running = Effect.gen(function* () {
        const launched = yield* Scope.provide(
          backend.launch(launch, {
            // Debuggers tell a program that was let go in the words of one that ended.
            emit: (event) =>
              gate.take(
                lettingGo && (event._tag === "Terminated" || event._tag === "Exited") ? { _tag: "Detached" } : event
              ),
            placed: (placement) => breakpoints.moved(placement),
            logged: (id) => {
              breakpoints.hit([id])
              run(Effect.forkIn(Effect.ignore(breakpoints.tire([id])), scope))
            },
            conditionFailed: gate.conditionFailed,
            spawned: (pid) => run(Effect.forkIn(ownership.note("adapter", pid), scope))
          }),
          scope
        )
        live = SourceMap.applied(launch.sourceMap, launched)
        yield* configure
        // Somebody may have ended the session meanwhile; then the program must not run.
        const connected = yield* connection
        if (launch.held !== true) return yield* setGoing(connected.run)
        held = connected.run
        return log.snapshot.resumes
      })
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          log.emit({ _tag: "Starting", program: launch.program })
          yield* Effect.forkIn(keeper, lifetime)
          return yield* restore(running).pipe(
            Effect.onExit((exit) => (Exit.isFailure(exit) ? close("Terminated") : Effect.void))
          )
        })
      )
    },

    resume: (how, thread, manner) =>
      Effect.gen(function* () {
        yield* runsNothing(launch)
        const current = yield* currentView
        const connected = yield* connection
        const chosen = yield* current.threadFor(thread, log.snapshot.stopped?.thread)
        if (log.snapshot.state !== "stopped" || log.snapshot.stop !== current.stop) {
          return yield* new Errors.NotStopped({})
        }
        yield* gate.departing(how, chosen)
        log.emit({ _tag: "Resumed", command: how, thread: chosen })
        const token = log.snapshot.resumes
        yield* connected.resume(how, chosen, manner).pipe(
          unlessSettled(token),
          Effect.tapError((error) =>
            // After a time-out nobody knows; a refusal leaves the program where it was.
            Effect.sync(() =>
              error._tag === "AdapterError" || error._tag === "Unsupported"
                ? log.emit({ _tag: "ResumeRefused", command: how })
                : undefined
            )
          )
        )
        return token
      }).pipe(Effect.uninterruptible, resuming.withPermit),

    await: (test, millis) => within(millis)(log.until(test)),
    outcome: (token, millis) => within(millis)(log.until(settledAfter(token))),

    pause: Effect.fnUntraced(function* (millis) {
      yield* runsNothing(launch)
      const connected = yield* connection
      if (held !== undefined) {
        return yield* new Errors.InvalidState({
          problem: "the program is loaded, not started",
          remedies: [Hint.call("run", {})]
        })
      }
      // A pause that overtakes the resume before it is lost, so that one is let through first.
      yield* resuming.withPermit(Effect.void)
      return yield* Pause.untilStopped({ log, pause: connected.pause, interrupt: gate.interrupt }, millis)
    }),

    end: (parting) =>
      Shutdown.part(
        {
          launch,
          breakpoints,
          ownership,
          live: () => (Model.isLive(log.snapshot.state) ? live : undefined),
          isStopped: () => log.snapshot.state === "stopped",
          isOver: () => log.snapshot.state === "exited" || log.snapshot.state === "detached",
          lettingGo: () => {
            lettingGo = true
          },
          close
        },
        parting
      ).pipe(Effect.uninterruptible)
  }
  if (options.lost !== undefined) {
    yield* Effect.forkIn(keeper, lifetime)
    log.emit({ _tag: "Starting", program: launch.program })
    log.emit({ _tag: "Lost", reason: options.lost })
  }
  return session
})
