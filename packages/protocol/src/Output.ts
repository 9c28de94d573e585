/**
 * Captured output of the program and the debugger, in numbered pieces.
 */
import * as Schema from "effect/Schema"

/** The source of a piece of output: `console` is the debugger's own output, `log` are logpoint messages. */
export const Channel = Schema.Literals(["stdout", "stderr", "console", "log"]).annotate({ identifier: "Channel" })
/** The source of a piece of output. */
export type Channel = typeof Channel.Type

/** A piece of output; `seq` is its number in the session's event log, `time` is in milliseconds since 1970. */
export const OutputEntry = Schema.Struct({
  seq: Schema.Int,
  channel: Channel,
  text: Schema.String,
  time: Schema.Finite,
  stop: Schema.Int
}).annotate({ identifier: "OutputEntry" })
/** A piece of output. */
export type OutputEntry = typeof OutputEntry.Type
