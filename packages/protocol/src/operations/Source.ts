/**
 * `source` and `files`: source text, and the source files that the debug information names.
 */
import * as Schema from "effect/Schema"
import { BreakpointKind } from "../model/Breakpoint.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Model from "../internal/Model.ts"
import * as Operation from "../Operation.ts"
import { inFrame } from "./StopErrors.ts"

/** A breakpoint at a line of a source file. A pending one is at the line for which it was requested. */
class SourceBreakpoint extends Model.of<SourceBreakpoint>()(
  Schema.Struct({
    id: Schema.Int,
    line: Schema.Int,
    state: Schema.Literals(["on", "off", "pending"]),
    kind: BreakpointKind
  }).annotate({ identifier: "SourceBreakpoint" })
) {}

/** Shows lines of a source file on disk. */
export class Source extends Operation.make("source", () => ({
  summary: "Show source text",
  description:
    "Shows source around the selected frame, around a location or function, a range of lines, or a whole file of at most 2 MiB. Called again without arguments at the same stop, continues after the last line shown.",
  effect: "observe",
  effects: { at: "read-file", range: "observe", function: "observe", whole: "observe" },
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
    whole: Field.flag("Show the whole file, with a hash of it"),
    frame: Field.frame,
    thread: Field.thread,
    session: Field.session
  },
  positional: ["at"],
  data: Schema.Struct({
    file: Schema.String,
    first: Schema.Int,
    lines: Schema.Array(Schema.String),
    /** The number of lines of the file. */
    total: Schema.Int,
    current: Schema.optionalKey(Schema.Int),
    breakpoints: Schema.Array(SourceBreakpoint),
    origin: Schema.Literals(["disk", "map"]),
    stale: Schema.Boolean,
    /** The SHA-256 of the text of a whole file. It changes with the text. */
    hash: Schema.optionalKey(Schema.String)
  }),
  errors: [...inFrame, Errors.SourceNotFound, Errors.InvalidLocation, Errors.SymbolNotFound, Errors.Usage],
  examples: [
    { title: "Show the source of the selected frame", input: {} },
    { title: "Show a whole file", input: { at: "app.c", whole: true } },
    { title: "Show a range of lines", input: { at: "app.c", range: "10-20" } }
  ]
})) {}

/** Lists the source files that the debug information of the program names. */
export class Files extends Operation.make("files", () => ({
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
})) {}
