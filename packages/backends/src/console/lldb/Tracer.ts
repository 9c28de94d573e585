/**
 * Records hits of breakpoints by a Python function inside LLDB, which resumes the program itself. LLDB without Python records none.
 */
import type { Backend, Tracer } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BreakpointIds } from "../BreakpointIds.ts"

/** Milliseconds for the command that prints all records. */
const readTimeout = 5000

const Rows = Schema.fromJsonString(
  Schema.Array(Schema.Tuple([Schema.Int, Schema.Int, Schema.Finite, Schema.Array(Schema.String)]))
)

const Values = Schema.fromJsonString(Schema.Array(Schema.String))

/** A tracer that keeps its records when LLDB ends. */
export interface LldbTracer extends Tracer.Tracer {
  /** Fetches the records before the program's end is reported; undefined if nothing is recorded. */
  readonly keep: () => Effect.Effect<void> | undefined
}

/** Makes the tracer of one connection. `text` runs a command and returns its output, also if it failed. */
export const make = (
  text: (line: string, millis?: number) => Effect.Effect<string, Backend.Failure>,
  ids: BreakpointIds
): LldbTracer => {
  let isRecording = false
  let kept: ReadonlyArray<Tracer.Row> = []

  const fetch = Effect.map(text("sigtrap-trace-end", readTimeout), (output) => {
    isRecording = false
    const rows = Option.getOrElse(Schema.decodeOption(Rows)(output.trim()), () => [])
    kept = [...kept, ...rows.map(([id, thread, time, values]) => ({ id, thread, time, values }))]
  })

  return {
    values: (thread, expressions) =>
      Effect.map(text(`sigtrap-trace-values ${JSON.stringify({ thread, expressions })}`), (output) =>
        Option.getOrUndefined(Schema.decodeOption(Values)(output.trim()))
      ),

    begin: (id, expressions, room) => {
      const numbers = ids.allOf(id)
      if (numbers.length === 0) return Effect.succeed(false)
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

    keep: () => (isRecording ? Effect.ignore(Effect.timeout(fetch, readTimeout)) : undefined)
  }
}
