/**
 * Operations on breakpoints. Numbers are ours; a breakpoint that binds nowhere is an error unless it may be pending.
 */
import * as Schema from "effect/Schema"
import { Breakpoint } from "../Breakpoint.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"

/** Sets a breakpoint (DAP `setBreakpoints`, `setFunctionBreakpoints`). */
export const Break = Operation.make("break", {
  summary: "Set a breakpoint",
  description:
    "Sets a breakpoint and says where it really is: a line without code moves to the next one that has some, and this is reported. A place that does not exist is an error and nothing is created. Works while the program runs.",
  tier: "control",
  payload: {
    at: Schema.NonEmptyString.annotate({
      description:
        "FILE:LINE, LINE, +N, -N, FUNCTION, FILE:FUNCTION or MODULE`FUNCTION, optionally followed by: if EXPR"
    }),
    condition: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Stop only when this expression is true" })
    ),
    pending: Operation.withDefault(
      Schema.Boolean.annotate({ description: "May stay unresolved until a library has the place" }),
      false
    ),
    session: Field.session,
    directory: Field.directory
  },
  positional: ["at"],
  sentence: "at",
  data: Breakpoint,
  errors: [...Errors.selection, Errors.InvalidLocation, Errors.BreakpointUnresolved, Errors.Usage],
  examples: [
    { title: "Stop on a line", input: { at: "app.c:14" } },
    { title: "Stop in a function when it matters", input: { at: "sum_scores if n > 2" } }
  ]
})

/** Lists the breakpoints. */
export const BreakpointList = Operation.make("breakpoint.list", {
  summary: "List the breakpoints",
  description: "Lists every breakpoint with its number, state, real places, condition and hit count.",
  tier: "observe",
  payload: { session: Field.session },
  data: Schema.Struct({ breakpoints: Schema.Array(Breakpoint) }),
  errors: Errors.selection,
  examples: [{ title: "List them", input: {} }]
})

const id = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))

/** Removes breakpoints; none of several when one of the numbers is unknown. */
export const BreakpointRemove = Operation.make("breakpoint.remove", {
  summary: "Remove breakpoints",
  description: "Removes breakpoints by number, or all of them. None is removed when one of the numbers is unknown.",
  tier: "control",
  payload: {
    ids: Operation.withDefault(Schema.Array(id).annotate({ description: "Numbers of the breakpoints" }), []),
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "Remove every breakpoint" }), false),
    session: Field.session
  },
  positional: ["ids"],
  data: Schema.Struct({ ids: Schema.Array(Schema.Int), breakpoints: Schema.Array(Breakpoint) }),
  errors: [...Errors.selection, Errors.BreakpointNotFound, Errors.Usage],
  examples: [
    { title: "Remove the second one", input: { ids: [2] } },
    { title: "Remove all", input: { all: true } }
  ]
})
