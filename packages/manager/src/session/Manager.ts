/**
 * All sessions of one owner: names, selection, beginnings and endings.
 *
 * An ended session stays until its name is used again or it is stopped, so that what happened can still be asked.
 */
import { Errors, Field, Hint, type Operations, Session as Model } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import type { Backend } from "../ports/Backend.ts"
import type { LaunchRequest, LaunchFailure } from "../ports/Backend.ts"
import type { Request } from "../breakpoints/Registry.ts"
import * as Catchpoints from "../operations/Catchpoints.ts"
import * as IdleTimeout from "./IdleTimeout.ts"
import * as FileSystem from "effect/FileSystem"
import { Ledger } from "../ports/Ledger.ts"
import type { ShutdownMode } from "./Shutdown.ts"
import type { Processes } from "../ports/Processes.ts"
import * as Policy from "../model/Policy.ts"
import { Launch, type LaunchProblem, type LocationProblem, type Ready } from "../launch/Launch.ts"
import * as Session from "./Session.ts"

/** What choosing a session can fail with. */
export type SelectionFailure = Errors.NoSession | Errors.SessionNotFound | Errors.AmbiguousSession

/** What starting one can fail with. */
export type StartFailure =
  | LaunchFailure
  | LaunchProblem
  | LocationProblem
  | Errors.SessionExists
  | Errors.BreakpointUnresolved
  | Errors.Policy

/** A session that was set going, with the token for its first outcome. */
export interface Started {
  readonly session: Session.Session
  readonly token: number
}

/** What the beginnings of all kinds of sessions have in common. */
export type Beginning = Partial<
  Pick<
    Operations.Payload<"start">,
    | "session"
    | "break"
    | "logpoint"
    | "catch"
    | "pending"
    | "directory"
    | "replace"
    | "stop_at_main"
    | "label"
    | "ttl"
    | "read_only"
    | "deny"
  >
>

/** Who asks: the session that is named, and the directory in which another one may be current. */
export interface Asking {
  readonly session?: string
  readonly directory?: string
}

/** What is different when a program is started again. */
export type Again = Partial<Pick<LaunchRequest, "args" | "stopOnEntry">>

/** The name of a session that was given none. */
export const defaultName = "default"

const isLive = (session: Session.Session) => Model.isLive(session.log.snapshot.state)

const placing = ({ directory, pending }: Beginning) => ({
  pending: pending ?? false,
  ...(directory === undefined ? {} : { directory })
})

const atMain: Request = {
  text: "main",
  place: { kind: "function", name: "main" },
  pending: false,
  temporary: true
}

const catching = (session: Session.Session) => (filter: string) =>
  // There is nothing yet that could be taken away.
  Catchpoints.set(session, { filter }).pipe(Effect.catchTag("BreakpointNotFound", Effect.die))

/** The service. */
export class Manager extends Context.Service<
  Manager,
  {
    readonly sessions: Effect.Effect<ReadonlyArray<Session.Session>>
    /** The session of a name; without one the only one, the current one of the directory, the only live one. */
    readonly select: (asking: Asking) => Effect.Effect<Session.Session, SelectionFailure>
    /** Makes a session the current one of a directory. */
    readonly use: (
      name: string,
      directory: string | undefined
    ) => Effect.Effect<Session.Session, Errors.SessionNotFound>
    readonly rename: (
      name: string,
      next: string
    ) => Effect.Effect<Session.Session, Errors.SessionNotFound | Errors.SessionExists>
    readonly start: (payload: Ready) => Effect.Effect<Started, StartFailure>
    /** Starts, or takes hold of, what was made ready. */
    readonly begin: (launch: LaunchRequest, payload: Beginning) => Effect.Effect<Started, StartFailure>
    /** Ends a session and starts its program again under the same name, with other arguments if there are any. */
    readonly restart: (session: Session.Session, change: Again) => Effect.Effect<Started, StartFailure>
    /** Ends a session and forgets it; a launched program is killed unless it shall be otherwise. */
    readonly end: (session: Session.Session, parting?: ShutdownMode) => Effect.Effect<void>
    /** How many sessions are alive; an idle daemon exits when there are none. */
    readonly live: Effect.Effect<number>
    /** Ends every session. */
    readonly endAll: Effect.Effect<void>
  }
