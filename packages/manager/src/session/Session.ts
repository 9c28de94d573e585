/**
 * One session: a debugger with its program, from the first event to the last.
 *
 * The state of the program is a fold over the event log, and nothing else changes it. The session holds beside the fold,
 * each behind its own methods: its name, the connection, the breakpoints and references, the last use, what each
 * actor has seen, and the view of the current stop. Requests run in their callers' fibers; `Lifetime` lists the others.
 */
import { type Breakpoint, type Caller, MonotonicTime, Session as Model, type Snapshot } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Registry from "../breakpoints/Registry.ts"
import * as ClientRules from "../model/permissions/ClientRules.ts"
import * as Policy from "../model/permissions/Policy.ts"
import * as RunsCode from "../ports/RunsCode.ts"
import * as Secrets from "../model/secrets/Secrets.ts"
import * as SessionId from "../model/SessionId.ts"
import * as SourceRoots from "../model/sources/SourceRoots.ts"
import * as SourceMap from "../model/sources/SourceMap.ts"
import type { Connection, Failure, LaunchRequest } from "../ports/Backend.ts"
import type * as Intent from "../ports/Intent.ts"
import { Activity, byCaller } from "./callers/Activity.ts"
import * as CurrentStop from "./stops/CurrentStop.ts"
import { DebuggerNotes } from "./events/DebuggerNotes.ts"
import type { Displays } from "./values/Displays.ts"
import { counted, endWatch, observe } from "./EventEffects.ts"
import * as EventLog from "./events/EventLog.ts"
import * as Logpoints from "./traces/Logpoints.ts"
import * as IdleTimeout from "./IdleTimeout.ts"
import { limitsOf } from "./events/Journal.ts"
import { MaskedOutput } from "./events/MaskedOutput.ts"
import * as LateOutput from "./events/LateOutput.ts"
import * as Lifetime from "./Lifetime.ts"
import * as OwnedProcesses from "./OwnedProcesses.ts"
import { PastStops } from "./stops/PastStops.ts"
import * as ProgramControl from "./ProgramControl.ts"
import * as ProgramStart from "./ProgramStart.ts"
import * as Records from "./records/Records.ts"
import { References } from "./values/References.ts"
import { type Viewpoint, Viewpoints } from "./callers/Viewpoints.ts"
import type { PendingAnswers } from "./stops/PendingAnswers.ts"
import { SentInput } from "./events/SentInput.ts"
import { SessionLease } from "./callers/SessionLease.ts"
import * as Shutdown from "./Shutdown.ts"
import { requireLive, requireStops, settledAfter, startingOf, within } from "./StateChecks.ts"
import * as StopFilter from "./stops/StopFilter.ts"
import { Traces } from "./traces/Traces.ts"
import * as WatchedValues from "./stops/WatchedValues.ts"
import { Watches } from "./stops/Watches.ts"

/** What a session takes over from an earlier run of its program. */
interface Past extends Records.Past {
  /** The identity of the session; absent if it was read from the records of an earlier daemon. */
  readonly id?: string
  readonly log: EventLog.Past
  readonly breakpoints: Registry.Registry
  readonly viewpoints?: Viewpoints
  readonly lease?: SessionLease
  readonly past?: PastStops
}

/** Options of a session. */
export interface Options {
  readonly name: string
  readonly launch: LaunchRequest
  /** The ended session that this one restarts. Its breakpoints, numbering, history and records continue. */
  readonly restarts?: Past
  /** The request to record; without it the session is not recorded. */
  readonly request?: Intent.Request
  /** True if every start of the program stops at its main function. */
  readonly stopAtMain?: boolean
  /** Forbidden effects; everything is allowed without it. */
  readonly policy?: Policy.Policy
  /** The roots of its source text; without them only the tool chain's. */
  readonly sourceRoots?: SourceRoots.SourceRoots
  /** Why the session was lost; set for sessions of a daemon that was killed. */
  readonly lost?: string
  /** Number of events of the earlier daemon that were not stored; set for sessions of a daemon that was killed. */
  readonly missing?: number
  /** The identity that it had in a daemon that was killed, if it is known. */
  readonly continues?: string
  /** A note for the list of sessions. */
  readonly label?: string
  /** Idle timeout in milliseconds (`IdleTimeout.defaultMillis`). */
  readonly ttl?: number
  /** Who began it; unknown for sessions of a daemon that was killed. */
  readonly beganBy?: Caller.Actor
}

