/**
 * `context` and `changed`: the current stop as a whole, and its differences from an earlier one.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Breakpoint } from "../model/Breakpoint.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import { Frame } from "../model/Frame.ts"
import * as Operation from "../Operation.ts"
import { OutputEntry } from "../model/Output.ts"
import { StopReport } from "../model/Stop.ts"
import { Register } from "./Machine.ts"
import { stopped } from "./StopErrors.ts"

/**
 * The current stop with recent output and, on request, registers and breakpoints; or a past stop with what was read there. A
 * past stop has `past`, the number of the newest stop as `now`, and what was not read there: `registers`, `frames[2].locals`.
 * `dropped` counts what was read there and is no longer kept.
 */
class Context extends Model.of<Context>()(
  Schema.Struct(
    Model.extended(StopReport, {
      recent_output: Schema.Array(OutputEntry),
      registers: Schema.optionalKey(Schema.Array(Register)),
      set_breakpoints: Schema.optionalKey(Schema.Array(Breakpoint)),
      past: Schema.optionalKey(Schema.Literal(true)),
      now: Schema.optionalKey(Schema.Int),
      not_read: Schema.optionalKey(Schema.Array(Schema.String)),
      dropped: Schema.optionalKey(Schema.Int)
    })
  ).annotate({ identifier: "Context" })
) {}

/** Returns the current stop as a whole; running and ended programs answer too. */
export class GetContext extends Operation.make("context", () => ({
  summary: "Show where the program is",
  description:
    "Returns the current stop: location, source, stack, arguments and locals. For a running program returns its state and recent output, for an ended one its exit code; neither is an error. With stop, returns what was read at that past stop. Resumes nothing.",
  effect: "observe",
  effects: { depth: "observe", sections: "observe", stop: "observe" },
  frequency: "basic",
  everyday: ["frame", "session"],
  payload: {
    lines: Operation.withDefault(Field.integer(0, 50, "Source lines before and after"), 5),
    frame: Field.frame,
    depth: Operation.optional(Field.depth),
    reveal: Field.reveal,
    sections: Operation.withDefault(
      Schema.Array(Schema.Literals(["source", "stack", "locals", "output", "registers", "breakpoints"])).annotate({
        description: "Only these parts (all but registers, breakpoints)"
      }),
      []
    ),
    stop: Field.stop("Past stop to show, -1 for the previous one"),
    session: Field.session
  },
  data: Context,
  errors: [...Errors.selection, Errors.FrameNotFound, Errors.StaleReference, Errors.StopNotFound],
  examples: [
    { title: "Show where it is", input: {} },
    { title: "Show an earlier stop again", input: { stop: "1" } }
  ]
})) {}

/** Compares the selected frame with the stop at which it was reported before. */
export class Changed extends Operation.make("changed", () => ({
  summary: "Show what changed since an earlier stop",
  description:
    "Compares the current stop with an earlier one: the function, the variables of the selected frame, and the output. The earlier stop is the previous one, or the one with the number since.",
  effect: "observe",
  effects: { since: "observe", expr: "read" },
  payload: {
    since: Operation.optional(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
        description: "Number of the stop to compare with (the previous one)",
        ...FieldFacts.placeholder("N")
      })
    ),
    expr: Field.optionalExpressions("EXPR", "Expressions to compare with their earlier values"),
    reveal: Field.reveal,
    session: Field.session
  },
  data: Schema.Struct({
    from: Schema.Int,
    to: Schema.Int,
    vars: Schema.Array(
      Schema.Struct({ name: Schema.String, old: Schema.optionalKey(Schema.String), new: Schema.String })
    ),
    frame: Frame,
    entered: Schema.Boolean,
    output_bytes: Schema.Int
  }),
  errors: [...stopped, Errors.InvalidState, Errors.SideEffects, Errors.EvaluationFailed, Errors.VariableNotFound],
  examples: [
    { title: "Show what the last step changed", input: {} },
    { title: "Compare with the first stop", input: { since: 1 } }
  ]
})) {}
