/**
 * Operations on what was written: the program's output, and the debugger's own words.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { Channel, OutputEntry } from "../Output.ts"

/** Reads captured output; removes nothing. */
export const Output = Operation.make("output", {
  summary: "Show what the program wrote",
  description:
    "Reads captured output of the program from a cursor on; reading removes nothing and several readers do not disturb each other. next is the cursor for the following call; with follow it waits for something new first.",
  tier: "observe",
  leavesStopped: false,
  frequency: "basic",
  everyday: ["since", "tail", "session"],
  changing: ["clear"],
  payload: {
    since: Operation.optional(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "Cursor of an earlier answer" })
    ),
    tail: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
        description: "Only the last lines"
      })
    ),
    channel: Operation.withDefault(
      Schema.Array(Channel).annotate({ description: "Channels to show: stdout, stderr, log, console" }),
      ["stdout", "stderr", "log"]
    ),
    match: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Only lines in which this regular expression is found" })
    ),
    follow: Field.follow,
    timeout: Field.report.timeout,
    clear: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Drop what is kept after reading it, for all readers" }),
      false
    ),
    session: Field.session
  },
  data: Schema.Struct({
    entries: Schema.Array(OutputEntry),
    text: Schema.String,
    next: Schema.Int,
    dropped: Schema.Int,
    channels: Schema.optionalKey(Schema.Literal("merged")),
    cleared: Schema.optionalKey(Schema.Int)
  }),
  errors: [...Errors.selection, Errors.Usage],
  examples: [
    { title: "All of it", input: {} },
    { title: "The last lines", input: { tail: 20 } }
  ]
})

/** Runs one command of the debugger itself (LLDB command line inside the adapter). */
export const Raw = Operation.make("raw", {
  summary: "Run a command of the debugger itself",
  description:
    "Runs one command of the underlying debugger, e.g. image list, and answers with its text as it is. Afterwards the state of the session is looked at again, so a resuming command is noticed. Commands that wait for a terminal are refused.",
  tier: "admin",
  payload: {
    command: Schema.NonEmptyString.annotate({ description: "One line for the debugger's command line" }),
    timeout: Field.timeout("timeouts.request"),
    session: Field.session
  },
  positional: ["command"],
  sentence: "command",
  data: Schema.Struct({ output: Schema.String, state_changed: Schema.Boolean }),
  errors: [...Errors.selection, Errors.Usage],
  examples: [{ title: "List the loaded images", input: { command: "image list" } }]
})
