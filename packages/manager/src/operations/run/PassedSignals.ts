/**
 * Signals at which a run continues, because the program handles or ignores them. LLDB and GDB stop at `SIGUSR1`, for example, whatever
 * the program does with it.
 */
import type { Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { names } from "../../model/signals/SignalCodes.ts"
import type { Processes } from "../../ports/Processes.ts"
import type { Session } from "../../session/Session.ts"

/** Signals of faults. They are failures also if the program handles them: a handler that reports the fault ends the program elsewhere. */
const faults: ReadonlySet<string> = new Set(["SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS"])

const numbers = new Map(Object.entries(names).map(([number, name]) => [name, Number(number)]))

/** True if a program stopped at a signal that it handles or ignores, as far as the system tells. */
export const isPassed = Effect.fnUntraced(function* (
  session: Session,
  { reason, signal }: Stop.StopReport,
  { handlesSignal }: Processes["Service"]
) {
  const { pid } = session.log.snapshot
  const number = reason === "signal" && signal !== undefined && !faults.has(signal) ? numbers.get(signal) : undefined
  if (handlesSignal === undefined || pid === undefined || number === undefined) return false
  return yield* handlesSignal(pid, number)
})
