/**
 * Threads and the frames of their stacks.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Variable } from "./Variable.ts"

/**
 * A thread. `os_id` is the operating system's id, if it is known. `number` is a short number of this session, absent if `id` is not
 * the operating system's; commands take both.
 */
export class Thread extends Model.of<Thread>()(
  Schema.Struct({
    id: Schema.Int,
    os_id: Schema.optionalKey(Schema.Int),
    number: Schema.optionalKey(Schema.Int),
    name: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Thread" })
) {}

/**
 * A stack frame. `index` 0 is the innermost; folding runtime frames does not change it. `hidden` marks a frame of a
 * language's runtime, or one without source that called the program's first function. `repeat` counts the frames of a
 * recursion that are joined to this one. `raised` is the message of an earlier exception, the cause of the current one, if the frame is
 * of the stack that raised it and not a caller. `label` marks a line that the debugger puts between a function and the callers that wait for
 * it, such as `await`: it is not a call, and hidden. `unlisted` marks a frame that the debugger does not find, and that was read from the
 * call frame information of the program: its variables can only be read, and it has no registers. `ref`
 * (`@f2`) is valid for this stop. `locals` is set on request.
 */
export class Frame extends Model.of<Frame>()(
  Schema.Struct({
    index: Schema.Int,
    ref: Schema.String,
    function: Schema.String,
    file: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    column: Schema.optionalKey(Schema.Int),
    module: Schema.optionalKey(Schema.String),
    address: Schema.optionalKey(Schema.String),
    hidden: Schema.optionalKey(Schema.Boolean),
    repeat: Schema.optionalKey(Schema.Int),
    raised: Schema.optionalKey(Schema.String),
    label: Schema.optionalKey(Schema.Boolean),
    unlisted: Schema.optionalKey(Schema.Boolean),
    locals: Schema.optionalKey(Schema.Array(Variable))
  }).annotate({ identifier: "Frame" })
) {}

/** Lines of a source file; `first` is the number of the first line. */
export class SourceLines extends Model.of<SourceLines>()(
  Schema.Struct({
    first: Schema.Int,
    lines: Schema.Array(Schema.String)
  }).annotate({ identifier: "SourceLines" })
) {}
