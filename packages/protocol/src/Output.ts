/**
 * What the program and the debugger wrote, in numbered pieces.
 */
import * as Schema from "effect/Schema"

/** Where a piece of output came from: `console` is the debugger's own talk, `log` are logpoint messages. */
export const Channel = Schema.Literals(["stdout", "stderr", "console", "log"]).annotate({ identifier: "Channel" })
/** Where a piece of output came from. */
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
