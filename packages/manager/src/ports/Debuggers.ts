/**
 * The debuggers of the machine on which the manager runs.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Finds the debuggers with the environment of this process, at least one entry for each kind; none without a machine. */
export const Debuggers = Context.Reference<Effect.Effect<ReadonlyArray<Operations.InstalledDebugger>>>(
  "@sigtrap/manager/Debuggers",
  { defaultValue: () => Effect.succeed([]) }
)
