/**
 * Ends a session on request: kills the program, detaches, sends SIGTERM first, or leaves the program stopped.
 *
 * A program that a debugger has stopped handles no signal. So a program that gets SIGTERM first is detached before. An
 * attached program is detached, unless `killAttached` is set.
 */
import { Caller } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Connection, LaunchRequest } from "../ports/Backend.ts"
import type { Registry } from "../breakpoints/Registry.ts"
import type { OwnedProcesses } from "./OwnedProcesses.ts"

/** How to end a session. */
export interface ShutdownMode {
  readonly how: "kill" | "detach"
  /** Also kills a program that the session did not launch. */
  readonly killAttached?: boolean
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace?: number
  /** Leaves the program stopped by SIGSTOP. */
  readonly suspended?: boolean
  /** Keeps the ended session, so that its history can be read and `restart` starts its program again. */
  readonly keep?: boolean
  /** True if no client asked for it: the idle timeout expired, or the manager closes. */
  readonly unasked?: boolean
}

/** The event of an end that was requested. */
export type End = "Terminated" | "Detached"

/** The session to end. */
export interface Options {
  readonly launch: LaunchRequest
  readonly breakpoints: Registry
  readonly ownership: OwnedProcesses
  /** Closed with the debugger. */
  readonly scope: Scope.Scope
  /** Returns the debugger while the session is live. */
  readonly live: () => Connection | undefined
  readonly isStopped: () => boolean
  /** True if the program exited or was detached before. */
  readonly isOver: () => boolean
  /** Makes this end of the next report that the program ended, caused by a client; undefined if none asked for it. */
  readonly expect: (end: End, client: Caller.Actor | undefined) => void
  readonly close: (end: End) => Effect.Effect<void>
}

/** True if this mode detaches the program. Attached and remote programs are detached unless `killAttached` is set. */
export const detaches = ({ existing }: LaunchRequest, { how, killAttached }: ShutdownMode): boolean =>
  how === "detach" ||
  (existing !== undefined &&
    existing.kind !== "core" &&
    killAttached !== true &&
    !(existing.kind === "process" && existing.release !== undefined))

/** Timeout for removing the breakpoints before a detach, in milliseconds. The detach follows in any case. */
const clearWithin = 500

/** Time in which SIGTRAP ends a program whose debugger was killed, in milliseconds. */
const trapWithin = 200

/** Returns what a forced end of the debugger means for a program that was to live on. */
const forcedDetach = Effect.fnUntraced(function* (ownership: OwnedProcesses) {
  const survivor = yield* ownership.survivor(trapWithin)
  return survivor === undefined
    ? "the debugger did not answer and was killed; the program has ended with it"
    : "the debugger did not answer and was killed; the program may end by SIGTRAP at its next breakpoint"
})

/**
 * Ends a session. Debugger and, unless detached, program are gone when it completes. Returns a problem that the caller should
 * know.
 */
export const end = Effect.fnUntraced(function* (
  options: Options,
  { grace, how, killAttached, suspended, unasked }: ShutdownMode
) {
  const { breakpoints, launch, ownership } = options
  const { existing } = launch
  const attached = existing !== undefined && existing.kind !== "core"
  const local = existing === undefined || existing.kind === "process"
  // The manager sends the signals itself, after the debugger has detached.
  const signalled = how === "kill" && local && (grace !== undefined || (attached && killAttached === true))
  const detached = (how === "detach" || attached) && !signalled
  const live = options.live()
  const isOver = options.isOver()
  const state = detached ? "Detached" : "Terminated"
  const { actor } = yield* Caller.Current
  let problem: string | undefined
  options.expect(state, unasked === true ? undefined : actor)
  if (live !== undefined) {
    // A program that reaches a remaining breakpoint instruction without a debugger is killed by SIGTRAP.
    if (detached || signalled) {
      // Not interrupted after the timeout, since a request that was sent cannot be taken back.
      const clearing = yield* Effect.forkIn(breakpoints.clear, options.scope)
      yield* Effect.timeoutOption(Fiber.await(clearing), clearWithin)
    }
    const isTermFirst = signalled && grace !== undefined && grace > 0
    // A SIGTERM that is pending while the program is stopped is delivered when the debugger detaches.
    const pending = isTermFirst && options.isStopped()
    if (pending) yield* ownership.signal("SIGTERM")
    const { forced } = yield* live.end(detached || signalled ? "detach" : "kill")
    if (forced && detached && local) problem = yield* forcedDetach(ownership)
    // LLDB loses a SIGSTOP that is pending while it detaches. So it is sent right after.
    if (suspended === true) yield* ownership.signal("SIGSTOP")
    if (isTermFirst && !pending) yield* ownership.signal("SIGTERM")
    if (signalled) yield* ownership.killAfter(grace ?? 0)
  }
  yield* options.close(state)
  // A program that was launched for this session, but not by the debugger, ends with it.
  if (how === "kill" && !isOver && existing?.kind === "process") yield* existing.release ?? Effect.void
  return problem
})
