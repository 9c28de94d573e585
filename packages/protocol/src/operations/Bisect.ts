/**
 * `bisect`: makes the input of a failing program smaller.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { Signature } from "../model/RunReport.ts"
import * as StartFields from "./StartFields.ts"

const { environment, settings } = StartFields.session

/** Reduces an input with which a program fails. */
export class Bisect extends Operation.make("bisect", () => ({
  summary: "Reduce an input with which a program fails",
  tool: "Reduce a failing input (stdin, or {} in args) to the file out, with the same failure",
  description:
    "Removes lines and then bytes of an input, as long as the program fails in the same way: same reason, same frames. The program gets the input as standard input, or as the path that replaces {} in its arguments. Writes the smallest input that was found to the file out. The whole input must fail three times first, otherwise it answers NOT_REPRODUCED.",
  effect: "launch",
  effects: {
    program: "launch",
    args: "observe",
    input: "read-file",
    out: "write-file",
    force: "observe",
    fail_if: "observe",
    runs: "observe",
    cwd: "observe",
    env: "observe",
    ...StartFields.effects.debuggers
  },
  destructive: false,
  leavesStopped: false,
  family: "stops",
  payload: {
    program: Field.text("PROGRAM", "Executable built with -g"),
    args: Field.wordList("ARG", "Arguments of the program; {} is the path of the input"),
    input: Operation.optional(Field.text("FILE", "Input with which the program fails")),
    out: Operation.optional(Field.text("FILE", "File to write the smallest input to")),
    force: Field.force,
    fail_if: Field.optionalWords("RULE", "Failures: exit, crash, assert, output:/RE/, hang:DURATION"),
    runs: Operation.withDefault(Field.integer(4, 10_000, "Most runs of the program"), 500),
    cwd: Field.optionalText("DIR", "Working directory of the program"),
    env: Field.wordList("NAME=VALUE", "Environment variables of the program"),
    ...StartFields.debuggers,
    settings,
    environment,
    timeout: Operation.withDefault(Field.Duration.annotate({ description: "Time of all runs, such as 10m" }), "10m")
  },
  positional: ["program"],
  rest: "args",
  data: Schema.Struct({
    /** The file that was written. */
    file: Schema.String,
    bytes: Schema.Int,
    /** Size of the whole input. */
    from_bytes: Schema.Int,
    runs: Schema.Int,
    /** The failure that each accepted input had. */
    signature: Signature,
    /** `minimal`: without any one of its parts the program does not fail so. Otherwise a limit ended the search. */
    end: Schema.Literals(["minimal", "runs", "time"]),
    /** What the parts are. */
    parts: Schema.Literals(["lines", "bytes"]),
    elapsed_ms: Schema.Int
  }),
  errors: [
    ...StartFields.errors,
    ...Errors.selection,
    ...Errors.writing,
    Errors.NotReproduced,
    Errors.InvalidState,
    Errors.InvalidConfig,
    Errors.StaleStop,
    Errors.NotStopped,
    Errors.ThreadNotFound,
    Errors.FrameNotFound,
    Errors.BreakpointNotFound
  ],
  examples: [
    {
      title: "Reduce standard input",
      input: { program: "./app", input: "crash.txt", out: "small.txt" }
    },
    {
      title: "Reduce a file that is an argument",
      input: { program: "./app", args: ["--parse", "{}"], input: "crash.txt", out: "small.txt" }
    }
  ]
})) {}
