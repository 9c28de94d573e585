/**
 * `run`: runs a program from its start to its end or to a failure, once or until it fails, in one call.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import * as RunReport from "../model/RunReport.ts"
import * as StartFields from "./StartFields.ts"

/** The largest number of runs of one call. */
const mostRuns = 10_000

/** Runs a program and reports. Without a program it starts the one that `start` has loaded. */
export class Run extends Operation.make("run", () => ({
  summary: "Run a program and report, once or until it fails",
  tool: "Run a program to its end or failure",
  description:
    "Runs a program to its end and reports each stop. until_failure repeats it until a run fails, and keeps its process as session failed. runner debugs one test. Without a program, runs the loaded one.",
  effect: "control",
  effects: {
    program: "launch",
    args: "observe",
    ...StartFields.effects.breakpoints,
    trace: "logpoint",
    eval: "eval",
    locals: "observe",
    max_stops: "observe",
    fail_if: "observe",
    until_failure: "observe",
    failing: "observe",
    all: "observe",
    parallel: "observe",
    keep: "observe",
    same_signature: "observe",
    native_first: "observe",
    report: "write-file",
    junit: "write-file",
    force: "observe",
    cwd: "observe",
    env: "observe",
    stdin: "read-file",
    aslr: "observe",
    ...StartFields.effects.sources,
    ...StartFields.effects.debuggers,
    ...StartFields.effects.session,
    at_stop: "observe"
  },
  readsEffects: true,
  execution: "resume",
  ownProgram: true,
  frequency: "everyday",
  everyday: ["program", "args", "break", "until_failure", "timeout"],
  destructive: false,
  payload: {
    program: Field.optionalText("PROGRAM", "Executable (built with -g) or source: app.py, main.go"),
    args: Field.wordList("ARG", "Arguments of the program"),
    ...StartFields.breakpoints,
    trace: Field.optionalWords("SPEC", "Values to record: LOCATION [if EXPR] :: {EXPR} {EXPR}"),
    eval: Field.optionalExpressions("EXPR", "Expressions to evaluate at each stop"),
    locals: Field.flag("Show all locals at each stop"),
    max_stops: Operation.withDefault(Field.integer(0, 1000, "Stops to report; then run to the end"), 50),
    fail_if: Field.optionalWords("RULE", "Failures: exit, crash, assert, output:/RE/, hang:DURATION"),
    until_failure: Operation.optional(
      Field.integer(1, mostRuns, "Run until a run fails, at most N times (200)").annotate(FieldFacts.bare("200"))
    ),
    failing: Field.flag("Run all tests of runner, then debug the first failed one"),
    all: Field.flag("Do all runs and count each failure"),
    parallel: Operation.withDefault(Field.integer(1, 16, "Runs at the same time", "J"), 1),
    keep: Field.optionalFlag("Keep the failure as a session (on with until-failure)"),
    same_signature: Field.optionalText("ID", "Look only for the failure with this id or text"),
    native_first: Field.flag("First count the failures of runs without a debugger"),
    report: Field.optionalText("FILE", "Write each run and the report as JSON lines"),
    junit: Field.optionalText("FILE", "Write the runs as JUnit XML"),
    force: Field.force,
    cwd: Field.optionalText("DIR", "Working directory of the program"),
    env: Field.wordList("NAME=VALUE", "Environment variables of the program"),
    stdin: Field.optionalText("FILE", "File for standard input"),
    aslr: Operation.optional(
      Schema.Literals(["on", "off"]).annotate({ description: "Randomize addresses, as outside a debugger (off)" })
    ),
    ...StartFields.sources,
    ...StartFields.debuggers,
    ...StartFields.session,
    at_stop: Field.atStop,
    ...Field.report,
    timeout: Field.optionalDuration("Total time: 60s, or 10m with until-failure")
  },
  positional: ["program"],
  rest: "args",
  data: RunReport.RunReport,
  exit: RunReport.exitCode,
  errors: [
    ...StartFields.errors,
    Errors.InvalidConfig,
    ...Errors.selection,
    ...Errors.writing,
    Errors.InvalidState,
    Errors.StaleStop,
    Errors.NotStopped,
    Errors.ThreadNotFound,
    Errors.BreakpointNotFound
  ],
  examples: [
    { title: "Run the program that start loaded", input: {} },
    { title: "Run it until it fails", input: { program: "./flaky", until_failure: 200 } },
    { title: "Show a value at a line", input: { program: "./app", break: ["app.c:14"], eval: ["total"] } }
  ]
})) {}
