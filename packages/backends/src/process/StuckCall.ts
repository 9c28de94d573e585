/**
 * Code of the program that the debugger runs for an expression or a command, and that does not come back.
 *
 * The debugger answers nothing meanwhile, and up to LLDB 19 an adapter knows no request that would end it. A SIGSTOP for
 * the program does: the debugger takes it for the end of the call, puts the program back to where it stood and keeps the
 * signal to itself. It is sent only to a process of this machine that runs although it was told to have stopped.
 */
import type { Backend, Processes } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** What is needed to know. */
export interface Options {
  readonly processes: Processes.Processes["Service"]
  readonly listener: Backend.Listener
  /** Whether the program is a process of this machine. */
  readonly local: boolean
}

/** The hanging calls of one connection. */
export interface StuckCall {
  /** Passes events on and learns from them which process it is and whether it stands still. */
  readonly listener: Backend.Listener
  /** The program was set going. */
  readonly departed: () => void
  /**
   * An answer within so many milliseconds, or `RequestTimeout`; then, and when the caller gives up, what runs is ended and
   * `answers` shows that the debugger is there again.
   */
  readonly bounded: <A, E>(
    ask: Effect.Effect<A, E>,
    what: string,
    millis: number,
    answers: Effect.Effect<unknown, unknown>
  ) => Effect.Effect<A, E | Errors.RequestTimeout>
}

/** How long the debugger may take to be there again. */
const backWithin = "2 seconds"

/** The hanging calls of one connection. */
export const make = ({ listener, local, processes }: Options): StuckCall => {
  let pid: number | undefined
  let standing = false

  const end = Effect.suspend(() =>
    pid === undefined || !standing || !local ? Effect.succeedNone : processes.describe(pid)
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
        else if (event._tag === "Stopped") standing = true
        else if (event._tag !== "Output" && event._tag !== "BreakpointChanged") standing = false
        listener.emit(event)
      }
    },
    departed: () => {
      standing = false
    },
    bounded: (ask, what, millis, answers) => {
      const released = Effect.andThen(end, Effect.ignore(Effect.timeoutOption(answers, backWithin)))
      return ask.pipe(
        Effect.timeoutOrElse({
          duration: millis,
          orElse: () =>
            Effect.andThen(released, Effect.fail(new Errors.RequestTimeout({ command: what, after_ms: millis })))
        }),
        Effect.onInterrupt(() => released)
      )
    }
  }
}