>()("@sigtrap/manager/Manager") {
  static readonly layer = Layer.effect(
    Manager,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const program = yield* Launch
      const machine = { fs: yield* FileSystem.FileSystem, path: yield* Path.Path }
      // Closed after the sessions were ended, by which time its fibers have nothing left to do.
      const lifetime = yield* Effect.flatMap(Effect.scope, Scope.fork)
      const services = yield* Effect.context<Backend | Ledger | Processes>()
      const sessions = new Map<string, Session.Session>()

      for (const entry of yield* ledger.lost) {
        // Its processes are gone; what it was can still be asked.
        const launch = { program: entry.program, args: entry.args, cwd: "/", env: {}, stopOnEntry: false }
        const lost = "the daemon that kept it was killed"
        const session = yield* Session.make({ name: entry.name, launch, lost }, lifetime)
        sessions.set(entry.name, session)
      }

      /** The name of the session that was last made current, by directory. */
      const current = new Map<string, string>()

      const named = Effect.fnUntraced(function* (name: string) {
        const known = [...sessions.keys()]
        return sessions.get(name) ?? (yield* new Errors.SessionNotFound({ name, known }))
      })

      const select = Effect.fnUntraced(function* ({ directory, session: name }: Asking) {
        if (name !== undefined) return yield* named(name)
        const all = [...sessions.values()]
        const here = directory === undefined ? undefined : sessions.get(current.get(directory) ?? "")
        if (here !== undefined) return here
        const candidates = all.some(isLive) ? all.filter(isLive) : all
        const [first, second] = candidates
        if (first === undefined) return yield* new Errors.NoSession({})
        if (second !== undefined) {
          return yield* new Errors.AmbiguousSession({ names: candidates.map((session) => session.name) })
        }
        return first
      })

      const forget = (session: Session.Session) => {
        if (sessions.get(session.name) !== session) return
        sessions.delete(session.name)
        for (const [directory, name] of current) if (name === session.name) current.delete(directory)
      }

      const end = Effect.fnUntraced(function* (session: Session.Session, parting: ShutdownMode = { how: "kill" }) {
        yield* session.end(parting)
        forget(session)
      })

      const endAll = Effect.suspend(() =>
        Effect.forEach([...sessions.values()], (session) => end(session), { concurrency: "unbounded", discard: true })
      )
      yield* Effect.addFinalizer(() => endAll)

      const idle = (session: Session.Session) =>
        Number.isFinite(session.ttl)
          ? IdleTimeout.watch(session, session.ttl, end(session)).pipe(Effect.forkIn(lifetime), Effect.asVoid)
          : Effect.void

      const logpoint = Effect.fnUntraced(function* (text: string, payload: Beginning) {
        const [, at, log] = /^(.+?) :: (.+)$/s.exec(text) ?? []
        if (at === undefined || log === undefined) {
          return yield* new Errors.Usage({
            problem: `${text} is no logpoint; the message follows the place after ' :: '`,
            near: [],
            remedies: [Hint.again("start", { logpoint: ["FILE:LINE :: n={n}"] })]
          })
        }
        return yield* program.breakpoint({ text: at, log, ...placing(payload) })
      })

      const begin = Effect.fn("Manager.begin")(function* (asked: LaunchRequest, payload: Beginning) {
        const { deny, read_only } = payload
        const policy = Policy.of({ deny, read_only, settings: asked.settings })
        const launch = yield* Policy.beginning(policy, asked, machine)
        const name = payload.session ?? defaultName
        const requests = [
          ...(yield* Effect.forEach(payload.break ?? [], (text) => program.breakpoint({ text, ...placing(payload) }))),
          ...(yield* Effect.forEach(payload.logpoint ?? [], (text) => logpoint(text, payload)))
        ]
        const stopAtMain = payload.stop_at_main ?? false
        const known = sessions.get(name)
        if (known !== undefined) {
          if (isLive(known) && payload.replace !== true) return yield* new Errors.SessionExists({ name })
          // Also one that has ended: what is left of it must be gone before its name means another.
          yield* end(known)
        }
        const { label, ttl } = payload
        const made = {
          name,
          launch,
          stopAtMain,
          policy,
          ...(label === undefined ? {} : { label }),
          ...(ttl === undefined ? {} : { ttl: Field.millis(ttl) })
        }
        const session = yield* Session.make(made, lifetime).pipe(Effect.provide(services))
        // Nothing may come between looking at the name and taking it, so both happen in one step.
        const taken = Option.fromUndefinedOr(sessions.get(name)).pipe(Option.filter(isLive))
        if (Option.isSome(taken)) return yield* new Errors.SessionExists({ name })
        sessions.set(name, session)
        const configure = Effect.andThen(
          session.breakpoints.addAll([...requests, ...(stopAtMain ? [atMain] : [])]),
          Effect.forEach(payload.catch ?? [], catching(session), { discard: true })
        )
        const token = yield* session.start(configure).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) forget(session)
            })
          )
        )
        if (payload.directory !== undefined) current.set(payload.directory, name)
        yield* idle(session)
        return { session, token }
      })

      const restart = Effect.fn("Manager.restart")(function* (session: Session.Session, change: Again) {
        const { label, name, policy, stopAtMain, ttl } = session
        yield* Policy.permit(policy, "restart", "starting the program again")
        yield* session.end({ how: "kill" })
        const { held: _, ...before } = session.launch
        const made = {
          name,
          launch: { ...before, ...change },
          stopAtMain,
          policy,
          ttl,
          restarts: session,
          ...(label === undefined ? {} : { label })
        }
        const again = yield* Session.make(made, lifetime).pipe(Effect.provide(services))
        sessions.set(name, again)
        const token = yield* again.start(
          Effect.andThen(
            again.breakpoints.again,
            stopAtMain ? Effect.asVoid(again.breakpoints.add(atMain)) : Effect.void
          )
        )
        yield* idle(again)
        return { session: again, token }
      })

      return Manager.of({
        sessions: Effect.sync(() => [...sessions.values()]),
        select,
        use: (name, directory) =>
          Effect.tap(named(name), () =>
            Effect.sync(() => (directory === undefined ? undefined : current.set(directory, name)))
          ),
        rename: Effect.fnUntraced(function* (name, next) {
          const session = yield* named(name)
          const other = sessions.get(next)
          if (other === session) return session
          if (other !== undefined && isLive(other)) return yield* new Errors.SessionExists({ name: next })
          if (other !== undefined) yield* end(other)
          sessions.delete(name)
          session.name = next
          sessions.set(next, session)
          for (const [directory, known] of current) if (known === name) current.set(directory, next)
          yield* session.ownership.rename(next)
          return session
        }),
        start: (payload) => Effect.flatMap(program.launch(payload), (launch) => begin(launch, payload)),
        begin,
        restart,
        end,
        live: Effect.sync(() => [...sessions.values()].filter(isLive).length),
        endAll
      })
    })
  )
}
