/**
 * Records the path of a program by Python functions inside LLDB, which resume the program themselves. LLDB without Python has none.
 */
import type { Backend, PathRecorder } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Milliseconds for a command that sets thousands of breakpoints, or prints or removes what was recorded. */
const timeout = 30_000

const Files = Schema.fromJsonString(Schema.Array(Schema.String))

const Count = Schema.fromJsonString(Schema.Int)

/** What the command `sigtrap-path-end` prints. */
const Recorded = Schema.fromJsonString(
  Schema.NullOr(
    Schema.Struct({
      rows: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])),
      values: Schema.Array(Schema.Tuple([Schema.Int, Schema.Array(Schema.Tuple([Schema.String, Schema.String]))])),
      lines: Schema.Array(Schema.Int),
      reads: Schema.Array(Schema.Tuple([Schema.Int, Schema.String, Schema.String, Schema.Int])),
      places: Schema.Array(Schema.Tuple([Schema.Int, Schema.String, Schema.String, Schema.Int, Schema.Int])),
      end: Schema.Literals(["", "stop", "entries", "lines", "threads"])
    })
  )
)

/** A recorder that keeps its records when LLDB ends. */
export interface LldbPathRecorder extends PathRecorder.PathRecorder {
  /** Fetches the record before the program's end is reported; undefined if nothing is recorded. */
  readonly keep: () => Effect.Effect<void> | undefined
}

const recordingOf = (text: string): PathRecorder.Recording | undefined => {
  const found = Option.getOrUndefined(Schema.decodeOption(Recorded)(text.trim()))
  if (found === undefined || found === null) return undefined
  const { end, lines, places, reads, rows } = found
  const values = new Map(found.values)
  return {
    places: places.map(([address, name, file, line, column]) => ({ address, function: name, file, line, column })),
    entries: rows.map(([address, caller], index) => {
      const own = values.get(index)
      return { address, caller, ...(own === undefined ? {} : { values: own }) }
    }),
    lines,
    reads: reads.map(([entry, name, file, line]) => ({ entry, function: name, file, line })),
    ...(end === "" ? {} : { end })
  }
}

/** Makes the paths of one connection. `text` runs a command and returns its output, also if it failed. */
export const make = (
  text: (line: string, millis: number) => Effect.Effect<string, Backend.Failure>
): LldbPathRecorder => {
  let isRecording = false
  let kept: PathRecorder.Recording | undefined

  const fetch = Effect.map(text("sigtrap-path-end", timeout), (output) => {
    isRecording = false
    kept = recordingOf(output)
  })

  const count = Effect.fnUntraced(function* (
    command: string,
    options: PathRecorder.PathOptions | PathRecorder.LineOptions
  ) {
    const output = yield* text(`${command} ${JSON.stringify(options)}`, timeout)
    const found = Option.getOrUndefined(Schema.decodeOption(Count)(output.trim()))
    if (found !== undefined) return found
    return yield* new Errors.AdapterError({ command, detail: output.trim().slice(0, 300) })
  })

  return {
    files: Effect.flatMap(text("sigtrap-path-files", timeout), (output) =>
      Option.match(Schema.decodeOption(Files)(output.trim()), {
        onNone: () =>
          Effect.fail(new Errors.AdapterError({ command: "sigtrap-path-files", detail: output.trim().slice(0, 300) })),
        onSome: Effect.succeed
      })
    ),
    begin: (options) =>
      Effect.suspend(() => {
        isRecording = true
        kept = undefined
        return count("sigtrap-path-begin", options)
      }),
    lines: (options) => count("sigtrap-path-lines", options),
    end: Effect.suspend(() => (isRecording ? fetch : Effect.void)).pipe(
      Effect.map(() => {
        const found = kept
        kept = undefined
        return found
      })
    ),
    keep: () => (isRecording ? Effect.ignore(Effect.timeout(fetch, timeout)) : undefined)
  }
}
