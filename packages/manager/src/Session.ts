/**
 * One session: a debugger with its program, from the first event to the last.
 *
 * Owns the scope in which the debugger lives, the event log, the breakpoints and the references. Fibers: (1) the
 * keeper, started with the session, ended by its own work: it waits for the program's end and closes the scope, by
 * which debugger and program are gone whatever happened. Requests run in their callers' fibers.
 */
import { Errors, Session as Model, type Breakpoint, type Snapshot } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Backend, type Connection, type Failure, type Launch, type LaunchFailure, type Resume } from "./Backend.ts"
import * as Breakpoints from "./Breakpoints.ts"
import { Changes } from "./Changes.ts"
import { EventLog } from "./EventLog.ts"
import * as Gate from "./Gate.ts"
import type * as Ledger from "./Ledger.ts"
import * as Ownership from "./Ownership.ts"
import { References } from "./References.ts"
import { StopView } from "./StopView.ts"
import { Watches } from "./Watches.ts"

/** Between two pause requests, and how many are sent: lldb-dap acknowledges some without stopping. */
const pauseEvery = 300
const pauseTimes = 5

/** How long a debugger may take to tell that its program is gone, in milliseconds. */
const deathWithin = 1000

/** What a session is made from. */
export interface Options {
  readonly name: string
  readonly launch: Launch
  /** The ended session whose program is started again: breakpoints, numbers and history are taken over from it. */
  readonly restarts?: Session
  /** Whether every beginning of the program stops at its main function. */
  readonly stopAtMain?: boolean
  /** Why there is nothing but a record of it. */
  readonly lost?: string
}

/** Where a registry of breakpoints finds its debugger and tells of changes: at another session after a restart. */
export interface Wire {
  connection: Effect.Effect<Connection, Failure>
  emit: EventLog["emit"]
}

/** A session. Times are milliseconds since 1970. */
export interface Session {
  readonly name: string
  readonly launch: Launch
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
  readonly log: EventLog
  /** Closed with the debugger; work that outlives its call lives here. */
  readonly scope: Scope.Scope
  readonly changes: Changes
  readonly references: References
  readonly breakpoints: Breakpoints.Breakpoints
  readonly wire: Wire
  /** What is known of the watchpoints beside their places. */
  readonly watches: Watches
  /** Conditions that could not be evaluated at the current stop. */
  readonly conditionProblems: Gate.Gate["problems"]
  /** The debugger, or why there is none. */
  readonly connection: Effect.Effect<Connection, Failure>
  /** The adapter, once it has introduced itself. */
  readonly adapter: () => Model.Adapter | undefined
  /** Starts debugger and program; `configure` sets breakpoints before the program runs. On failure nothing is left. */
  readonly start: <E>(configure: Effect.Effect<void, E>) => Effect.Effect<number, E | LaunchFailure>
  /** The current stop, or why there is none. */
  readonly view: Effect.Effect<StopView, Failure | Errors.NotStopped>
  /** Sets the stopped program going; answers with a token for `outcome`. */
  readonly resume: (
    how: Resume,
    thread?: number
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
  readonly end: (how: "kill" | "detach") => Effect.Effect<void>
}

/** Whether a snapshot shows a stop or an end that came after the resume of `token`. */
const settledAfter = (token: number) => (snapshot: Snapshot.Snapshot) =>
  !Model.isLive(snapshot.state) || (snapshot.state === "stopped" && snapshot.resumes >= token)

const within =
  (millis: number) =>
  <A>(effect: Effect.Effect<A>): Effect.Effect<Option.Option<A>> =>
    Number.isFinite(millis) ? Effect.timeoutOption(effect, millis) : Effect.map(effect, Option.some)

/** Why a session has no debugger. */
const gone = (snapshot: Snapshot.Snapshot): Failure => {
  if (snapshot.state === "lost") return new Errors.SessionLost({ reason: snapshot.reason ?? "the debugger is gone" })
  if (snapshot.state === "exited" || snapshot.state === "terminated") {
    return new Errors.ProcessEnded({
      ...(snapshot.exit_code === undefined ? {} : { exit_code: snapshot.exit_code }),
      ...(snapshot.signal === undefined ? {} : { signal: snapshot.signal })
    })
  }
  return new Errors.NotRunning({})
}

/** How long an adapter may take to give up its breakpoints before it is made to let go, in milliseconds. */
const clearWithin = 2000

const runsNothing = (launch: Launch): Effect.Effect<void, Errors.InvalidState> =>
  launch.existing?.kind === "core"
    ? Effect.fail(new Errors.InvalidState({ problem: "this is a core file: it can be read, nothing in it runs" }))
    : Effect.void

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
  const startedAt = clock.currentTimeMillisUnsafe()
  const ownership = yield* Ownership.make({ name, launch, startedAt })
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let live: Connection | undefined
  let view: StopView | undefined
  let settledStop = 0
  let lettingGo = false

