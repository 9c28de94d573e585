/**
 * Operations on source text: lines around a place, and which files the debug information names.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"

const stopped = [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound, Errors.FrameNotFound] as const

/** Shows lines of a source file as it lies on disk. */
export const Source = Operation.make("source", {
  summary: "Show source text",
  description:
    "Shows source around the selected frame, around a location or function, or a range of lines. Without arguments it goes on where it ended before at this stop.",
  tier: "observe",
  frequency: "everyday",
  everyday: ["at", "session"],
  payload: {
    at: Operation.optional(Schema.NonEmptyString.annotate({ description: "FILE:LINE, LINE, +N, FILE or function" })),
    lines: Operation.withDefault(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 500 })).annotate({ description: "Lines either side" }),
      5
    ),
    range: Operation.optional(
      Schema.String.check(Schema.isPattern(/^\d{1,7}-\d{1,7}$/, { message: "Write a range as 10-20" })).annotate({
        description: "First and last line, A-B"
      })
    ),
    function: Operation.withDefault(
      Schema.Boolean.annotate({ description: "The whole function of the frame, or the one that AT names" }),
      false
    ),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["at"],
  data: Schema.Struct({
    file: Schema.String,
    first: Schema.Int,
    lines: Schema.Array(Schema.String),
    current: Schema.optionalKey(Schema.Int),
    breakpoints: Schema.Array(Schema.Int),
    origin: Schema.Literals(["disk", "adapter", "map"]),
    stale: Schema.Boolean
  }),
  errors: [...stopped, Errors.SourceNotFound, Errors.InvalidLocation, Errors.SymbolNotFound],
  examples: [
    { title: "Around the selected frame", input: {} },
    { title: "A range of lines", input: { at: "app.c", range: "10-20" } }
  ]
})

/** Lists source files that the debug information of the program names. */
export const Files = Operation.make("files", {
  summary: "List source files",
  description: "Lists the source files that the program's debug information names, by name.",
  tier: "observe",
  payload: {
    match: Operation.optional(Schema.NonEmptyString.annotate({ description: "Only those whose path contains this" })),
    limit: Field.limit(1000, 50, "Most files to show"),
    session: Field.session
  },
  data: Schema.Struct({ files: Schema.Array(Schema.String), total: Schema.Int }),
  errors: Errors.selection,
  examples: [{ title: "Those of one folder", input: { match: "src/net/" } }]
})
