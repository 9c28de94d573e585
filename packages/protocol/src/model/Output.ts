/**
 * Captured output of the program and the debugger, in numbered pieces.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"

/** The source of a piece of output: `console` is the debugger's own output, `log` are logpoint messages. */
export const Channel = Schema.Literals(["stdout", "stderr", "console", "log"]).annotate({ identifier: "Channel" })
/** The source of a piece of output. */
export type Channel = typeof Channel.Type

/**
 * A piece of output; `seq` is its number in the session's event log, `time` is in milliseconds since 1970. `partial` is
 * true if the piece was cut; `offset` is the number of its bytes (UTF-8) before `text`.
 */
export class OutputEntry extends Model.of<OutputEntry>()(
  Schema.Struct({
    seq: Schema.Int,
    channel: Channel,
    text: Schema.String,
    time: Schema.Finite,
    stop: Schema.Int,
    offset: Schema.optionalKey(Schema.Int),
    partial: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "OutputEntry" })
) {}

/**
 * A page of output. `next` and `next_offset` are the position after it, `previous` and `previous_offset` the position that
 * it begins at if it was read backwards and `earlier` bytes lie before. `truncated` is true if the limit cut it, or a search
 * stopped before the end of the output; such a page may have no entries.
 */
export class OutputPage extends Model.of<OutputPage>()(
  Schema.Struct({
    entries: Schema.Array(OutputEntry),
    text: Schema.String,
    next: Schema.Int,
    next_offset: Schema.optionalKey(Schema.Int),
    previous: Schema.optionalKey(Schema.Int),
    previous_offset: Schema.optionalKey(Schema.Int),
    earlier: Schema.optionalKey(Schema.Int),
    truncated: Schema.optionalKey(Schema.Boolean),
    dropped: Schema.Int,
    channels: Schema.optionalKey(Schema.Literal("merged")),
    cleared: Schema.optionalKey(Schema.Int)
  })
) {}