  const log = new EventLog(
    clock,
    (event, after, before) => {
      if (event._tag === "Stopped" && after !== before) {
        const hit = hitsOf(event.breakpoints, after, before)
        breakpoints.hit(gate.counted() ? hit.filter((id) => !breakpoints.managed(id)) : hit)
      }
      if (event._tag === "Process") run(Effect.forkIn(ownership.note("debuggee", event.pid), scope))
      if (after.state !== "stopped") view = undefined
      if (!Model.isLive(after.state) && after.state !== "none") Deferred.doneUnsafe(ended, Exit.void)
    },
    options.restarts?.log
  )

  const connection: Effect.Effect<Connection, Failure> = Effect.suspend(() =>
    live !== undefined && Model.isLive(log.snapshot.state) ? Effect.succeed(live) : Effect.fail(gone(log.snapshot))
  )
  const wire: Wire = options.restarts?.wire ?? { connection, emit: log.emit }
  wire.connection = connection
  wire.emit = log.emit
  const breakpoints =
    options.restarts?.breakpoints ??
    (yield* Breakpoints.make(
      Effect.suspend(() => wire.connection),
      (event) => wire.emit(event)
    ))

  const watches = new Watches()
  const gate = Gate.make({
    emit: log.emit,
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

  /** Everything that belongs to a stop has arrived once the debugger answers one more request. */
  const settle = Effect.fnUntraced(function* (current: StopView) {
    if (settledStop === current.stop) return
    yield* current.threads
    settledStop = current.stop
    const hit = log.snapshot.stopped?.breakpoints ?? []
    const spent = breakpoints.list().filter((breakpoint) => breakpoint.temporary && hit.includes(breakpoint.id))
    if (spent.length > 0) yield* Effect.ignore(breakpoints.remove(spent.map((breakpoint) => breakpoint.id)))
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
    if (snapshot.state !== "stopped") return yield* new Errors.NotStopped({})
    const { stop } = snapshot
    view ??= new StopView({
      stop,
      references,
      connection: connected,
      current: () => log.snapshot.state === "stopped" && log.snapshot.stop === stop
    })
    const current = view
    yield* settle(current)
    return current
  })

  /** A stop or an end that was seen already is the outcome of a resume, whatever becomes of its answer. */
  const unlessSettled =
    (token: number) =>
    <E>(answer: Effect.Effect<void, E>): Effect.Effect<void, E> =>
      Effect.catch(answer, (error) => (settledAfter(token)(log.snapshot) ? Effect.void : Effect.fail(error)))

  const threadFor = Effect.fnUntraced(function* (current: StopView, asked: number | undefined) {
    const chosen = asked ?? log.snapshot.stopped?.thread
    if (asked !== undefined) yield* current.thread(asked)
    if (chosen !== undefined) return chosen
    return (yield* current.threads)[0]?.id ?? 0
  })

  const session: Session = {
    name,
    launch,
    startedAt,
    lastUsed: startedAt,
    calls: 0,
    catchUp: Effect.void,
    stopAtMain: options.stopAtMain ?? false,
    reportedBytes: options.restarts?.reportedBytes ?? 0,
    log,
    scope,
    changes: new Changes(),
    references,
    breakpoints,
    wire,
    watches,
    conditionProblems: gate.problems,
    connection,
    adapter: () => live?.adapter,
    view: currentView,

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
            logged: (id) => breakpoints.hit([id]),
            conditionFailed: gate.conditionFailed,
            spawned: (pid) => run(Effect.forkIn(ownership.note("adapter", pid), scope))
          }),
          scope
        )
        live = launched
        yield* configure
        // Somebody may have ended the session meanwhile; then the program must not run.
        const connected = yield* connection
        log.emit({ _tag: "Resumed", command: "start" })
        const token = log.snapshot.resumes
        yield* connected.run.pipe(unlessSettled(token))
        return token
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

