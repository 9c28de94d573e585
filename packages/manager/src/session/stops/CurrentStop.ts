/**
 * The current stop of a session: its view, made at the first request, and the actions of the breakpoints that were hit.
 */
import { Errors, MonotonicTime, type Breakpoint } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Registry } from "../../breakpoints/Registry.ts"
import * as Permission from "../../model/permissions/Permission.ts"
import type { Secrets } from "../../model/secrets/Secrets.ts"
import type { Connection, Failure } from "../../ports/Backend.ts"
import { Activations } from "../values/Activations.ts"
import type { EventLog } from "../events/EventLog.ts"
import type { OwnedProcesses } from "../OwnedProcesses.ts"
import type { PastStops } from "./PastStops.ts"
import type { References } from "../values/References.ts"
import { checkStop, within } from "../StateChecks.ts"
import * as StopActions from "./StopActions.ts"
import { StopView } from "../values/StopView.ts"

/** Time for which a process that exists is not looked at again, in milliseconds. */
const rememberedProcess = 2

/** The same within one call, which asks for the stop several times. */
const rememberedInCall = 50

/** Timeout for the debugger's report that the program has exited, in milliseconds. */
const exitTimeout = 1000

/** Dependencies of the current stop. */
export interface Options {
  readonly log: EventLog
  readonly connection: Effect.Effect<Connection, Failure>
  readonly breakpoints: Registry
  readonly references: References
  readonly secrets: Secrets
  readonly ownership: OwnedProcesses
  readonly past: PastStops
  /** True if the program is loaded and not started. */
  readonly isLoaded: () => boolean
}

interface Seen {
  readonly stop: number
  readonly since: number
  readonly call: Permission.Running | undefined
}

/** The current stop of one session. */
export interface CurrentStop {
  /** The view of the stop, after the actions of its breakpoints. */
  readonly view: Effect.Effect<StopView, Failure | Errors.NotStopped>
  /** Returns the temporary breakpoints that the newest stop removed. */
  readonly removed: () => ReadonlyArray<Breakpoint.Breakpoint>
  /** Records that the debugger has reported a stop, so that the program exists. */
  readonly reached: () => void
  /** Drops the view, because the program has left the stop. */
  readonly leave: () => void
}

/** Makes the current stop of one session. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { connection, log, ownership, references, secrets } = options
  const clock = yield* Clock.Clock
  const activations = new Activations()
  let view: StopView | undefined
  /** When the process existed, at which stop, and the last call that asked for it. */
  let seen: Seen = { stop: 0, since: Number.NEGATIVE_INFINITY, call: undefined }
  /** The stop at which pending breakpoints were asked for. */
  let refreshed = 0

  const actions = yield* StopActions.make({
    breakpoints: options.breakpoints,
    secrets,
    connection,
    stopped: () => log.snapshot.stopped
  })

  /** Ends the session if the process of the stopped program has exited. LLDB reports a SIGKILL of a stopped program late or never. */
  const detectExit = Effect.gen(function* () {
    if (log.snapshot.state !== "stopped") return
    const now = MonotonicTime.read(clock)
    const call = yield* Permission.Call
    const remembered = call !== undefined && call === seen.call ? rememberedInCall : rememberedProcess
    if (seen.stop === log.snapshot.stop && now - seen.since < remembered) {
      seen = { ...seen, call }
      return
    }
    yield* ownership.settled
    if (!(yield* ownership.programGone)) {
      seen = { stop: log.snapshot.stop, since: now, call }
      return
    }
    const reported = yield* within(exitTimeout)(log.until((snapshot) => snapshot.state !== "stopped"))
    if (Option.isSome(reported)) return
    const { traces } = yield* connection
    log.emit({ _tag: "Exited", signal: traces === true ? "SIGKILL" : "a signal" })
  })

  const entering = () => {
    const { breakpoints = [], thread } = log.snapshot.stopped ?? {}
    const known = [...options.breakpoints.list(), ...actions.removed()]
    return known.some(({ id, kind }) => kind === "function" && breakpoints.includes(id)) ? thread : undefined
  }

  const current: CurrentStop = {
    view: Effect.gen(function* () {
      yield* detectExit
      const snapshot = log.snapshot
      const connected = yield* connection
      if (snapshot.state !== "stopped") {
        return yield* new Errors.NotStopped(options.isLoaded() ? { loaded: true } : {})
      }
      const { stop } = snapshot
      view ??= new StopView({
        stop,
        references,
        secrets,
        connection: connected,
        check: checkStop(log, stop),
        readings: () => options.past.at(stop)?.readings,
        activations,
        entering
      })
      const found = view
      if (refreshed !== stop) {
        refreshed = stop
        // A debugger that reports no change of a breakpoint is asked. A failure changes nothing that the stop shows.
        yield* Effect.ignore(options.breakpoints.refresh)
      }
      yield* actions.settle(found)
      return found
    }),
    removed: actions.removed,
    reached: () => {
      seen = { stop: log.snapshot.stop, since: MonotonicTime.read(clock), call: undefined }
    },
    leave: () => {
      view = undefined
    }
  }
  return current
})
