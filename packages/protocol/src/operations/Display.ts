/**
 * `display …`: expressions whose values are shown in each stop report of a session.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { Evaluation } from "../model/Stop.ts"
import { valueFormat } from "./Expressions.ts"
import { stopped } from "./StopErrors.ts"

const data = Schema.Struct({ items: Schema.Array(Evaluation) })

/** Shows the value of an expression at each stop (GDB `display`). */
export class Display extends Operation.make("display", () => ({
  summary: "Show the value of an expression at every stop",
  description:
    "Adds an expression whose value each stop report of the session shows, for all its clients, until display remove. It is read as print reads, in the frame of the report; an expression that may change the program is refused. Answers with all of them and their values. To stop when a value changes use watch.",
  effect: "control",
  effects: { expression: "read", format: "observe" },
  payload: {
    expression: Field.text("EXPR", "Expression to show"),
    format: Operation.optional(valueFormat),
    session: Field.session
  },
  positional: ["expression"],
  sentence: "expression",
  completes: "expressions",
  data,
  errors: [...stopped, Errors.EvaluationFailed, Errors.VariableNotFound, Errors.SideEffects, Errors.InvalidState],
  examples: [{ title: "Show a sum at every stop", input: { expression: "total + items[i].score" } }]
})) {}

/** Lists the expressions that are shown at each stop. */
export class DisplayList extends Operation.make("display.list", () => ({
  summary: "List the expressions shown at every stop",
  description: "Lists the expressions of display with their numbers, and with their values if the program is stopped.",
  effect: "observe",
  effects: {},
  payload: { session: Field.session },
  data,
  errors: stopped,
  examples: [{ title: "List them", input: {} }]
})) {}

/** Shows expressions no more (GDB `undisplay`). */
export class DisplayRemove extends Operation.make("display.remove", () => ({
  summary: "Remove expressions shown at every stop",
  description: "Removes expressions of display by number, or all of them. If a number is unknown, removes none.",
  effect: "control",
  effects: { ids: "observe" },
  payload: {
    ids: Schema.NonEmptyArray(
      Schema.Union([
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
        Schema.String.check(Schema.isPattern(/^(?:\d{1,6}|all)$/, { message: "Write the number of a display, or all" }))
      ])
    ).annotate({ description: "Numbers of displays, or all", ...FieldFacts.placeholder("NUMBER") }),
    session: Field.session
  },
  positional: ["ids"],
  data,
  errors: [...stopped, Errors.InvalidState],
  examples: [
    { title: "Remove the first one", input: { ids: ["1"] } },
    { title: "Remove all", input: { ids: ["all"] } }
  ]
})) {}
