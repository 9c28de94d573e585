/**
 * All sessions of one owner: names, selection, beginnings and endings.
 *
 * An ended session stays until its name is used again or it is stopped, so that what happened can still be asked.
 */
import { Errors, Session as Model, type Operations } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Backend } from "./Backend.ts"
import type { Launch, LaunchFailure } from "./Backend.ts"
import type { Request } from "./Breakpoints.ts"
import * as Idle from "./Idle.ts"
import { Ledger } from "./Ledger.ts"
import type { Processes } from "./Processes.ts"
import { Program, type LaunchProblem, type LocationProblem } from "./Program.ts"
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

/** A session that was set going, with the token for its first outcome. */
export interface Started {
  readonly session: Session.Session
  readonly token: number
}

/** What the beginnings of all kinds of sessions have in common. */
export type Beginning = Partial<
  Pick<Operations.Payload<"start">, "session" | "break" | "pending" | "directory" | "replace" | "stop_at_main">
>

/** The name of a session that was given none. */
export const defaultName = "default"

const isLive = (session: Session.Session) => Model.isLive(session.log.snapshot.state)

const atMain: Request = {
  text: "main",
  place: { kind: "function", name: "main" },
  pending: false,
  temporary: true
}

/** The service. */
export class Manager extends Context.Service<
  Manager,
  {
    readonly sessions: Effect.Effect<ReadonlyArray<Session.Session>>
    /** The session of a name; without one the only live session, else the only one. */
    readonly select: (name: string | undefined) => Effect.Effect<Session.Session, SelectionFailure>
    readonly start: (payload: Operations.Payload<"start">) => Effect.Effect<Started, StartFailure>
    /** Starts, or takes hold of, what was made ready. */
    readonly begin: (launch: Launch, payload: Beginning) => Effect.Effect<Started, StartFailure>
    /** Ends a session and starts its program again under the same name, with other arguments if there are any. */
    readonly restart: (
      session: Session.Session,
      args: ReadonlyArray<string> | undefined
    ) => Effect.Effect<Started, StartFailure>
    /** Ends a session and forgets it. */
    readonly end: (session: Session.Session) => Effect.Effect<void>
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
      const program = yield* Program
      // Closed after the sessions were ended, by which time its fibers have nothing left to do.
      const lifetime = yield* Effect.flatMap(Effect.scope, Scope.fork)
      const services = yield* Effect.context<Backend | Ledger | Processes>()
      const sessions = new Map<string, Session.Session>()

      for (const entry of yield* ledger.lost) {
        const session = yield* Session.makeLost(entry, "the daemon that kept it was killed", lifetime)
        sessions.set(entry.name, session)
      }

      const select = Effect.fnUntraced(function* (name: string | undefined) {
        const all = [...sessions.values()]
        if (name !== undefined) {
          return (
            sessions.get(name) ??
            (yield* new Errors.SessionNotFound({ name, known: all.map((session) => session.name) }))
          )
        }
        const candidates = all.some(isLive) ? all.filter(isLive) : all
        const [first, second] = candidates
        if (first === undefined) return yield* new Errors.NoSession({})
        if (second !== undefined) {
          return yield* new Errors.AmbiguousSession({ names: candidates.map((session) => session.name) })
        }
        return first
      })

      const end = Effect.fnUntraced(function* (session: Session.Session) {
        yield* session.end("kill")
        if (sessions.get(session.name) === session) sessions.delete(session.name)
      })

      const endAll = Effect.suspend(() =>
        Effect.forEach([...sessions.values()], end, { concurrency: "unbounded", discard: true })
      )
      yield* Effect.addFinalizer(() => endAll)

      const idle = (session: Session.Session, millis: number) =>
        Idle.watch(session, millis, end(session)).pipe(Effect.forkIn(lifetime))

      const begin = Effect.fn("Manager.begin")(function* (launch: Launch, payload: Beginning) {
        const name = payload.session ?? defaultName
        const requests = yield* Effect.forEach(payload.break ?? [], (text) =>
          program.breakpoint({
            text,
            pending: payload.pending ?? false,
            ...(payload.directory === undefined ? {} : { directory: payload.directory })
          })
        )
        const stopAtMain = payload.stop_at_main ?? false
        const known = sessions.get(name)
        if (known !== undefined) {
          if (isLive(known) && payload.replace !== true) return yield* new Errors.SessionExists({ name })
          // Also one that has ended: what is left of it must be gone before its name means another.
          yield* end(known)
        }
        const session = yield* Session.make({ name, launch, stopAtMain }, lifetime).pipe(Effect.provide(services))
        // Nothing may come between looking at the name and taking it, so both happen in one step.
        const taken = Option.fromUndefinedOr(sessions.get(name)).pipe(Option.filter(isLive))
        if (Option.isSome(taken)) return yield* new Errors.SessionExists({ name })
        sessions.set(name, session)
        const configure = Effect.forEach([...requests, ...(stopAtMain ? [atMain] : [])], session.breakpoints.add, {
          discard: true
        })
        const token = yield* session.start(configure).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit) && sessions.get(name) === session) sessions.delete(name)
            })
          )
        )
        yield* idle(session, Idle.limit)
        return { session, token }
      })

      const restart = Effect.fn("Manager.restart")(function* (
        session: Session.Session,
        args: ReadonlyArray<string> | undefined
      ) {
        const { name, stopAtMain } = session
        yield* session.end("kill")
        const launch = { ...session.launch, args: args ?? session.launch.args }
        const again = yield* Session.make({ name, launch, stopAtMain, restarts: session }, lifetime).pipe(
          Effect.provide(services)
        )
        sessions.set(name, again)
        const token = yield* again.start(
          Effect.andThen(
            again.breakpoints.again,
            stopAtMain ? Effect.asVoid(again.breakpoints.add(atMain)) : Effect.void
          )
        )
        yield* idle(again, Idle.limit)
        return { session: again, token }
      })

      return Manager.of({
        sessions: Effect.sync(() => [...sessions.values()]),
        select,
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
