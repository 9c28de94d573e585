/**
 * Ends a call of a program's function that does not return. The debugger made the call for an expression or a command.
 *
 * Until the function returns, the debugger answers no request, and up to LLDB 19 adapters have no request that ends the call.
 * SIGSTOP ends it: the debugger restores the program's state and does not report the signal. SIGSTOP is sent only to a
 * process of this machine that runs although it was reported stopped.
 */
import type { Backend, Processes } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** What a connection provides. */
export interface Options {
  readonly processes: Processes.Processes["Service"]
  readonly listener: Backend.Listener
  /** True if the program is a process of this machine. */
  readonly local: boolean
}

/** Bounds the calls of one connection. */
export interface StuckCall {
  /** Records the program's pid and whether it is stopped, and passes all events to the given listener. */
  readonly listener: Backend.Listener
  /** Records that the program is resumed. */
  readonly resumed: () => void
  /**
   * Runs a request that may call functions. Fails with `RequestTimeout` after `millis`. After a timeout or an interruption it
   * ends the call, and waits until the debugger answers `ping`.
   */
  readonly bounded: <A, E>(
    request: Effect.Effect<A, E>,
    name: string,
    millis: number,
    ping: Effect.Effect<unknown, unknown>
  ) => Effect.Effect<A, E | Errors.RequestTimeout>
}

/** Timeout of `ping`. */
const pingTimeout = "2 seconds"

/** Makes the bounds of one connection. */
export const make = ({ listener, local, processes }: Options): StuckCall => {
  let pid: number | undefined
  let stopped = false

  const end = Effect.suspend(() =>
    pid === undefined || !stopped || !local ? Effect.succeedNone : processes.describe(pid)
  ).pipe(
    Effect.flatMap((found) =>
      Option.isSome(found) && !found.value.stopped ? processes.kill(found.value, "SIGSTOP") : Effect.succeed(false)
    )
  )

  return {
    listener: {
      ...listener,
      emit: (event) => {
        if (event._tag === "Process") pid = event.pid
        else if (event._tag === "Stopped") stopped = true
        else if (event._tag !== "Output" && event._tag !== "BreakpointChanged") stopped = false
        listener.emit(event)
      }
    },
    resumed: () => {
      stopped = false
    },
    bounded: (request, name, millis, ping) => {
      const ended = Effect.andThen(end, Effect.ignore(Effect.timeoutOption(ping, pingTimeout)))
      return request.pipe(
        Effect.timeoutOrElse({
          duration: millis,
          orElse: () =>
            Effect.andThen(ended, Effect.fail(new Errors.RequestTimeout({ command: name, after_ms: millis })))
        }),
        Effect.onInterrupt(() => ended)
      )
    }
  }
}