    resume: (how, thread) =>
      Effect.gen(function* () {
        yield* runsNothing(launch)
        const current = yield* currentView
        const connected = yield* connection
        const chosen = yield* threadFor(current, thread)
        if (log.snapshot.state !== "stopped" || log.snapshot.stop !== current.stop) {
          return yield* new Errors.NotStopped({})
        }
        yield* gate.departing(how, chosen)
        log.emit({ _tag: "Resumed", command: how, thread: chosen })
        const token = log.snapshot.resumes
        yield* connected.resume(how, chosen).pipe(
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
      const stopped = (snapshot: Snapshot.Snapshot) => snapshot.state !== "running" && snapshot.state !== "starting"
      // A pause that overtakes the resume before it is lost, so that one is let through first.
      yield* resuming.withPermit(Effect.void)
      let waited = 0
      for (let time = 0; time < pauseTimes && (time === 0 || waited < millis); time++) {
        if (stopped(log.snapshot)) return Option.some(log.snapshot)
        gate.interrupt()
        // Some adapters refuse to pause a program that has just stopped or ended by itself.
        yield* Effect.catch(connected.pause, (error) => (stopped(log.snapshot) ? Effect.void : Effect.fail(error)))
        const step = Math.min(pauseEvery, millis - waited)
        const seen = yield* within(step)(log.until(stopped))
        if (Option.isSome(seen)) return seen
        waited += step
      }
      return yield* within(millis - waited)(log.until(stopped))
    }),

    end: (how) =>
      Effect.gen(function* () {
        const before = log.snapshot.state
        const letGo = how === "detach" || (launch.existing !== undefined && launch.existing.kind !== "core")
        if (live !== undefined && Model.isLive(log.snapshot.state)) {
          lettingGo = letGo
          // Breakpoints that stay in the code of a program without a debugger kill it.
          if (letGo) yield* breakpoints.withdraw.pipe(Effect.timeoutOption(clearWithin), Effect.ignore)
          yield* live.end(letGo ? "detach" : "kill")
        }
        yield* close(letGo ? "Detached" : "Terminated")
        // What was started for this session ends with it, though not by the debugger.
        const over = how === "detach" || before === "exited" || before === "detached"
        if (!over && launch.existing?.kind === "process") yield* launch.existing.release ?? Effect.void
      }).pipe(Effect.uninterruptible)
  }
  if (options.lost !== undefined) {
    yield* Effect.forkIn(keeper, lifetime)
    log.emit({ _tag: "Starting", program: launch.program })
    log.emit({ _tag: "Lost", reason: options.lost })
  }
  return session
})

/** A session that an earlier daemon left behind: its processes are gone, what it was can still be asked. */
export const makeLost = Effect.fnUntraced(function* (entry: Ledger.Entry, reason: string, lifetime: Scope.Scope) {
  const launch = { program: entry.program, args: entry.args, cwd: "/", env: {}, stopOnEntry: false }
  const session = yield* make({ name: entry.name, launch, lost: reason }, lifetime)
  return session
})

/** Breakpoints that a stop event hit for the first time in its stop; several threads may report the same one. */
const hitsOf = (ids: ReadonlyArray<number>, after: Snapshot.Snapshot, before: Snapshot.Snapshot) =>
  after.stop !== before.stop ? ids : ids.filter((id) => before.stopped?.breakpoints.includes(id) !== true)

/** The names under which breakpoints are spoken of in a stop report. */
export const hitBreakpoints = (session: Session): ReadonlyArray<Breakpoint.Breakpoint> => {
  const hit = session.log.snapshot.stopped?.breakpoints ?? []
  return session.breakpoints.list().filter((breakpoint) => hit.includes(breakpoint.id))
}
