/**
 * `source` and `files`: source text, and the source files that the debug information names.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { stopped } from "./StopErrors.ts"

/** Shows lines of a source file on disk. */
export class Source extends Operation.make("source", {
  summary: "Show source text",
  description:
    "Shows source around the selected frame, around a location or function, or a range of lines. Called again without arguments at the same stop, continues after the last line shown.",
  effect: "observe",
  effects: { at: "read-file", range: "observe", function: "observe" },
  completes: "locations",
  frequency: "everyday",
  everyday: ["at", "session"],
  repeats: "bare",
  payload: {
    at: Field.optionalText("LOCATION", "FILE:LINE, LINE, +N, FILE or function (where it stopped)"),
    lines: Operation.withDefault(Field.integer(0, 500, "Source lines before and after"), 5),
    range: Operation.optional(
      Schema.String.check(Schema.isPattern(/^\d{1,7}-\d{1,7}$/, { message: "Write a range as 10-20" })).annotate({
        description: "First and last line, such as 10-20",
        ...FieldFacts.placeholder("FIRST-LAST")
      })
    ),
    function: Field.flag("Show the whole function of the frame or of at"),
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
    origin: Schema.Literals(["disk", "map"]),
    stale: Schema.Boolean
  }),
  errors: [...stopped, Errors.SourceNotFound, Errors.InvalidLocation, Errors.SymbolNotFound],
  examples: [
    { title: "Show the source of the selected frame", input: {} },
    { title: "Show a range of lines", input: { at: "app.c", range: "10-20" } }
  ]
}) {}

/** Lists the source files that the debug information of the program names. */
export class Files extends Operation.make("files", {
  summary: "List source files",
  description: "Lists the source files that the program's debug information names, sorted by name.",
  effect: "observe",
  effects: { match: "observe" },
  payload: {
    match: Field.optionalText("TEXT", "Only files whose path contains this"),
    limit: Field.limit(1000, 50, "Most files to show"),
    session: Field.session
  },
  data: Schema.Struct({ files: Schema.Array(Schema.String), total: Schema.Int }),
  errors: Errors.selection,
  examples: [{ title: "List those of one directory", input: { match: "src/net/" } }]
}) {}
