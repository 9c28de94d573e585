/**
 * `back` and `last-write`: an earlier moment of a program, reached by running it again.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Model from "../internal/Model.ts"
import * as Operation from "../Operation.ts"
import { StopReport } from "../model/Stop.ts"
import * as StartFields from "./StartFields.ts"

/**
 * A write: the value before and after it, its number among the writes to the address, and the number of these up to the stop.
 * `object` says what the memory was at the write: `same`, if it belonged to the same variable, function call or allocated block as at
 * the stop; `allocation`, if the call that allocated the block made the write, such as `calloc`; `scope`, if the variable was not in
 * scope, so that another one may have had the memory; else `unknown`, if the memory may have been allocated again since.
 */
class Write extends Model.of<Write>()(
  Schema.Struct({
    expression: Schema.String,
    address: Schema.String,
    old: Schema.optionalKey(Schema.String),
    new: Schema.String,
    hit: Schema.Int,
    of: Schema.Int,
    object: Schema.Literals(["same", "allocation", "scope", "unknown"])
  }).annotate({ identifier: "Write" })
) {}

/**
 * The stop report of a new run of the program, in the session `session`. `anchor` is the stop of the earlier run with which it was
 * compared, `runs` the number of runs under the debugger that were needed, `by` what counted the writes.
 */
class EarlierStop extends Model.of<EarlierStop>()(
  Schema.Struct(
    Model.extended(StopReport, {
      session: Schema.String,
      anchor: Schema.Struct({ session: Schema.String, stop: Schema.Int }),
      runs: Schema.Int,
      by: Schema.Literals(["re-execution", "re-execution (rsp)"]),
      write: Schema.optionalKey(Write)
    })
  ).annotate({ identifier: "EarlierStop" })
) {}

const { timeout: _, wait: __, ...report } = Field.report

const fields = {
  timeout: Operation.withDefault(Field.Duration, "60s"),
  attempts: Operation.withDefault(Field.integer(1, 10, "Most new runs until one equals the earlier run"), 2),
  in_place: Field.flag("Replace the session, instead of using NAME.back"),
  session: Field.session,
  ...report
}

/** The fields of both operations. */
interface Shared {
  readonly fields: typeof fields
}
const shared: Shared = { fields }

const effects = { attempts: "observe", in_place: "observe" } as const

const failures = [
  ...Errors.selection,
  ...StartFields.errors,
  Errors.NotReproduced,
  Errors.StopNotFound,
  Errors.BreakpointNotFound,
  Errors.InvalidState,
  Errors.NotStopped,
  Errors.ThreadNotFound,
  Errors.StaleStop
] as const

/** Goes back to an earlier stop of the program. */
export class Back extends Operation.make("back", () => ({
  summary: "Go back to an earlier stop",
  description:
    "Runs the program again, with the same arguments, environment and input, to an earlier stop or hit of a breakpoint, in the session NAME.back. This session stays as it is. Fails with NOT_REPRODUCED if the new run differs, or may differ because the program reads the time, random numbers or process ids, or starts threads. Its effects outside of the program happen again.",
  effect: "launch",
  effects: { to_stop: "observe", to_hit: "observe", ...effects },
  destructive: false,
  execution: "start",
  ownProgram: true,
  family: "stops",
  payload: Model.before(
    {
      count: Operation.withDefault(Field.integer(1, 1000, "Number of stops to go back"), 1),
      to_stop: Field.stop("Stop to go to (the one before)"),
      to_hit: Operation.optional(
        Schema.String.check(
          Schema.isPattern(/^\d{1,7}:\d{1,9}$/, { message: "Write BREAKPOINT:HIT, such as 2:14" })
        ).annotate({ description: "Hit of a breakpoint to go to", ...FieldFacts.placeholder("BREAKPOINT:HIT") })
      )
    },
    shared
  ),
  positional: ["count"],
  data: EarlierStop,
  errors: [...failures],
  examples: [
    { title: "Go back to the stop before", input: {} },
    { title: "Go to the 14th hit of breakpoint 2", input: { to_hit: "2:14" } }
  ]
})) {}

/** Finds the write that gave a variable its value. */
export class LastWrite extends Operation.make("last-write", () => ({
  summary: "Find what last wrote a value",
  description:
    "Finds the instruction that last wrote the memory of a variable, expression or *ADDRESS before the stop, by running the program again with a watchpoint. Returns the stop after that write, in the session NAME.back, with the old and the new value. Fails with NOT_REPRODUCED if the new run differs from this one or may differ, and with WATCH_UNAVAILABLE if the kernel wrote the value.",
  effect: "launch",
  effects: {
    expression: "read",
    size: "observe",
    before: "observe",
    nth: "observe",
    same_values: "observe",
    ...effects
  },
  destructive: false,
  execution: "start",
  ownProgram: true,
  family: "stops",
  payload: Model.before(
    {
      expression: Field.text("EXPR", "Variable, expression or *ADDRESS"),
      size: Field.optionalInteger(1, 64, "Bytes to watch (size of the value; 8 for *ADDRESS)"),
      before: Field.stop("Last write before this stop (the current one)"),
      nth: Operation.withDefault(
        Field.integer(1, 1_000_000, "Which write, counted back: 1 is the last, 2 the one before"),
        1
      ),
      same_values: Field.flag("Count writes that do not change the value, too"),
      frame: Field.frame
    },
    shared
  ),
  positional: ["expression"],
  sentence: "expression",
  completes: "expressions",
  data: EarlierStop,
  errors: [
    ...failures,
    Errors.NeverWritten,
    Errors.WatchUnavailable,
    Errors.FrameNotFound,
    Errors.StaleReference,
    Errors.EvaluationFailed,
    Errors.VariableNotFound
  ],
  examples: [
    { title: "Find who wrote a member", input: { expression: "n->next" } },
    { title: "Find the write before the last one", input: { expression: "counter", nth: 2 } }
  ]
})) {}
