/**
 * `explain`: why the program is where it is.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import { Explanation } from "../model/Explanation.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { stopped } from "./StopErrors.ts"

/** Explains the current stop, or why a running program makes no progress. */
export class Explain extends Operation.make("explain", () => ({
  summary: "Explain why the program is here",
  description:
    "Explains the current stop in one call: a crash (signal, address, the expression with its values), a hang (what each thread waits for, who holds it, cycles), a sanitizer's report, an exception or an end. A running program is watched for 0.2 s, paused and then resumed, unless keep is set. What cannot be proven, or read within timeout, is left out.",
  tool: "Why it crashed or hangs",
  effect: "observe",
  effects: { what: "observe", all: "observe", keep: "control", timeout: "observe" },
  frequency: "everyday",
  everyday: ["session"],
  payload: {
    what: Operation.optional(
      Schema.Literals(["crash", "hang", "sanitizer", "exception", "exit"]).annotate({
        description: "What to explain (chosen from the stop)",
        ...FieldFacts.placeholder("WHAT")
      })
    ),
    thread: Field.thread,
    all: Field.flag("All groups of threads, and all their frames"),
    keep: Field.flag("Keep a running program stopped afterwards"),
    timeout: Field.timeout("timeouts.request"),
    session: Field.session
  },
  data: Explanation,
  errors: [...stopped, Errors.InvalidState, Errors.WaitTimeout],
  examples: [
    { title: "Explain a crash, or why the program hangs", input: {} },
    { title: "Show what every thread waits for", input: { what: "hang", all: true } }
  ]
})) {}
