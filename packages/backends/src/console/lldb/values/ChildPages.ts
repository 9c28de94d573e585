/**
 * Reads children of variables, and shows variables, by Python commands inside LLDB, where a call of a formatter takes a third of the
 * time. The answers are undefined without Python in LLDB.
 */
import type { Frames } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Runs a command in a frame and returns its output, also if it failed. */
type Run = (line: string, frame: number) => Effect.Effect<string, Backend.Failure>

const Names = Schema.fromJsonString(Schema.Array(Schema.String))

const Shown = Schema.fromJsonString(Schema.Struct({ output: Schema.String, errors: Schema.String }))

/** Matches the answer of an LLDB that does not have these commands. */
const unknown = /is not a valid command/

/** Matches a byte that Python does not decode. LLDB's command line writes it in another way. */
const undecoded = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** The commands of one connection. */
export interface ChildPages {
  /** Reads a page of children of a variable. Requests of lldb-dap for the same page are faster afterwards. */
  readonly read: (path: string, frame: number, start: number, count: number) => Effect.Effect<void>
  /** Returns the names of a page of children of a variable. */
  readonly names: (
    path: string,
    frame: number,
    start: number,
    count: number
  ) => Effect.Effect<ReadonlyArray<string> | undefined, Backend.Failure>
  /** Runs three commands: change a setting, the command itself, restore the setting. Returns what the second one wrote. */
  readonly show: (
    commands: Frames.Formatted,
    frame: number
  ) => Effect.Effect<typeof Shown.Type | undefined, Backend.Failure>
}

/** Makes the commands of one connection. They are not sent again to an LLDB that does not have them. */
export const make = (run: Run): ChildPages => {
  let isMissing = false
  const answer = (line: string, frame: number) =>
    Effect.suspend(() =>
      isMissing
        ? Effect.succeed("")
        : Effect.map(run(line, frame), (output) => {
            isMissing ||= unknown.test(output.slice(0, 200))
            return output.trim()
          })
    )
  return {
    read: (path, frame, start, count) => Effect.ignore(answer(`sigtrap-read-page ${start} ${count} ${path}`, frame)),
    names: (path, frame, start, count) =>
      Effect.map(answer(`sigtrap-child-names ${start} ${count} ${path}`, frame), (output) =>
        Option.getOrUndefined(Schema.decodeOption(Names)(output))
      ),
    show: (commands, frame) =>
      Effect.map(answer(`sigtrap-show ${JSON.stringify(commands)}`, frame), (output) => {
        const shown = Option.getOrUndefined(Schema.decodeOption(Shown)(output))
        return shown === undefined || undecoded.test(shown.output) ? undefined : shown
      })
  }
}
