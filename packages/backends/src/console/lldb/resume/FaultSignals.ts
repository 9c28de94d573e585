/**
 * Keeps the kernel's description of a fault, which a handler of the program reads. An expression that was evaluated at the stop
 * destroys it, because the debug server runs a system call in the stopped thread. A fault at a breakpoint is delivered once.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly text: (line: string) => Effect.Effect<string, Backend.Failure>
  /** The latest stop: its signal if a signal caused it, and LLDB's text. */
  readonly lastStop: () => { readonly signal?: string | undefined; readonly text?: string | undefined }
}

/** The signals that an instruction raises (signal(7)). */
const faults = new Set(["SIGILL", "SIGBUS", "SIGFPE", "SIGSEGV"])

/** Makes the request before a resume; it sends nothing unless such a signal stopped the program. An LLDB without Python refuses it. */
export const make =
  ({ lastStop, text }: Options) =>
  (how: Backend.Resume): Effect.Effect<void> =>
    Effect.suspend(() =>
      faults.has(lastStop().signal ?? "")
        ? Effect.ignore(text(how === "continue" ? "sigtrap-fault-again continue" : "sigtrap-fault-again"))
        : Effect.void
    )