/** A session. Times are milliseconds since 1970. */
export interface Session {
  readonly name: string
  /** The identity (`SessionId`), which another session of its name does not have. */
  readonly id: string
  /** The identity that it had in a daemon that was killed, if it is known. */
  readonly continues: string | undefined
  /** Changes the name, also in the ledger. */
  readonly rename: (name: string) => Effect.Effect<void>
  readonly launch: LaunchRequest
  /** When the session was made, as `MonotonicTime`. */
  readonly startedAt: number
  readonly stopAtMain: boolean
  readonly label: string | undefined
  /** Who began it, also after a restart by another caller. */
  readonly beganBy: Caller.Actor | undefined
  readonly policy: Policy.Policy
  /** The roots of its source text. */
  readonly sourceRoots: SourceRoots.SourceRoots
  /** Recognizes and masks secret values. */
  readonly secrets: Secrets.Secrets
  readonly idle: IdleTimeout.IdleTimeout
  readonly log: EventLog.EventLog
  /** What callers do. */
  readonly activity: Activity
  /** The stops with what was read there. */
  readonly past: PastStops
  /** Closed with the debugger; work that outlives its call runs here. */
  readonly scope: Scope.Scope
  readonly references: References
  readonly notes: DebuggerNotes
  /** What each actor has seen and selected. */
  readonly viewpoints: Viewpoints
  /** Which actor drives. */
  readonly lease: SessionLease
  /** The viewpoint of the caller. */
  readonly viewpoint: Effect.Effect<Viewpoint>
  /** Calls that resume the program and have not answered. */
  readonly answers: PendingAnswers
  /** What callers wrote to the program's input. */
  readonly sentInput: SentInput
  /** The output as callers see it. */
  readonly maskedOutput: MaskedOutput
  readonly breakpoints: Registry.Registry
  /** Values and frames of watchpoints. */
  readonly watches: Watches
  /** The trace that runs, and the records of earlier ones. */
  readonly traces: Traces
  /** The logpoints whose values the debugger records. */
  readonly logpoints: Logpoints.Logpoints
  /** Expressions that are shown at each stop. */
  readonly displays: Displays
  readonly ownership: OwnedProcesses.OwnedProcesses
  /** The recorded request; absent if the session is not recorded. */
  readonly request: Intent.Request | undefined
  readonly intent: Records.Records["intent"]
  readonly spool: Records.Records["spool"]
  /** Returns why the records of the session are incomplete, after another attempt to write them. */
  readonly notStored: Effect.Effect<string | undefined>
  /** Processes that keep the pipes of the program after its end. */
  readonly outlivedBy: LateOutput.LateOutput["holders"]
  /** Returns the conditions that could not be evaluated at the current stop. */
  readonly conditionProblems: StopFilter.StopFilter["problems"]
  /** The connection to the debugger; fails if the session has none. */
  readonly connection: Effect.Effect<Connection, Failure>
  /** Returns the adapter's description; undefined before the debugger has reported it. */
  readonly adapter: () => Model.Adapter | undefined
  /** Starts debugger and program. `configure` sets breakpoints before the program runs. After a failure it ends in the background. */
  readonly start: ProgramStart.ProgramStart["start"]
  /** True if the program is loaded and waits for `run`. */
  readonly isLoaded: () => boolean
  /** Starts a loaded program and returns a token for `outcome`. */
  readonly run: ProgramStart.ProgramStart["run"]
  /** Returns the temporary breakpoints that the newest stop removed. */
  readonly removedBreakpoints: () => ReadonlyArray<Breakpoint.Breakpoint>
  /** The view of the current stop; fails if the program is not stopped. */
  readonly view: CurrentStop.CurrentStop["view"]
  /** Resumes the stopped program and returns a token for `outcome`. */
  readonly resume: ProgramControl.ProgramControl["resume"]
  /** Returns the first stop or end after a resume; none after a timeout of `millis`. */
  readonly outcome: (token: number, millis: number) => Effect.Effect<Option.Option<Snapshot.Snapshot>>
  /** Returns the first snapshot that satisfies `test`; none after a timeout of `millis`. */
  readonly await: (
    test: (snapshot: Snapshot.Snapshot) => boolean,
    millis: number
  ) => Effect.Effect<Option.Option<Snapshot.Snapshot>>
  /** Pauses the running program, repeating the request until it stops; none after a timeout of `millis`. */
  readonly pause: ProgramControl.ProgramControl["pause"]
  /**
   * Ends the session. Debugger and, unless detached, program are gone when it answers. Returns a problem that the caller should
   * know.
   */
  readonly end: (mode: Shutdown.ShutdownMode) => Effect.Effect<string | undefined>
  /** Completes when nothing is left of a session whose start failed. */
  readonly closed: Effect.Effect<void>
}

