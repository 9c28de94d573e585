/**
 * Starts the debugger and the program of one session. A program may also be loaded first and started by a later call.
 */
import { Caller, Errors, type Event, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import type { Registry } from "../breakpoints/Registry.ts"
import * as Permission from "../model/permissions/Permission.ts"
import {
  Backend,
  type Connection,
  type Failure,
  type LaunchFailure,
  type LaunchRequest,
  type Listener
} from "../ports/Backend.ts"
import type { EventLog } from "./events/EventLog.ts"
import type { Lifetime } from "./Lifetime.ts"
import type { Logpoints } from "./traces/Logpoints.ts"
import type { OwnedProcesses } from "./OwnedProcesses.ts"
import type { DebuggerNotes } from "./events/DebuggerNotes.ts"
import * as ReportedExit from "./events/ReportedExit.ts"
import type * as Shutdown from "./Shutdown.ts"
import * as RunsCode from "../ports/RunsCode.ts"
import { requireProcess, startingOf, unlessSettled } from "./StateChecks.ts"
import type { StopFilter } from "./stops/StopFilter.ts"

/** Dependencies of a start. */
export interface Options {
  readonly launch: LaunchRequest
  /** The rule of the session's policy that forbids to run code of the program. */
  readonly forbiddenBy: string | undefined
  readonly log: EventLog
  readonly lifetime: Lifetime
  readonly filter: StopFilter
  readonly logpoints: Logpoints
  readonly breakpoints: Registry
  readonly ownership: OwnedProcesses
  /** Receives the connection to the started debugger. */
  readonly connect: (connection: Connection) => void
  /** The connection to the debugger; fails if the session has none. */
  readonly connection: Effect.Effect<Connection, Failure>
  readonly pipes: NonNullable<Listener["pipes"]>
  /** Returns how the session ends, once that was requested. */
  readonly ending: () => Shutdown.End | undefined
  /** Called once when the session is configured, before its program runs. */
  readonly configured: () => void
  readonly notes: DebuggerNotes
  /** One permit, taken by each request that resumes the program. */
  readonly resuming: Semaphore.Semaphore
  /** Ends the session in the background, which takes seconds if the debugger does not answer. */
  readonly abandon: Effect.Effect<void>
}

/** The start of one session. */
export interface ProgramStart {
  /** True if the program is loaded and not started. */
  readonly isLoaded: () => boolean
  /**
   * Starts debugger and program. `configure` sets breakpoints before the program runs. A failure ends both, but does not wait
   * until they have ended.
   */
  readonly start: <E>(configure: Effect.Effect<void, E>) => Effect.Effect<number, E | LaunchFailure>
  /** Starts a loaded program and returns a token for `outcome`. */
  readonly run: Effect.Effect<number, LaunchFailure | Errors.InvalidState>
}

/** The events with which a debugger reports the end of its program. */
const ends: ReadonlySet<Event.Event["_tag"]> = new Set(["Exited", "Terminated", "Detached"])

/** Makes the start of one session. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { breakpoints, filter, launch, lifetime, log, ownership } = options
  const backend = yield* Backend
  let loaded: Connection["run"] | undefined

  const checked = yield* ReportedExit.make({ ownership, scope: lifetime.scope, emit: filter.handle })

  const listener: Listener = {
    // Debuggers report an exit after a detach, and an exit code that the program did not return after a kill.
    emit: (event: Event.Event) => {
      const state = options.ending()
      checked(state !== undefined && ends.has(event._tag) ? { _tag: state } : event)
    },
    placed: breakpoints.recordPlacement,
    logpointHit: (id) => {
      breakpoints.hit([id])
      lifetime.fork(Effect.ignore(breakpoints.countDown([id])))
    },
    logged: options.logpoints.logged,
    passed: breakpoints.recordPasses,
    forked: (pids) => {
      const followed = launch.followFork === "child"
      for (const pid of options.notes.recordChildren(pids, log.snapshot.stop + 1))
        log.emit({ _tag: "Forked", pid, followed })
    },
    conditionFailed: filter.conditionFailed,
    mayMiss: (may) => {
      options.notes.mayMiss = may
    },
    cut: (what, count) => options.notes.recordCut(what, count, log.snapshot.stop),
    pipes: options.pipes,
    spawned: ownership.spawned
  }

  const begin = Effect.fnUntraced(function* (run: Connection["run"]) {
    const { actor } = yield* Caller.Current
    filter.starting()
    log.emit({ _tag: "Resumed", command: "start", ...(yield* Permission.operationBeside("start")) }, actor)
    const token = log.snapshot.resumes
    yield* run.pipe(unlessSettled(log, token))
    return token
  })

  const program: ProgramStart = {
    isLoaded: () => loaded !== undefined,

    start: Effect.fn("Session.start")(<E>(configure: Effect.Effect<void, E>) => {
      const starting = Effect.gen(function* () {
        const launching = Effect.provideService(
          backend.launch(launch, listener),
          RunsCode.ByPolicy,
          options.forbiddenBy
        )
        options.connect(yield* Scope.provide(launching, lifetime.scope))
        yield* configure
        // Fails if another client has ended the session meanwhile, so that the program does not run.
        const { run } = yield* options.connection
        yield* ownership.settled
        options.configured()
        if (launch.loadOnly !== true) return yield* begin(run)
        loaded = run
        return log.snapshot.resumes
      })
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const { actor } = yield* Caller.Current
          log.emit({ ...startingOf(launch), ...(yield* Permission.operationBeside("start")) }, actor)
          yield* lifetime.begin
          return yield* restore(starting).pipe(
            Effect.onExit((exit) => (Exit.isFailure(exit) ? options.abandon : Effect.void))
          )
        })
      )
    }),

    run: Effect.gen(function* () {
      yield* requireProcess(launch)
      const run = loaded
      if (run === undefined || log.snapshot.state !== "starting") {
        return yield* new Errors.InvalidState({
          problem: "the program is started already",
          remedies: [Hint.call("restart", {}, "starts it again")]
        })
      }
      loaded = undefined
      return yield* begin(run).pipe(Effect.onError(() => options.abandon))
    }).pipe(Effect.uninterruptible, options.resuming.withPermit, Effect.withSpan("Session.run"))
  }
  return program
})
