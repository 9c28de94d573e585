/**
 * Threads and the frames of their stacks.
 */
import * as Schema from "effect/Schema"
import { Variable } from "./Variable.ts"

/** A thread: `id` is the one to use in commands, `os_id` the operating system's where it differs. */
export const Thread = Schema.Struct({
  id: Schema.Int,
  os_id: Schema.optionalKey(Schema.Int),
  name: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Thread" })
/** A thread. */
export type Thread = typeof Thread.Type

/**
 * One frame of a stack. `index` 0 is the innermost and does not shift when runtime frames are folded; `hidden` marks a
 * frame without source of its own below `main`; `ref` (`@f2`) is good for this stop; `locals` is there when asked for.
 */
export const Frame = Schema.Struct({
  index: Schema.Int,
  ref: Schema.String,
  function: Schema.String,
  file: Schema.optionalKey(Schema.String),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  module: Schema.optionalKey(Schema.String),
  address: Schema.optionalKey(Schema.String),
  hidden: Schema.optionalKey(Schema.Boolean),
  locals: Schema.optionalKey(Schema.Array(Variable))
}).annotate({ identifier: "Frame" })
/** One frame of a stack. */
export type Frame = typeof Frame.Type

/** Lines of a source file; `first` is the number of the first one. */
export const SourceLines = Schema.Struct({
  first: Schema.Int,
  lines: Schema.Array(Schema.String)
}).annotate({ identifier: "SourceLines" })
/** Lines of a source file. */
export type SourceLines = typeof SourceLines.Type
