/** Predicates over a session snapshot: whether a resume is settled, why there is no debugger. */
import { Errors, type Event, Hint, Session as Model, type Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Connection, Failure, LaunchRequest } from "../ports/Backend.ts"
import type { EventLog } from "./events/EventLog.ts"

/** Returns a predicate: true for a snapshot with a stop, or the end, after the resume of `token`. */
export const settledAfter = (token: number) => (snapshot: Snapshot.Snapshot) =>
  !Model.isLive(snapshot.state) || (snapshot.state === "stopped" && snapshot.resumes >= token)

/** Drops the failure of a resume request if the stop or the end after it was already seen. */
export const unlessSettled =
  (log: EventLog, token: number) =>
  <E>(request: Effect.Effect<void, E>): Effect.Effect<void, E> =>
    Effect.catch(request, (error) => (settledAfter(token)(log.snapshot) ? Effect.void : Effect.fail(error)))

/** Returns why a session has no debugger. */
const connectionFailure = (snapshot: Snapshot.Snapshot): Failure => {
  if (snapshot.state === "lost") return new Errors.SessionLost({ reason: snapshot.reason ?? "the debugger is gone" })
  if (snapshot.state === "exited" || snapshot.state === "terminated") {
    return new Errors.ProcessEnded({
      ...(snapshot.exit_code === undefined ? {} : { exit_code: snapshot.exit_code }),
      ...(snapshot.signal === undefined ? {} : { signal: snapshot.signal })
    })
  }
  return new Errors.NotRunning({})
}

/** Returns the debugger while the session is live. */
export const requireLive = (
  connection: Connection | undefined,
  snapshot: Snapshot.Snapshot
): Effect.Effect<Connection, Failure> =>
  connection !== undefined && Model.isLive(snapshot.state)
    ? Effect.succeed(connection)
    : Effect.fail(connectionFailure(snapshot))

/** Fails if the program has left a stop: it was resumed, or its session has ended. */
export const checkStop = (log: EventLog, stop: number): Effect.Effect<void, Failure | Errors.NotStopped> =>
  Effect.suspend(() => {
    const { snapshot } = log
    if (snapshot.state === "stopped" && snapshot.stop === stop) return Effect.void
    return Effect.fail(Model.isLive(snapshot.state) ? new Errors.NotStopped({}) : connectionFailure(snapshot))
  })

/** Returns the first event of a session or of a new run. */
export const startingOf = ({
  existing,
  program
}: LaunchRequest): Extract<Event.Event, { readonly _tag: "Starting" }> => ({
  _tag: "Starting",
  program,
  ...(existing?.kind === "core" ? { core: true } : {})
})

/** Fails for a core file, which cannot be resumed. */
export const requireProcess = (launch: LaunchRequest): Effect.Effect<void, Errors.InvalidState> =>
  launch.existing?.kind === "core"
    ? Effect.fail(
        new Errors.InvalidState({ problem: "a core file cannot be resumed", remedies: [Hint.call("explain", {})] })
      )
    : Effect.void

/** Fails for a core file, in which nothing can stop. */
export const requireStops = (launch: LaunchRequest): Effect.Effect<void, Errors.Unsupported> =>
  launch.existing?.kind === "core"
    ? Effect.fail(
        new Errors.Unsupported({
          what: "breakpoints and watchpoints",
          by: "a core file",
          remedies: [Hint.call("explain", {})]
        })
      )
    : Effect.void

/** Returns the error for a caller that saw another stop. It names who resumed the program last. */
export const staleStop = ({ resumed, snapshot: { stop } }: EventLog, atStop: number): Errors.StaleStop =>
  new Errors.StaleStop({ at_stop: atStop, stop, ...(resumed === undefined ? {} : { by: resumed.actor }) })

/** Fails if the program has left the stop that a caller saw, or is at another one. The end of the program is another failure. */
export const requireStop = (log: EventLog, atStop: number | undefined): Effect.Effect<void, Errors.StaleStop> => {
  const { state, stop } = log.snapshot
  return atStop === undefined || (state === "stopped" && stop === atStop) || !Model.isLive(state)
    ? Effect.void
    : Effect.fail(staleStop(log, atStop))
}

/** Bounds an effect by a timeout in milliseconds. `Infinity` waits without a limit. */
export const within =
  (millis: number) =>
  <A>(effect: Effect.Effect<A>): Effect.Effect<Option.Option<A>> =>
    Number.isFinite(millis) ? Effect.timeoutOption(effect, millis) : Effect.map(effect, Option.some)
