/**
 * Whether the main thread of a running program has ended while others run (`pthread_exit` in `main`). LLDB cannot stop such a program: it
 * ends it when a pause does not succeed.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Processes } from "../ports/Processes.ts"
import type { Session } from "../session/Session.ts"

/** Fails if the program cannot be paused, because its main thread has ended. */
export const check = Effect.fnUntraced(function* ({ launch, log }: Session) {
  const { pid, state } = log.snapshot
  const processes = yield* Processes
  if (pid === undefined || state !== "running" || launch.existing?.kind === "remote") return
  // A process whose main thread has ended is a zombie, which counts as exited. Its other threads are still listed.
  if (processes.threads === undefined || Option.isSome(yield* processes.identify(pid))) return
  if ((yield* processes.threads(pid)).length < 2) return
  const problem = "the main thread has ended and other threads run: the debugger would end the program at a pause"
  return yield* new Errors.InvalidState({ problem })
})
