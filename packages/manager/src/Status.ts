/**
 * The handlers that say how sessions stand, and end them.
 */
import { Session as Model, type Operations, type Session as Protocol } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Manager, SelectionFailure } from "./Manager.ts"
import type { Session } from "./Session.ts"

type Sessions = Manager["Service"]

const seconds = (millis: number) => Math.max(0, Math.round(millis / 1000))

const exit = ({ exit_code, signal }: { readonly exit_code?: number; readonly signal?: string }) => ({
  ...(exit_code === undefined ? {} : { exit_code }),
  ...(signal === undefined ? {} : { signal })
})

/** A debugger that hangs must not keep anybody from asking how things stand. */
const placeWithin = "1500 millis"

/** The place of the current stop, as far as it can be had without waiting for anything but the debugger. */
const place = (session: Session) =>
  Effect.gen(function* () {
    const view = yield* session.view
    const thread = session.log.snapshot.stopped?.thread ?? (yield* view.threads)[0]?.id ?? 0
    const { index: _, ref: __, hidden: ___, ...position } = (yield* view.frame(thread, 0)).frame
    yield* view.check
    return { stop: view.stop, location: position }
  }).pipe(Effect.timeout(placeWithin), Effect.option)

/** `status` of one session. */
export const status = Effect.fnUntraced(function* (session: Session) {
  const found = session.log.snapshot.state === "stopped" ? yield* place(session) : Option.none()
  // Finding the place took requests: what is told is how it stands after them.
  const snapshot = session.log.snapshot
  const location = Option.filter(found, ({ stop }) => stop === snapshot.stop)
  const adapter = session.adapter()
  const stopped = snapshot.state === "stopped" ? snapshot.stopped : undefined
  const data: Operations.Data<"status"> = {
    session: session.name,
    state: snapshot.state,
    stop: snapshot.stop,
    ...(stopped === undefined
      ? {}
      : {
          reason: stopped.reason,
          breakpoints_hit: stopped.breakpoints,
          ...(stopped.description === undefined ? {} : { description: stopped.description }),
          ...(Option.isSome(location) ? { location: location.value.location } : {})
        }),
    program: session.launch.program,
    args: session.launch.args,
    ...(snapshot.pid === undefined ? {} : { pid: snapshot.pid }),
    ...(adapter === undefined ? {} : { adapter }),
    uptime_s: seconds((yield* Clock.currentTimeMillis) - session.startedAt),
    ...exit(snapshot),
    ...(snapshot.state === "lost" ? { lost: snapshot.reason ?? "the debugger is gone" } : {}),
    breakpoints: session.breakpoints.list().length
  }
  return data
})

/** `sessions` */
export const list = Effect.fnUntraced(function* (sessions: Sessions) {
  const now = yield* Clock.currentTimeMillis
  const all = yield* sessions.sessions
  const current = yield* Effect.option(sessions.select(undefined))
  return {
    sessions: all.map((session): Protocol.SessionSummary => {
      const { pid, state } = session.log.snapshot
      return {
        name: session.name,
        state,
        program: session.launch.program,
        ...(pid === undefined ? {} : { pid }),
        age_s: seconds(now - session.startedAt),
        idle_s: seconds(now - session.lastUsed),
        current: current._tag === "Some" && current.value === session
      }
    })
  }
})

const howEnded = (session: Session, before: Model.SessionState): "already-ended" | "killed" | "detached" => {
  if (!Model.isLive(before)) return "already-ended"
  const { existing } = session.launch
  const ours = existing?.kind === "process" && existing.release !== undefined
  return existing === undefined || existing.kind === "core" || ours ? "killed" : "detached"
}

/** `stop` */
export const stop = Effect.fnUntraced(function* (sessions: Sessions, payload: Operations.Payload<"stop">) {
  const names = [...new Set([...payload.names, ...(payload.session === undefined ? [] : [payload.session])])]
  const select = (name: string | undefined): Effect.Effect<ReadonlyArray<Session>, SelectionFailure> => {
    const chosen = Effect.map(sessions.select(name), (session) => [session])
    return payload.if_exists
      ? chosen.pipe(Effect.catchTag(["NoSession", "SessionNotFound"], () => Effect.succeed([])))
      : chosen
  }
  const ending = payload.all
    ? yield* sessions.sessions
    : (yield* Effect.forEach(names.length > 0 ? names : [undefined], select)).flat()
  const ended = yield* Effect.forEach(
    ending,
    Effect.fnUntraced(function* (session) {
      const before = session.log.snapshot
      yield* sessions.end(session)
      return {
        name: session.name,
        program: session.launch.program,
        how: howEnded(session, before.state),
        ...exit(before)
      }
    }),
    { concurrency: "unbounded" }
  )
  return { sessions: ended, leftovers: [] }
})

/** The answer of `status` when there is no session. */
export const none: Operations.Data<"status"> = { state: "none" }