/** Reports that the session is lost, if it belongs to a daemon or debugger that was killed. */
const reportLoss = Effect.fnUntraced(function* (
  { launch, lost, missing }: Options,
  { begin }: Lifetime.Lifetime,
  { emit }: EventLog.EventLog
) {
  if (lost === undefined) return
  yield* begin
  emit(startingOf(launch))
  if (missing !== undefined && missing > 0) emit({ _tag: "Gap", count: missing, bytes: 0 })
  emit({ _tag: "Lost", reason: lost })
})

/** Makes the views of a session's journal, and gives its events to the lease. */
const viewsOf = (log: EventLog.EventLog, secrets: Secrets.Secrets, lease: SessionLease, before?: Viewpoints) => {
  const viewpoints = new Viewpoints(log.journal, before)
  const maskedOutput = new MaskedOutput(log.journal, secrets)
  lease.assign(log)
  const sentInput = new SentInput()
  return { notes: new DebuggerNotes(), viewpoints, viewpoint: viewpoints.current, maskedOutput, lease, sentInput }
}

/** Returns the close of a session: reports its end if nothing did, and completes when the debugger and the pipes are closed. */
const closing =
  (log: EventLog.EventLog, { closed }: Lifetime.Lifetime, late: LateOutput.LateOutput) =>
  (state: Shutdown.End) =>
    Effect.sync(() => {
      const { state: known } = log.snapshot
      if (known === "none" || Model.isLive(known)) log.emit({ _tag: state })
    }).pipe(Effect.andThen(closed), Effect.andThen(late.end(state === "Terminated")))

/** Returns the identity of a session, and its request with it. */
const identityOf = ({ continues, request, restarts }: Options) =>
  Effect.gen(function* () {
    const id = restarts?.id ?? (yield* SessionId.make)
    return { id, continues, request: request === undefined ? undefined : { ...request, id } }
  })

