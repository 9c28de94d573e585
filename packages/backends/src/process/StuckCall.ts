/**
 * Ends requests that a debugger never answers by stopping the program with SIGSTOP: a call of a function that does not return, made for
 * an expression or a command, and a pause that the debugger lost.
 *
 * Until the function returns, the debugger answers no request, and up to LLDB 19 adapters have no request that ends the call.
 * SIGSTOP ends it: the debugger restores the program's state and does not report the signal. For a call, SIGSTOP is sent only to a
 * process of this machine that runs although it was reported stopped.
 *
 * LLDB ignores an interrupt that arrives between a stop and the resume by the breakpoint's own callback, and waits for the stop while the
 * callback resumes at each hit. lldb-dap then reads no request. LLDB stops the program at SIGSTOP, does not pass it on, and reports
 * it like its own interrupt.
 */
import type { Backend, Processes } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The parts of a connection that this module uses. */
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
  /**
   * Runs a pause request. While it is not answered and no stop is reported, it sends SIGSTOP to the program, each `lostAfter`
   * milliseconds and at most `signals` times.
   */
  readonly pausing: <A, E>(request: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Returns true if the debugger has written a message of a logpoint since the program was resumed. */
  readonly hasLogged: () => boolean
  /** Sends SIGSTOP to the program if it was not reported stopped. Returns false if it was not sent. */
  readonly signalPause: Effect.Effect<boolean>
  /** Returns true if a SIGSTOP of a pause was sent that has not stopped the program yet. */
  readonly isSignalOwed: () => boolean
  /** Records that this SIGSTOP has stopped the program. */
  readonly signalReceived: () => void
}

/** Time without an answer after which a pause is taken for lost, in milliseconds. Measured answers took at most 600 ms. */
const lostAfter = 750

/** Maximum number of signals for one pause request. */
const signals = 3

/** Timeout of `ping`. */
const pingTimeout = "2 seconds"

/** Makes the bounds of one connection. */
export const make = ({ listener, local, processes }: Options): StuckCall => {
  let pid: number | undefined
  let stopped = false
  let hasLogged = false
  let isOwed = false

  /** Sends SIGSTOP to a program of this machine that was reported as given. */
  const stopIf = (reportedStopped: boolean, isRefused: (found: Processes.Description) => boolean) =>
    Effect.suspend(() =>
      pid === undefined || stopped !== reportedStopped || !local ? Effect.succeedNone : processes.describe(pid)
    ).pipe(
      Effect.flatMap((found) =>
        Option.isSome(found) && !isRefused(found.value) ? processes.kill(found.value, "SIGSTOP") : Effect.succeed(false)
      )
    )
  const end = stopIf(true, (found) => found.stopped)
  // A program that passes breakpoints all the time is stopped at one of them most of the time.
  const signalPause = Effect.tap(
    stopIf(false, (found) => !found.traced),
    (isSent) => Effect.sync(() => (isOwed ||= isSent))
  )
  const stopLostPause = Effect.andThen(Effect.sleep(lostAfter), signalPause).pipe(
    Effect.repeat({ times: signals - 1 }),
    Effect.andThen(Effect.never)
  )

  return {
    listener: {
      ...listener,
      emit: (event) => {
        if (event._tag === "Output" && event.channel === "log") hasLogged = true
        if (event._tag === "Process") pid = event.pid
        else if (event._tag === "Stopped") stopped = true
        else if (event._tag !== "Output" && event._tag !== "BreakpointChanged") stopped = false
        listener.emit(event)
      }
    },
    hasLogged: () => hasLogged,
    resumed: () => {
      stopped = false
      hasLogged = false
    },
    signalPause,
    isSignalOwed: () => isOwed,
    signalReceived: () => {
      isOwed = false
    },
    pausing: (request) => Effect.raceFirst(request, stopLostPause),
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
