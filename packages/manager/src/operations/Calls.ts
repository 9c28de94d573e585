/**
 * Runs the handlers of operations: selects the session, provides services, and wraps answers and errors with the
 * session's name and state.
 */
import { Errors, Operation, type Answer, type Effects } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { AttachTargets } from "../launch/AttachTargets.ts"
import { Build } from "../launch/Build.ts"
import { Launch } from "../launch/Launch.ts"
import * as Permission from "../model/permissions/Permission.ts"
import * as Policy from "../model/permissions/Policy.ts"
import * as Secrets from "../model/secrets/Secrets.ts"
import { SourceFiles } from "../model/sources/SourceFiles.ts"
import { Backend } from "../ports/Backend.ts"
import { Debuggers } from "../ports/Debuggers.ts"
import { FileReader } from "../ports/FileReader.ts"
import { IntentStore } from "../ports/IntentStore.ts"
import { Processes } from "../ports/Processes.ts"
import * as RunsCode from "../ports/RunsCode.ts"
import { SimulatorAccess } from "../ports/Simulators.ts"
import { type SessionSelector, Manager, type SelectionFailure, type Started } from "../session/Manager.ts"
import { isFollowing, onlyReads } from "../session/callers/Activity.ts"
import type { Session } from "../session/Session.ts"
import type { Viewpoint } from "../session/callers/Viewpoints.ts"
import { Defaults } from "../simulator/Defaults.ts"
import type { Services } from "../simulator/Target.ts"
import * as DefaultBackend from "./sessions/DefaultBackend.ts"
import type { Reply } from "./Reply.ts"
import * as Warnings from "./Warnings.ts"

/** A handler of a session. */
export type Handler<Data, E> = (session: Session) => Effect.Effect<Reply<Data>, E, SourceFiles | FileReader>

type Machine = Processes | FileSystem.FileSystem | FileReader | AttachTargets | Manager

const envelope = <Data>(
  session: Session,
  viewpoint: Viewpoint,
  reply: Reply<Data>,
  notStored: string | undefined
): Answer.Answer<Data> => {
  const { state, stop } = reply.at ?? session.log.snapshot
  return {
    session: session.name,
    state,
    ...(stop === 0 ? {} : { stop }),
    ...(notStored === undefined ? {} : { durable: false }),
    data: reply.data,
    warnings: [
      ...Warnings.notStored(notStored),
      ...Warnings.of(session, viewpoint, reply.data),
      ...(reply.warnings ?? [])
    ],
    truncated: reply.truncated ?? []
  }
}

/**
 * Runs a call as one of its caller: it is recorded in the activity of the session, and counts as use of the session and of
 * its caller's control lease unless it follows. A caller that only reads does not use the session.
 */
const asUse =
  (session: Session) =>
  <A, E extends Errors.SigtrapError, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.all([Permission.Call, session.viewpoint]), ([running, viewpoint]) => {
      if (running === undefined || session.log.snapshot.state === "lost") return session.idle.during(work)
      if (!onlyReads(running.uses)) viewpoint.hasActed = true
      const isUse = viewpoint.hasActed && !isFollowing(running.payload)
      const recorded = Effect.tapError(
        Effect.tap(work, (answer) => Effect.sync(() => session.activity.record(viewpoint.actor, running, { answer }))),
        (error) =>
          Effect.sync(() => {
            // A caller without the tiers of the call has done nothing.
            if (running.isChecked) session.activity.record(viewpoint.actor, running, { error })
          })
      )
      const driving = isFollowing(running.payload) ? recorded : session.lease.during(recorded)
      return isUse ? session.idle.during(driving) : driving
    })

/** Tells observers which places of stops the call has read. */
const announcePlaces = ({ log, past }: Session) =>
  Effect.sync(() => {
    for (const { location, stop } of past.located()) log.emit({ _tag: "Located", stop, location })
  })

/** Fails if another actor has the control lease of the session and the running call does more than read. */
const permitControl = (session: Session): Effect.Effect<void, Errors.LeaseHeld> =>
  Effect.flatMap(Permission.Call, (running) =>
    running === undefined || onlyReads(running.uses) || Operation.meta(running.operation).ignoresLease
      ? Effect.void
      : session.lease.permit
  )

/** Returns the answer of an operation that has no session. */
export const withoutSession = <Data>(data: Data): Answer.Answer<Data> => ({
  state: "none",
  data,
  warnings: [],
  truncated: []
})

