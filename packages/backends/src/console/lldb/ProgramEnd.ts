/**
 * Tells a program that a signal killed from one that exited with the signal's number: LLDB reports both with the same exit code.
 * The packets of the debug server, which is the program's parent or tracer, differ.
 */
import { Parse } from "@sigtrap/lldb"
import { SignalCodes } from "@sigtrap/manager"
import type { Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** Largest exit code that can be the number of a signal. */
const lastSignal = 64

/** Returns the event of a program's end if the exit code may stand for a signal. `ask` runs a command of LLDB. */
export const of = <E>(
  exitCode: number | undefined,
  ask: (command: string) => Effect.Effect<string, E>
): Effect.Effect<Event.Event | undefined> | undefined =>
  exitCode === undefined || exitCode === 0 || exitCode > lastSignal
    ? undefined
    : Effect.map(
        Effect.orElseSucceed(ask(Parse.packetHistory), () => ""),
        (history): Event.Event | undefined => {
          const end = Parse.serverEnd(history)
          if (end === undefined) return undefined
          return "signal" in end
            ? { _tag: "Exited", signal: SignalCodes.common[end.signal] ?? `signal ${end.signal}` }
            : { _tag: "Exited", exit_code: end.code }
        }
      )
