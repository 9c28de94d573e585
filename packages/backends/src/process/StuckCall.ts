/**
 * Ends a function of the program that the debugger called for an expression or a command and that does not return.
 *
 * Until it returns the debugger answers nothing, and up to LLDB 19 adapters have no request that ends it. A SIGSTOP to the
 * program does: the debugger takes it for the end of the call, restores the program's state and does not report the
 * signal. It is sent only to a process of this machine that runs although it was reported stopped.
 */
import type { Backend, Processes } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** What a connection provides. */
export interface Options {
  readonly processes: Processes.Processes["Service"]
  readonly listener: Backend.Listener
  /** The program is a process of this machine. */
  readonly local: boolean
}

/** The calls of one connection. */
export interface StuckCall {
  /** Passes events on and notes the program's pid and whether it is stopped. */
  readonly listener: Backend.Listener
  /** Notes that the program is resumed. */
  readonly resumed: () => void
  /**
   * Fails with `RequestTimeout` after `millis`. Then, and when the caller is interrupted, the call is ended and `ping` shows
   * that the debugger answers again.
   */
  readonly bounded: <A, E>(
    request: Effect.Effect<A, E>,
    name: string,
    millis: number,
    ping: Effect.Effect<unknown, unknown>
  ) => Effect.Effect<A, E | Errors.RequestTimeout>
}

/** How long the debugger may take to answer again. */
const pingTimeout = "2 seconds"

/** Makes the calls of one connection. */
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
