/**
 * Handlers that list, select, rename, describe and end sessions.
 */
import {
  Errors,
  Field,
  Hint,
  MonotonicTime,
  type Operations,
  Session as Model,
  type Session as Protocol
} from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ownership from "../../session/consent/Ownership.ts"
import type { SessionSelector, Manager, SelectionFailure } from "../../session/Manager.ts"
import * as Shutdown from "../../session/Shutdown.ts"
import type { Session } from "../../session/Session.ts"
import * as Status from "./Status.ts"

type Sessions = Manager["Service"]
type Ended = Operations.Data<"stop">

/** Returns the session that the caller's directory selects, if any. */
const selected = (sessions: Sessions, { directory }: SessionSelector) =>
  Effect.map(Effect.option(sessions.select(directory === undefined ? {} : { directory })), Option.getOrUndefined)

const summary = (session: Session, now: number, current: Session | undefined): Protocol.SessionSummary => {
  const { pid, state } = session.log.snapshot
  return {
    name: session.name,
    state,
    program: session.launch.program,
    ...(pid === undefined ? {} : { pid }),
    age_s: Status.seconds(now - session.startedAt),
    idle_s: Status.seconds(now - session.idle.lastUsed()),
    current: session === current,
    ...(session.label === undefined ? {} : { label: session.label })
  }
}

/** Handles `sessions`. */
export const list = Effect.fnUntraced(function* (sessions: Sessions, selector: SessionSelector) {
  const now = yield* MonotonicTime.now
  const current = yield* selected(sessions, selector)
  return { sessions: (yield* sessions.sessions).map((session) => summary(session, now, current)) }
})

const one = Effect.fnUntraced(function* (sessions: Sessions, selector: SessionSelector, session: Session) {
  return summary(session, yield* MonotonicTime.now, yield* selected(sessions, selector))
})

/** Handles `session.use`. */
export const use = (sessions: Sessions, { name, directory }: Operations.Payload<"session.use">) =>
  Effect.flatMap(sessions.use(name, directory), (session) =>
    one(sessions, directory === undefined ? {} : { directory }, session)
  )

/** Handles `session.rename`. */
export const rename = (sessions: Sessions, payload: Operations.Payload<"session.rename">) =>
  Effect.flatMap(sessions.rename(payload.name, payload.new_name), (session) => one(sessions, payload, session))

/** Handles `session.info`. */
export const info = Effect.fnUntraced(function* (sessions: Sessions, session: Session, selector: SessionSelector) {
  const { idle, launch } = session
  const { directory: _, ...found } = selector
  const { idle_s, current, label } = yield* one(sessions, { ...found, ...selector }, session)
  const data: Operations.Data<"session.info"> = {
    ...(yield* Status.status(session)),
    cwd: launch.cwd,
    ...(label === undefined ? {} : { label }),
    ...(Number.isFinite(idle.millis) ? { ttl_s: Status.seconds(idle.millis) } : {}),
    idle_s,
    current,
    variables: Object.keys(launch.env).length,
    ...(launch.stdin === undefined ? {} : { stdin: launch.stdin }),
    ...(launch.stdout === undefined ? {} : { stdout: launch.stdout }),
    ...(launch.stderr === undefined ? {} : { stderr: launch.stderr }),
    ...(launch.sourceMap === undefined ? {} : { source_map: launch.sourceMap.map(([from, to]) => `${from}=${to}`) }),
    output_bytes: session.log.journal.outputBytes
  }
  return { data }
})

/** Returns how a live session ends. */
const endOf = ({ launch }: Session, isDetached: boolean) => {
  if (launch.existing?.kind === "core") return "closed" as const
  return isDetached ? ("detached" as const) : ("killed" as const)
}

/** Ends sessions, and reports processes that are left. If the caller may not end one of them, ends none. */
const endAll = Effect.fnUntraced(function* (
  operation: "stop" | "session.prune",
  sessions: Sessions,
  ending: ReadonlyArray<Session>,
  mode: Shutdown.ShutdownMode
) {
  for (const session of ending) {
    yield* Ownership.permitEnd(operation, session)
    if (mode.how === "kill" && mode.killAttached === true) yield* Ownership.permitKill(operation, session)
  }
  const ended = yield* Effect.forEach(
    ending,
    Effect.fnUntraced(function* (session) {
      const before = session.log.snapshot
      const live = Model.isLive(before.state)
      const problem = yield* sessions.end(session, mode)
      const isDetached = Shutdown.detaches(session.launch, mode)
      const left = live ? yield* session.ownership.remaining : []
      return {
        session: {
          name: session.name,
          program: session.launch.program,
          how: live ? endOf(session, isDetached) : ("already-ended" as const),
          state: before.state,
          ...Status.exit(before),
          ...(problem === undefined ? {} : { problem })
        },
        leftovers: left
          .filter(({ role }) => role === "adapter" || !isDetached)
          .map(({ pid, role }) => ({
            pid,
            name: role === "adapter" ? (session.adapter()?.name ?? role) : session.launch.program
          }))
      }
    }),
    { concurrency: "unbounded" }
  )
  const data: Ended = {
    sessions: ended.map(({ session }) => session),
    leftovers: ended.flatMap(({ leftovers }) => leftovers)
  }
  return data
})

/** Handles `stop`. */
export const stop = Effect.fnUntraced(function* (sessions: Sessions, payload: Operations.Payload<"stop">) {
  if (payload.kill === true && payload.detach === true) {
    return yield* new Errors.Usage({
      problem: "--kill and --detach cannot be combined",
      near: [],
      remedies: [Hint.help("stop")]
    })
  }
  if (payload.detach === true && payload.grace !== undefined) {
    return yield* new Errors.Usage({
      problem: "--grace cannot be used with --detach",
      near: [],
      remedies: [Hint.help("stop")]
    })
  }
  const names = [...new Set([...payload.names, ...(payload.session === undefined ? [] : [payload.session])])]
  const select = (selector: SessionSelector): Effect.Effect<ReadonlyArray<Session>, SelectionFailure> => {
    const chosen = Effect.map(sessions.select(selector), (session) => [session])
    return payload.if_exists
      ? chosen.pipe(Effect.catchTag(["NoSession", "SessionNotFound"], () => Effect.succeed([])))
      : chosen
  }
  const here = payload.directory === undefined ? {} : { directory: payload.directory }
  const ending = payload.all
    ? yield* sessions.sessions
    : (yield* Effect.forEach(names.length > 0 ? names.map((session) => ({ session })) : [here], select)).flat()
  return yield* endAll("stop", sessions, ending, {
    how: payload.detach === true ? "detach" : "kill",
    killAttached: payload.kill === true,
    keep: payload.keep,
    ...(payload.grace === undefined ? {} : { grace: Field.millis(payload.grace) })
  })
})

/** Handles `session.prune`. */
export const prune = Effect.fnUntraced(function* (sessions: Sessions, { older }: Operations.Payload<"session.prune">) {
  const now = yield* MonotonicTime.now
  const limit = older === undefined ? Infinity : Field.millis(older)
  const unused = (yield* sessions.sessions).filter(
    (session) =>
      !Model.isLive(session.log.snapshot.state) || (!session.idle.isInUse() && now - session.idle.lastUsed() >= limit)
  )
  return yield* endAll("session.prune", sessions, unused, { how: "kill" })
})
