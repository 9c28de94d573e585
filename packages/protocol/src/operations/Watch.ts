/**
 * `watch`: watchpoints on memory.
 */
import * as Schema from "effect/Schema"
import { Access, Breakpoint } from "../model/Breakpoint.ts"
import { HitCount } from "../HitCount.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { inFrame } from "./StopErrors.ts"

/** Sets a watchpoint (LLDB `watchpoint set`). */
export class Watch extends Operation.make("watch", () => ({
  summary: "Stop when a value is written or read",
  tool: "Stop when a variable or memory is written; shows both values",
  description:
    "Sets a watchpoint: stops the program when the memory of an expression is written, and reports the old and the new value. Needs a stopped program and one of few hardware slots. A watchpoint on a local variable ends with its frame. breakpoint list, edit and remove work on watchpoints too.",
  effect: "control",
  effects: {
    expression: "watched",
    access: "observe",
    size: "observe",
    condition: "eval",
    hits: "observe",
    scope: "observe"
  },
  setsBreakpoints: true,
  frequency: "everyday",
  everyday: ["expression", "session"],
  payload: {
    expression: Field.text("EXPR", "Variable, expression or *ADDRESS"),
    access: Operation.withDefault(Access, "write"),
    size: Field.optionalInteger(1, 64, "Bytes to watch (size of the value; 8 for *ADDRESS)"),
    condition: Field.optionalText("EXPR", "Stop only if this expression is true"),
    hits: Operation.optional(HitCount),
    scope: Operation.withDefault(
      Schema.Literals(["frame", "global"]).annotate({
        description: "For a local variable: remove it with its frame, or never"
      }),
      "frame"
    ),
    frame: Field.frame,
    session: Field.session
  },
  positional: ["expression"],
  completes: "expressions",
  sentence: "expression",
  data: Breakpoint,
  errors: [...inFrame, Errors.EvaluationFailed, Errors.VariableNotFound, Errors.BreakpointUnresolved, Errors.Usage],
  examples: [{ title: "Stop when a variable changes", input: { expression: "counter" } }]
})) {}
