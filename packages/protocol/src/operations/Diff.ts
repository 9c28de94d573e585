/**
 * `diff`: compares the values of two stops.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Model from "../internal/Model.ts"
import { Position } from "../model/Location.ts"
import * as Operation from "../Operation.ts"
import { stopped } from "./StopErrors.ts"

/** One of two compared stops. `from` says whether its values were read now, or are what was read while it was current. */
export class ComparedStop extends Model.of<ComparedStop>()(
  Schema.Struct({
    session: Schema.String,
    stop: Schema.Int,
    from: Schema.Literals(["program", "record"]),
    location: Schema.optionalKey(Position)
  }).annotate({ identifier: "ComparedStop" })
) {}

/** A value that differs. `path` begins with the name of the variable. One of both texts is absent if only one side has it. */
export class ValueDifference extends Model.of<ValueDifference>()(
  Schema.Struct({
    path: Schema.String,
    old: Schema.optionalKey(Schema.String),
    new: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "ValueDifference" })
) {}

/** A frame that differs. With `only` the other stack does not have it. `lines` are its lines at both stops, if they differ. */
export class FrameDifference extends Model.of<FrameDifference>()(
  Schema.Struct({
    function: Schema.String,
    only: Schema.optionalKey(Schema.Literals(["a", "b"])),
    lines: Schema.optionalKey(Schema.Array(Schema.Int)),
    vars: Schema.Array(ValueDifference)
  }).annotate({ identifier: "FrameDifference" })
) {}

const side = (description: string) =>
  Operation.optional(
    Schema.String.check(
      Schema.isPattern(/^(?:#?-?\d{1,9}|[A-Za-z][A-Za-z0-9._-]{0,63}(?:#-?\d{1,9})?)$/, {
        message: "Write a stop as 3, -1 or web#3, or the name of a session"
      })
    ).annotate({ description, ...FieldFacts.placeholder("STOP") })
  )

/** Compares two stops of one session or of two. */
export class Diff extends Operation.make("diff", () => ({
  summary: "Compare the values of two stops",
  description:
    "Compares arguments and locals of all frames of two stops: of one session (1, -1) or of two (web#3, web). Pointers are compared by what they point to and which values share it, by number only in one process. At an earlier stop, only the values that a client read there are compared. Returns the differences, and what was not compared.",
  effect: "observe",
  effects: { a: "observe", b: "observe", depth: "observe", ignore: "observe" },
  family: "stops",
  payload: {
    a: side("One stop (the one before the other)"),
    b: side("The other stop (the current one)"),
    depth: Operation.withDefault(Field.integer(0, 5, "Levels of members to compare"), 2),
    ignore: Field.list("GLOB", "Leave out variables or members of these names"),
    limit: Field.limit(1000, 100, "Most differences to show"),
    session: Field.session
  },
  positional: ["a", "b"],
  data: Schema.Struct({
    a: ComparedStop,
    b: ComparedStop,
    frames: Schema.Array(FrameDifference),
    /** The number of values and frames that both stops have and that were compared. */
    values: Schema.Int,
    compared: Schema.Int,
    /** What was not compared, in sentences. */
    left_out: Schema.Array(Schema.String)
  }),
  errors: [...stopped, Errors.InvalidState, Errors.StopNotFound],
  examples: [
    { title: "Compare with the stop before", input: {} },
    { title: "Compare two sessions without their counters", input: { a: "good", b: "bad", ignore: ["n_*"] } }
  ]
})) {}
