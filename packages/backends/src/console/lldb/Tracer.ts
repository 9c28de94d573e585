/**
 * Records hits of breakpoints by a Python function inside LLDB, which resumes the program itself. LLDB without Python records none.
 */
import type { Backend, Tracer } from "@sigtrap/manager"
import { Hex } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BreakpointIds } from "../BreakpointIds.ts"
import * as Division from "./values/Division.ts"

/** Milliseconds for the command that prints all records. */
const readTimeout = 5000

const Rows = Schema.fromJsonString(
  Schema.Array(Schema.Tuple([Schema.Int, Schema.Int, Schema.Finite, Schema.Array(Schema.String), Schema.Boolean]))
)

const Places = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ refused: Schema.String }),
    Schema.Struct({
      address: Schema.Int,
      entry: Schema.Int,
      places: Schema.Array(
        Schema.Struct({
          base: Schema.Literals(["frame", "static"]),
          offset: Schema.Int,
          size: Schema.Int,
          kind: Schema.Literals(["signed", "unsigned", "bool", "pointer"]),
          bytes: Schema.String
        })
      )
    })
  ])
)

/** Returns the places in an answer of the command; undefined if it is another text. */
const placesIn = (output: string): Tracer.Places | undefined => {
  const found = Option.getOrUndefined(Schema.decodeOption(Places)(output.trim()))
  if (found === undefined || "refused" in found) return found
  return {
    address: BigInt(found.address),
    entry: BigInt(found.entry),
    fields: found.places.map(({ bytes: _, offset, ...field }) => ({ ...field, offset: BigInt(offset) })),
    bytes: found.places.map(({ bytes }) => Hex.decode(bytes) ?? new Uint8Array())
  }
}

const Values = Schema.fromJsonString(Schema.Array(Schema.String))

const LoggedRows = Schema.fromJsonString(
  Schema.Struct({
    rows: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int, Schema.Int, Schema.Array(Schema.String)])),
    stop: Schema.Int
  })
)

/** A tracer that keeps its records when LLDB ends. */
export interface LldbTracer extends Tracer.Tracer {
  /** Fetches the records before the program's end is reported; undefined if nothing is recorded. */
  readonly keep: () => Effect.Effect<void> | undefined
  /** Reports the hits of logpoints and completes the work of `beforeStop` before a stop is reported; undefined if there is nothing to do. */
  readonly stopping: () => Effect.Effect<void> | undefined
}

/** Runs a command and returns its output, also if it failed. */
type Text = (line: string, millis?: number) => Effect.Effect<string, Backend.Failure>

/** Makes the request for values, by one of the commands that print them. */
const valuesBy =
  (command: string, text: Text): Tracer.Tracer["values"] =>
  (thread, expressions) =>
    Effect.map(text(`${command} ${JSON.stringify({ thread, expressions })}`), (output) =>
      Option.getOrUndefined(Schema.decodeOption(Values)(output.trim()))
    )

/** Records hits of logpoints. `isRecording` is false until the first one is recorded. */
const makeLogpoints = (text: Text, ids: BreakpointIds, listener: Pick<Backend.Listener, "logged">) => {
  let isRecording = false
  /** True from the end of the recording to the next stop, at which threads may still be at recorded hits. */
  let isEnding = false

  const report = (command: string, isBeforeStop = false) =>
    Effect.map(text(command, readTimeout), (output) => {
      const logged = Option.getOrUndefined(Schema.decodeOption(LoggedRows)(output.trim()))
      if (logged === undefined) return
      const hits = logged.rows.map(([id, thread, stop, values]) => ({ id, thread, stop, values }))
      listener.logged?.({ hits, ...(isBeforeStop ? { stop: logged.stop } : {}) })
    })

  const logpoints: Tracer.Logpoints = {
    values: valuesBy("sigtrap-log-values", text),
    begin: (id, expressions, room) => {
      const numbers = ids.allOf(id)
      if (numbers.length === 0 || expressions.some(Division.mayDivideByZero)) return Effect.succeed(false)
      const asked = JSON.stringify({ id, numbers, expressions, room })
      return Effect.map(text(`sigtrap-log-begin ${asked}`), (output) => {
        const hasBegun = output.trim() === "true"
        isRecording ||= hasBegun
        if (hasBegun) isEnding = false
        return hasBegun
      })
    },
    take: Effect.suspend(() => (isRecording ? report("sigtrap-log-take") : Effect.void)),
    end: Effect.suspend(() => {
      if (!isRecording || isEnding) return Effect.void
      isEnding = true
      return report("sigtrap-log-end")
    })
  }
  const reportBeforeStop = Effect.tap(report("sigtrap-log-take", true), () =>
    Effect.sync(() => {
      if (isEnding) isRecording = false
      isEnding = false
    })
  )
  return { logpoints, isRecording: () => isRecording, reportBeforeStop }
}

/** Makes the tracer of one connection. */
export const make = (text: Text, ids: BreakpointIds, listener: Pick<Backend.Listener, "logged">): LldbTracer => {
  const { isRecording: isLogging, logpoints, reportBeforeStop } = makeLogpoints(text, ids, listener)
  let isRecording = false
  let kept: ReadonlyArray<Tracer.Row> = []
  let first: Effect.Effect<void> | undefined

  const fetch = Effect.map(text("sigtrap-trace-end", readTimeout), (output) => {
    isRecording = false
    const rows = Option.getOrElse(Schema.decodeOption(Rows)(output.trim()), () => [])
    kept = [...kept, ...rows.map(([id, thread, time, values, isPresent]) => ({ id, thread, time, values, isPresent }))]
  })

  return {
    values: valuesBy("sigtrap-trace-values", text),

    begin: (id, expressions, room) => {
      const numbers = ids.allOf(id)
      if (numbers.length === 0 || expressions.some(Division.mayDivideByZero)) return Effect.succeed(false)
      isRecording = true
      const asked = JSON.stringify({ id, numbers, expressions, room })
      return Effect.map(text(`sigtrap-trace-begin ${asked}`), (output) => output.trim() === "true")
    },

    end: Effect.suspend(() => (isRecording ? Effect.ignore(fetch) : Effect.void)).pipe(
      Effect.map(() => {
        const rows = kept
        kept = []
        return rows
      })
    ),

    logpoints,

    places: (id, thread, expressions) =>
      Effect.map(
        text(`sigtrap-trace-places ${JSON.stringify({ numbers: ids.allOf(id), thread, expressions })}`),
        placesIn
      ),

    beforeStop: (work) => {
      first = work
    },

    stopping: () => {
      if (!isLogging()) return first
      return Effect.andThen(first ?? Effect.void, Effect.ignore(Effect.timeout(reportBeforeStop, readTimeout)))
    },

    keep: () =>
      isRecording || isLogging()
        ? Effect.ignore(Effect.timeout(Effect.andThen(isRecording ? fetch : Effect.void, logpoints.take), readTimeout))
        : undefined
  }
}
