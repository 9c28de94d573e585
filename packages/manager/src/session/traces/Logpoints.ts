/**
 * The logpoints whose values the debugger records by itself, without a stop for each message.
 *
 * The manager writes the first message. If the debugger reads the same values in the same frame, it records those of the
 * following hits, and the manager makes the messages of them. A hit that the debugger cannot record stops the program, and
 * the manager writes its message as before. An edit of any breakpoint, and a pause, end the recording; the next hit may begin
 * it again.
 */
import { type Event, Expression, MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Registry } from "../../breakpoints/Registry.ts"
import { mask, type Secrets } from "../../model/secrets/Secrets.ts"
import type { Connection, Failure } from "../../ports/Backend.ts"
import type { Logged } from "../../ports/Tracer.ts"

/** Time between two looks whether recorded hits have to be fetched, in milliseconds. */
const interval = 150

/** Time without a hit that stopped the program after which the recorded hits are fetched while it runs, in milliseconds. */
const quiet = 300

/** Dependencies of the logpoints of a session. */
export interface Options {
  readonly breakpoints: Registry
  readonly secrets: Secrets
  readonly connection: Effect.Effect<Connection, Failure>
  readonly emit: (event: Event.Event) => void
  /** Returns true while the program runs. */
  readonly isRunning: () => boolean
  /** Starts work that ends with the session. */
  readonly fork: (work: Effect.Effect<void>) => void
}

/** A hit whose message the manager has written, with the values of the expressions in the message. */
interface Written {
  readonly id: number
  readonly message: string
  readonly thread: number | undefined
  /** Undefined if an expression could not be evaluated. */
  readonly values: ReadonlyArray<string> | undefined
}

/** The logpoints of one session. */
export interface Logpoints {
  /** Lets the debugger record the following hits if its values are the same. Called while the program is stopped. */
  readonly offer: (live: Pick<Connection, "tracer">, written: Written) => Effect.Effect<void>
  /** Writes the messages of recorded hits and counts them. */
  readonly logged: (logged: Logged) => void
  /** Returns true if the debugger recorded the hit of a thread at the stop that is reported. */
  readonly isRecorded: (id: number, thread: number | undefined) => boolean
  /** Forgets the stop that was reported. Called before each resume. */
  readonly resuming: () => void
  /** Returns true while the debugger records any logpoint. */
  readonly isAny: () => boolean
  /** Returns true while the debugger records a logpoint. */
  readonly isRecording: (id: number) => boolean
  /** Ends the recording of all. */
  readonly end: Effect.Effect<void>
  /** Ends the recording of all after an edit of breakpoints. */
  readonly edited: () => void
}

/** Returns the expressions of a message that are evaluated: those without the name of a secret. */
const evaluated = (message: string, secrets: Secrets): ReadonlyArray<string> =>
  Expression.inMessage(message).filter((expression) => !secrets.named(expression))

/** Makes the logpoints of one session. */
export const make = ({ breakpoints, connection, emit, fork, isRunning, secrets }: Options): Logpoints => {
  /** Numbers of the logpoints that the debugger records. */
  const recording = new Set<number>()
  /** The message for which the recording began last, by the number of the logpoint. */
  const begun = new Map<number, string>()
  /** The message with which the debugger had other values, by the number of the logpoint. */
  const refused = new Map<number, string>()
  /** The debugger's number of the stop of the newest hit, by logpoint and thread. */
  const newest = new Map<string, number>()
  /** The debugger's number of the stop that is reported now. */
  let stop: number | undefined
  let isPolling = false
  /** When a hit stopped the program last; undefined if the hits since then were fetched. */
  let lastStop: number | undefined

  const textOf = (message: string, values: ReadonlyArray<string>): string => {
    const rest = [...values]
    return Expression.messageParts(message)
      .map((part, index) =>
        index % 2 === 0 ? part : secrets.named(part) ? mask : secrets.inText(rest.shift() ?? "<unknown>")
      )
      .join("")
  }

  const live = Effect.map(connection, ({ tracer }) => tracer?.logpoints)

  const end = Effect.suspend(() => {
    recording.clear()
    return Effect.ignore(Effect.flatMap(live, (logpoints) => logpoints?.end ?? Effect.void))
  })

  /**
   * Fetches the hits that the program has passed before it became quiet; ends with the recording. A command while the debugger steps
   * over a breakpoint may lose hits, so none is sent as long as hits stop the program.
   */
  const poll = Effect.gen(function* () {
    while (recording.size > 0) {
      yield* Effect.sleep(interval)
      if (lastStop === undefined || !isRunning() || (yield* MonotonicTime.now) - lastStop < quiet) continue
      lastStop = undefined
      yield* Effect.flatMap(live, (logpoints) => logpoints?.take ?? Effect.void)
    }
  }).pipe(
    Effect.ignore,
    Effect.ensuring(
      Effect.sync(() => {
        isPolling = false
      })
    )
  )

  const begin = Effect.fnUntraced(function* (
    { tracer }: Pick<Connection, "tracer">,
    { id, message, thread, values }: Written
  ) {
    lastStop = yield* MonotonicTime.now
    if (tracer === undefined || thread === undefined || values === undefined) return
    if (recording.has(id) || refused.get(id) === message || !breakpoints.isRecordable(id)) return
    const expressions = evaluated(message, secrets)
    const found = expressions.length === 0 ? [] : yield* tracer.logpoints.values(thread, expressions)
    const isSame = expressions.every((_, index) => {
      const value = found?.[index]
      return value !== undefined && secrets.inText(value) === values[index]
    })
    if (!isSame || !(yield* tracer.logpoints.begin(id, expressions, breakpoints.roomOf(id)))) {
      refused.set(id, message)
      return
    }
    begun.set(id, message)
    recording.add(id)
    if (isPolling) return
    isPolling = true
    fork(poll)
  })

  return {
    offer: (connected, written) => Effect.ignore(begin(connected, written)),
    logged: ({ hits, stop: current }) => {
      if (current !== undefined) stop = current
      for (const { id, stop: at, thread, values } of hits) {
        const message = begun.get(id)
        newest.set(`${id} ${thread}`, at)
        if (message === undefined) continue
        breakpoints.hit([id], { thread })
        emit({ _tag: "Output", channel: "log", text: `${textOf(message, values)}\n` })
        fork(Effect.ignore(breakpoints.countDown([id])))
      }
    },
    isRecorded: (id, thread) => stop !== undefined && newest.get(`${id} ${thread ?? ""}`) === stop,
    isAny: () => recording.size > 0,
    resuming: () => {
      stop = undefined
    },
    isRecording: (id) => recording.has(id),
    end,
    edited: () => {
      if (recording.size > 0) fork(end)
    }
  }
}