/** Makes a session that is not started. `manager` is the scope of the manager. */
export const make = Effect.fnUntraced(function* (options: Options, manager: Scope.Scope) {
  const { launch, policy = Policy.none, restarts } = options
  const [clock, resuming] = yield* Effect.all([Clock.Clock, Semaphore.make(1)])
  const [startedAt, secrets] = [MonotonicTime.read(clock), Secrets.make(launch.settings)]
  const [references, watches, traces] = [new References(), new Watches(), new Traces()]
  const ownership = yield* OwnedProcesses.make({ name: options.name, launch })
  const [identity, late] = yield* Effect.all([identityOf(options), LateOutput.make(manager)])
  const settle = Effect.suspend(() => Effect.andThen(late.settle(log.snapshot.state), records.spool.finish))
  const lifetime = yield* Lifetime.make(manager, Effect.andThen(settle, ownership.forget))
  let name = options.name
  let live: Connection | undefined
  let ending: Shutdown.End | undefined
  const activity: Activity = new Activity(() => log, secrets)
  const past = restarts?.past ?? new PastStops()
  const readAhead: Connection["readAhead"] = (...stopped) => live?.readAhead?.(...stopped)
  const state = () => ({ activity, breakpoints, filter, intent: records.intent, lifetime, log })
  const observers = () => ({ ...state(), ownership, past, readAhead, stop })
  const log: EventLog.EventLog = new EventLog.EventLog(
    clock,
    (...change) => observe(observers(), ...change),
    restarts?.log,
    limitsOf(launch.settings),
    (...change) => counted({ breakpoints, filter }, ...change)
  )
  const connection = Effect.suspend(() => requireLive(live, log.snapshot))
  const breakpoints = restarts?.breakpoints ?? (yield* Registry.make({ secrets, policy, sourceMap: launch.sourceMap }))
  const edited = () => {
    records.intent.edited()
    logpoints.edited()
  }
  const { editable } = traces
  breakpoints.assign({ connection, emit: byCaller(log), edited, editable, settable: requireStops(launch) })
  const kept = { past: restarts, request: identity.request, name: () => name }
  const records: Records.Records = yield* Records.make({ ...kept, log, breakpoints, ownership, fork: lifetime.fork })
  const fork: typeof lifetime.fork = (work) => lifetime.fork(RunsCode.underPolicy(work, Policy.forbidsCode(policy)))
  const shared = { breakpoints, secrets, connection, emit: log.emit, fork }
  const logpoints = Logpoints.make({ ...shared, isRunning: () => log.snapshot.state === "running" })
  const filter = StopFilter.make({
    ...shared,
    traces,
    logpoints,
    isStopped: () => log.snapshot.state === "stopped",
    switches: ownership.switches,
    internalHit: (id) => endWatch(id, { watches, breakpoints, lifetime })
  })

  const lease = restarts?.lease ?? new SessionLease(clock, manager, yield* ClientRules.Current)
  const views = viewsOf(log, secrets, lease, restarts?.viewpoints)
  const close = closing(log, lifetime, late)
  const program = yield* ProgramStart.make({
    launch,
    forbiddenBy: Policy.forbidsCode(policy),
    log,
    lifetime,
    filter,
    logpoints,
    breakpoints,
    ownership,
    connect: (connected) => {
      live = SourceMap.applied(launch.sourceMap, connected)
    },
    connection,
    pipes: late.pipes,
    ending: () => ending,
    configured: records.begin,
    notes: views.notes,
    resuming,
    abandon: Effect.asVoid(Effect.forkIn(close("Terminated"), manager, { startImmediately: true }))
  })
  const { isLoaded } = program
  const stop = yield* CurrentStop.make({ log, connection, breakpoints, references, secrets, ownership, past, isLoaded })
  const parts = { launch, log, lease, connection, stop, filter }
  const leaving: ProgramControl.Options["leaving"] = (...at) => WatchedValues.leaving({ watches, breakpoints }, ...at)
  const control = ProgramControl.make({ ...parts, logpoints, past, resuming, isLoaded, leaving })
  const end = Effect.fn("Session.end")(
    (mode: Shutdown.ShutdownMode) =>
      Shutdown.end(
        {
          launch,
          breakpoints,
          ownership,
          scope: lifetime.scope,
          live: () => (Model.isLive(log.snapshot.state) ? live : undefined),
          isStopped: () => log.snapshot.state === "stopped",
          isOver: () => log.snapshot.state === "exited" || log.snapshot.state === "detached",
          expect: (state, client) => {
            ending = state
            if (client !== undefined) log.endBy(client)
          },
          close
        },
        mode
      ),
    Effect.uninterruptible
  )

  const session: Session = {
    get name() {
      return name
    },
    rename: (next) =>
      Effect.suspend(() => {
        records.intent.rename(name, next)
        name = next
        return ownership.rename(next)
      }),
    ...identity,
    launch,
    beganBy: options.beganBy,
    startedAt,
    stopAtMain: options.stopAtMain ?? false,
    label: options.label,
    policy,
    sourceRoots: options.sourceRoots ?? SourceRoots.none,
    secrets,
    idle: IdleTimeout.make(options.ttl ?? IdleTimeout.defaultMillis, startedAt),
    log,
    activity,
    past,
    scope: lifetime.scope,
    references,
    ...views,
    breakpoints,
    watches,
    traces,
    logpoints,
    ownership,
    ...records,
    outlivedBy: late.holders,
    conditionProblems: filter.problems,
    connection,
    adapter: () => live?.adapter,
    start: program.start,
    isLoaded: () => isLoaded() && log.snapshot.state === "starting",
    run: program.run,
    removedBreakpoints: stop.removed,
    view: stop.view,
    outcome: (token, millis) => within(millis)(log.until(settledAfter(token))),
    await: (test, millis) => within(millis)(log.until(test)),
    ...control,
    end,
    closed: close("Terminated")
  }
  yield* reportLoss(options, lifetime, log)
  return session
})
