/**
 * `tasks`: goroutines, and the threads and asyncio tasks of Python.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { TaskGroup } from "../model/Task.ts"

/** Lists the tasks of the program's runtime in groups of equal stacks. */
export class Tasks extends Operation.make("tasks", () => ({
  summary: "List goroutines or asyncio tasks and what they wait for",
  description:
    "Lists the goroutines of a Go program, or the threads and asyncio tasks of a Python program, with state, what each waits for and its stack. Equal ones are one group. A Python program is read while it runs or is stopped; the debugger evaluates code of its own in it, which needs the effect eval.",
  effect: "observe",
  effects: { match: "observe" },
  family: "threads",
  payload: {
    match: Field.optionalText("REGEX", "Only groups whose wait, name or functions match"),
    limit: Field.limit(1000, 50, "Most groups to show"),
    session: Field.session
  },
  data: Schema.Struct({
    groups: Schema.Array(TaskGroup),
    /** The number of tasks that were read. */
    total: Schema.Int,
    /** True if the debugger lists no more tasks although there may be some. */
    cut: Schema.optionalKey(Schema.Literal(true))
  }),
  errors: [...Errors.selection, Errors.NotStopped, Errors.Usage],
  examples: [
    { title: "List all groups", input: {} },
    { title: "List those that wait for a channel", input: { match: "chan" } }
  ]
})) {}
