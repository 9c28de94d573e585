/**
 * The program that sigtrap starts at the adapter's request (DAP `runInTerminal`), for an adapter that reports no exit (`silentProcess`).
 */
import type { Transport } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** How long a program that was started here may take to exit after `terminated`, which tells no exit code. */
const programExit = "5 seconds"

/** A program whose exit is reported here. */
export interface SilentProgram {
  /** Receives a program that was started, and reports its exit. An adapter can start several; the first one is the program. */
  readonly onStarted: (pid: number, exit: Effect.Effect<Transport.Exit>) => void
  /** Waits until the exit of the program is reported, for at most 5 seconds. Ends at once if none was started. */
  readonly reported: Effect.Effect<void>
}

/** Makes the record of the program. `report` reports an exit. */
export const make = (
  { listener, request }: { readonly listener: Backend.Listener; readonly request: Backend.LaunchRequest },
  fork: (effect: Effect.Effect<unknown>) => void,
  report: (how: Transport.Exit) => Effect.Effect<unknown>
): SilentProgram => {
  let first: Deferred.Deferred<void> | undefined
  return {
    onStarted: (pid: number, exit: Effect.Effect<Transport.Exit>): void => {
      listener.emit({ _tag: "Process", pid, name: request.program })
      const reported = Deferred.makeUnsafe<void>()
      first ??= reported
      fork(Effect.ensuring(Effect.flatMap(exit, report), Deferred.succeed(reported, undefined)))
    },
    reported: Effect.suspend(() =>
      first === undefined ? Effect.void : Effect.asVoid(Effect.timeoutOption(Deferred.await(first), programExit))
    )
  }
}
