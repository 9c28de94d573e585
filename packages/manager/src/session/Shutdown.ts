/**
 * The end of a session at a caller's word: its program killed, let go, asked to end first, or left stopped.
 *
 * A program under a debugger hears no signal until it runs; so one that is asked politely is let go first. What is
 * attached to is let go unless somebody insists.
 */
import * as Effect from "effect/Effect"
import type { Connection, LaunchRequest } from "../ports/Backend.ts"
import type { Registry } from "../breakpoints/Registry.ts"
import type { OwnedProcesses } from "./OwnedProcesses.ts"

/** How a session shall end. */
export interface ShutdownMode {
  readonly how: "kill" | "detach"
  /** Also what was there before the debugger. */
  readonly insist?: boolean
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace?: number
  /** Leave the program stopped by SIGSTOP. */
  readonly suspended?: boolean
}

/** What is parted from. */
export interface Options {
  readonly launch: LaunchRequest
  readonly breakpoints: Registry
  readonly ownership: OwnedProcesses
  /** The debugger, while there is one to end. */
  readonly live: () => Connection | undefined
  readonly isStopped: () => boolean
  /** Whether the program had ended, or was let go, before. */
  readonly isOver: () => boolean
  /** From now on the end that a debugger tells is the program's freedom. */
  readonly lettingGo: () => void
  readonly close: (state: "Terminated" | "Detached") => Effect.Effect<void>
}

/** Whether ending a session in this way lets its program go, as it does with whatever was there before the session. */
export const frees = ({ existing }: LaunchRequest, { how, insist }: ShutdownMode): boolean =>
  how === "detach" ||
  (existing !== undefined &&
    existing.kind !== "core" &&
    insist !== true &&
    !(existing.kind === "process" && existing.release !== undefined))

/** How long an adapter may take to give up its breakpoints before it is made to let go, in milliseconds. */
const clearWithin = 2000

/** Ends a session. Debugger and, unless it is let go, program are gone when it completes. */
export const part = Effect.fnUntraced(function* (options: Options, { grace, how, insist, suspended }: ShutdownMode) {
  const { breakpoints, launch, ownership } = options
  const { existing } = launch
  const foreign = existing !== undefined && existing.kind !== "core"
  const local = existing === undefined || existing.kind === "process"
  // By signals of ours, after the debugger let go.
  const signalled = how === "kill" && local && (grace !== undefined || (foreign && insist === true))
  const free = (how === "detach" || foreign) && !signalled
  const live = options.live()
  const over = options.isOver()
  if (live !== undefined) {
    if (free) options.lettingGo()
    // Breakpoints that stay in the code of a program without a debugger kill it.
    if (free || signalled) yield* breakpoints.withdraw.pipe(Effect.timeoutOption(clearWithin), Effect.ignore)
    const first = signalled && grace !== undefined && grace > 0
    // Pending at a stopped program, it comes with its freedom.
    const pending = first && options.isStopped()
    if (pending) yield* ownership.signal("SIGTERM")
    yield* live.end(free || signalled ? "detach" : "kill")
    // A SIGSTOP that is pending while LLDB lets go is lost, so it comes right after.
    if (suspended === true) yield* ownership.signal("SIGSTOP")
    if (first && !pending) yield* ownership.signal("SIGTERM")
    if (signalled) yield* ownership.endWithin(grace ?? 0)
  }
  yield* options.close(free ? "Detached" : "Terminated")
  // What was started for this session ends with it, though not by the debugger.
  if (how === "kill" && !over && existing?.kind === "process") yield* existing.release ?? Effect.void
})