/** Fails if the policy of a session forbids one of these effects under its debugger. */
const permitUses = (session: Session, uses: ReadonlyArray<Effects.Use>) =>
  session.connection.pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((reader) => Policy.check(session.policy, uses, reader))
  )

/** Ways to run a handler, over the services of the manager. */
export const make = Effect.gen(function* () {
  const manager = yield* Manager
  const launch = yield* Launch
  const targets = yield* AttachTargets
  const sources = yield* SourceFiles
  const processes = yield* Processes
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const reader = yield* FileReader
  const debuggers = yield* Debuggers
  const preparation = { backend: yield* Backend, building: yield* Build, manager, fs, path, reader }
  const store = yield* IntentStore
  const access = yield* SimulatorAccess
  const simulators: Services = { access, defaults: yield* Defaults, path, environment: store.environment }
  const recovery = { manager, processes, store, fs, path, reader }
  const machine = Context.make(Processes, processes).pipe(
    Context.add(FileSystem.FileSystem, fs),
    Context.add(FileReader, reader),
    Context.add(AttachTargets, targets),
    Context.add(Manager, manager)
  )

  /** Runs a handler on a session. */
  const within = <Data, E extends Errors.SigtrapError>(
    session: Session,
    handle: Handler<Data, E>
  ): Effect.Effect<Answer.Answer<Data>, E> =>
    Effect.suspend(() => handle(session)).pipe(
      Effect.provideService(SourceFiles, sources.within(session.sourceRoots)),
      Effect.provideService(FileReader, reader),
      Effect.provideService(RunsCode.ByPolicy, Policy.forbidsCode(session.policy)),
      Effect.ensuring(announcePlaces(session)),
      // Everything that the answer shows is stored before it is sent.
      Effect.ensuring(Effect.sync(() => session.intent.counted())),
      Effect.flatMap((reply) =>
        Effect.map(Effect.all([session.viewpoint, session.notStored]), ([viewpoint, problem]) =>
          envelope(session, viewpoint, reply, problem)
        )
      ),
      Effect.mapError((error) => Errors.locate(error, { session: session.name, state: session.log.snapshot.state })),
      asUse(session)
    )

  /** Runs a handler on the session that the payload selects. */
  const on = <Data, E extends Errors.SigtrapError>(
    payload: SessionSelector,
    handle: Handler<Data, E>
  ): Effect.Effect<Answer.Answer<Data>, E | SelectionFailure | Errors.Policy | Errors.LeaseHeld> =>
    Effect.flatMap(manager.select(payload), (session) =>
      within(session, (found) =>
        Effect.flatMap(Permission.Uses, (uses) =>
          permitUses(found, uses).pipe(Effect.andThen(permitControl(found)), Effect.andThen(handle(found)))
        )
      )
    ).pipe(Effect.provideService(Secrets.Reveal, "reveal" in payload && payload.reveal === true))

  /** Runs a handler that reads the stopped program. One that arrives while a step runs reads at the stop of the step. */
  const reading = <Data, E extends Errors.SigtrapError>(payload: SessionSelector, handle: Handler<Data, E>) =>
    on(payload, (session) => Effect.andThen(session.answers.stepped, handle(session)))

  /** Runs a handler on a session that was just started. */
  const started = <Data, E extends Errors.SigtrapError, F extends Errors.SigtrapError>(
    start: Effect.Effect<Started, E>,
    handle: (session: Session, token: number) => Effect.Effect<Reply<Data>, F, SourceFiles | FileReader>
  ) => Effect.flatMap(start, ({ session, token }) => within(session, (found) => handle(found, token)))

  /** Runs a handler that needs no session. */
  const without = <P, Data, E, R>(
    handle: (services: Services, payload: P) => Effect.Effect<Data, E, R>,
    payload: P
  ): Effect.Effect<Answer.Answer<Data>, E, Exclude<R, Machine>> =>
    Effect.map(Effect.provideContext(handle(simulators, payload), machine), withoutSession)

  /** Returns the payload with the default backend, if it names none. */
  const withDefaultBackend = <P extends DefaultBackend.BackendChoice>(payload: P) =>
    DefaultBackend.withDefaultBackend(simulators, payload)

  return {
    manager,
    launch,
    targets,
    processes,
    preparation,
    recovery,
    simulators,
    machine,
    sources,
    fs,
    path,
    reader,
    debuggers,
    within,
    on,
    reading,
    started,
    without,
    withDefaultBackend
  }
})

/** Ways to run a handler. */
export type Calls = Effect.Success<typeof make>
