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

/** True if LLDB's list of targets says that the selected program is one of Linux. */
const isLinux = (targets: string) => /^\s*\* target #\d+: .*\barch=[^\s,]*-linux\b/m.test(targets)

/** Returns the event of a program's end if the exit code may stand for a signal. `ask` runs a command of LLDB. */
export const of = <E>(
  exitCode: number | undefined,
  ask: (command: string) => Effect.Effect<string, E>
): Effect.Effect<Event.Event | undefined> | undefined =>
  exitCode === undefined || exitCode === 0 || exitCode > lastSignal
    ? undefined
    : Effect.gen(function* () {
        const text = (command: string) => Effect.orElseSucceed(ask(command), () => "")
        const end = Parse.serverEnd(yield* text(Parse.packetHistory))
        if (end === undefined) return undefined
        if (!("signal" in end)) return { _tag: "Exited", exit_code: end.code } satisfies Event.Event
        const common = SignalCodes.common[end.signal]
        // Other signals have other numbers on other systems.
        const own =
          common === undefined && isLinux(yield* text("target list")) ? SignalCodes.names[end.signal] : undefined
        return { _tag: "Exited", signal: common ?? own ?? `signal ${end.signal}` } satisfies Event.Event
      })
