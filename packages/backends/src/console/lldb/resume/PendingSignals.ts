/**
 * Lets a thread leave a breakpoint at which a signal with a handler waits for it. LLDB 19 runs the handler first, stops at the breakpoint
 * once more and counts a second hit.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Options } from "./FaultSignals.ts"

/** The resumes that leave an instruction as a whole. */
const leaving: ReadonlySet<Backend.Resume> = new Set<Backend.Resume>(["continue", "next", "step", "finish"])

/** Makes the request before a resume; it sends nothing unless a breakpoint stopped the program. An LLDB without Python refuses it. */
export const make =
  ({ lastStop, text }: Options) =>
  (how: Backend.Resume, thread: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      leaving.has(how) && lastStop().text?.startsWith("breakpoint ") === true
        ? Effect.ignore(text(`sigtrap-leave-breakpoint ${thread}`))
        : Effect.void
    )
