/**
 * Kills the program of a debug server that has failed. The server itself kills its program at the end of its scope, which one that was
 * killed cannot do.
 */
import { Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Timeout of the end of a killed program, in milliseconds. */
const killTimeout = 1000

/** Kills a program and the processes below it, if it still runs. */
export const kill = Effect.fnUntraced(function* (program: Option.Option<Processes.ProcessId>) {
  if (Option.isNone(program)) return
  const processes = yield* Processes.Processes
  const below = yield* processes.descendants(program.value.pid)
  yield* Effect.forEach([program.value, ...below], (one) => processes.kill(one, "SIGKILL"), { discard: true })
  yield* processes.awaitExit(program.value, killTimeout)
})
