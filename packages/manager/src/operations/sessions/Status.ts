/**
 * The handler of `status`.
 */
import { Caller, MonotonicTime, type Operations, Session as Model } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Capabilities from "./Capabilities.ts"
import type { Session } from "../../session/Session.ts"
import * as UserFrame from "../frames/UserFrame.ts"

/** Converts milliseconds to whole seconds. */
export const seconds = (millis: number) => Math.max(0, Math.round(millis / 1000))

/** Returns the exit code or signal of a program, if known. */
export const exit = ({ exit_code, signal }: { readonly exit_code?: number; readonly signal?: string }) => ({
  ...(exit_code === undefined ? {} : { exit_code }),
  ...(signal === undefined ? {} : { signal })
})

/** Timeout for the location, so that a hanging debugger does not block `status`. */
const locationTimeout = "1500 millis"

/** Reads the location of the current stop. */
const place = (session: Session) =>
  Effect.gen(function* () {
    const view = yield* session.view
    const thread = session.log.snapshot.stopped?.thread ?? (yield* view.threads)[0]?.id ?? 0
    const index = yield* UserFrame.indexOf(session, view, thread)
    const { index: _, ref: __, hidden: ___, ...position } = (yield* view.frame(thread, index)).frame
    yield* view.check
    return { stop: view.stop, location: position }
  }).pipe(Effect.timeout(locationTimeout), Effect.option)

/** Returns the clients that are present, and the control lease. */
export const control = ({ lease, log, viewpoints }: Session) =>
  Effect.map(Effect.all([MonotonicTime.now, lease.rules]), ([now, { idleMillis }]) => {
    const isRecent = (time: number) => now - time < idleMillis
    const current = lease.current()
    const driver =
      current?.holder.id ?? (log.resumed !== undefined && isRecent(log.resumed.time) ? log.resumed.actor.id : undefined)
    const clients = viewpoints.all
      .filter(({ lastCall }) => isRecent(lastCall))
      .map(({ actor, since }) => {
        const identity = Caller.identity(actor)
        return { actor: identity, role: identity.id === driver ? ("drive" as const) : ("view" as const), since }
      })
    return { clients, ...(current === undefined ? {} : { lease: current }) }
  })

const kinds = { process: "attached", core: "core", remote: "remote" } as const

const kindOf = ({ launch }: Session) =>
  launch.existing === undefined ? ("launched" as const) : kinds[launch.existing.kind]

/** `status` of one session. */
export const status = Effect.fnUntraced(function* (session: Session, capabilities = false) {
  const found = session.log.snapshot.state === "stopped" ? yield* place(session) : Option.none()
  // Reading the location takes requests. The answer has the state after them.
  const snapshot = session.log.snapshot
  const location = Option.filter(found, ({ stop }) => stop === snapshot.stop)
  const adapter = session.adapter()
  const left = Model.isLive(snapshot.state) ? [] : yield* session.outlivedBy
  const stopped = snapshot.state === "stopped" ? snapshot.stopped : undefined
  const data: Operations.Data<"status"> = {
    session: session.name,
    state: snapshot.state,
    kind: kindOf(session),
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
    uptime_s: seconds((yield* MonotonicTime.now) - session.startedAt),
    ...exit(snapshot),
    ...(snapshot.state === "lost" ? { lost: snapshot.reason ?? "the debugger is gone" } : {}),
    durable: session.intent.isRecorded && (yield* session.notStored) === undefined,
    ...(left.length === 0 ? {} : { outlived_by: left.map(({ name, pid }) => ({ pid, name })) }),
    breakpoints: session.breakpoints.list().length,
    ...(session.isLoaded() ? { loaded: true } : {}),
    ...(session.beganBy === undefined ? {} : { began_by: session.beganBy }),
    ...(yield* control(session)),
    ...(session.policy.words.length === 0 ? {} : { policy: session.policy.words }),
    ...(capabilities && Model.isLive(snapshot.state) ? { capabilities: yield* Capabilities.of(session) } : {})
  }
  return data
})

/** Answer of `status` without a session. */
export const none: Operations.Data<"status"> = { state: "none" }
