/**
 * `diverge`: runs a program with two inputs and finds where their paths part.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Model from "../internal/Model.ts"
import { Position } from "../model/Location.ts"
import * as Operation from "../Operation.ts"
import { FrameDifference, ValueDifference } from "./Diff.ts"
import { stopped } from "./StopErrors.ts"
import * as StartFields from "./StartFields.ts"

/** Which of both runs. `a` is the good one. */
const sides = <S extends Schema.Top>(of: S) => Schema.Struct({ a: of, b: of })

/** Where a run continued: the entry of a function, a line of one, or the end of the program. */
class NextPlace extends Model.of<NextPlace>()(
  Schema.Struct({
    kind: Schema.Literals(["entry", "line", "end"]),
    location: Schema.optionalKey(Position)
  }).annotate({ identifier: "NextPlace" })
) {}

/** How a run ended. `cut` is set if it did not: the program was ended at a limit of the call. `output_bytes` counts what was read. */
class RunEnd extends Model.of<RunEnd>()(
  Schema.Struct({
    exit_code: Schema.optionalKey(Schema.Int),
    signal: Schema.optionalKey(Schema.String),
    cut: Schema.optionalKey(Schema.Literals(["entries", "time", "threads"])),
    output_bytes: Schema.Int
  }).annotate({ identifier: "RunEnd" })
) {}

/** The first call of a function that both runs made with other arguments. `call` counts the calls of the function from 1. */
class OtherArguments extends Model.of<OtherArguments>()(
  Schema.Struct({
    location: Position,
    call: Schema.Int,
    vars: Schema.Array(ValueDifference)
  }).annotate({ identifier: "OtherArguments" })
) {}

/**
 * The place where both paths part. `after` is the last place that both runs reached, in call number `call` of its function, counted
 * from 1. `at` is where each went from there. With `narrowed` false the place is the entry of the function, and the lines behind it
 * were not compared up to the difference.
 */
class DivergencePlace extends Model.of<DivergencePlace>()(
  Schema.Struct({
    after: Position,
    call: Schema.Int,
    narrowed: Schema.Boolean,
    at: sides(NextPlace)
  }).annotate({ identifier: "DivergencePlace" })
) {}

const file = (whose: string) => Field.optionalText("FILE", `File for standard input of the ${whose} run`)
const variables = (whose: string) => Field.wordList("NAME=VALUE", `Environment variables of the ${whose} run`)

const {
  build,
  launch_config: _,
  launch_json: __,
  runner: ___,
  test: ____,
  at_failure: _____,
  ...others
} = StartFields.sources

/** Finds where two runs of a program part. */
export class Diverge extends Operation.make("diverge", () => ({
  summary: "Find where two runs of a program part",
  tool: "Run a program with a good and a bad input; answers where their paths part (sessions good, bad)",
  description:
    "Runs a program with a good and a bad input, compares the functions that it enters, then the lines after the last common entry, and shows where the paths part, which way each run took, and the values that differ there. Both runs stay as the sessions good and bad, stopped before they part. Each path is run again; one that does not repeat fails with NOT_REPRODUCED. LLDB only.",
  effect: "launch",
  effects: {
    good: "launch",
    bad: "launch",
    good_input: "read-file",
    bad_input: "read-file",
    good_env: "observe",
    bad_env: "observe",
    cwd: "observe",
    build: "raw",
    ...StartFields.effects.debuggers,
    keep: "observe",
    max: "observe",
    depth: "observe",
    ignore: "observe",
    ...StartFields.effects.session
  },
  destructive: false,
  leavesStopped: false,
  family: "stops",
  payload: {
    good: Field.text("COMMAND", "Command line of the good run: './app good.txt'"),
    bad: Field.optionalText("COMMAND", "Command line of the bad run (the same as of the good one)"),
    good_input: file("good"),
    bad_input: file("bad"),
    good_env: variables("good"),
    bad_env: variables("bad"),
    cwd: Field.optionalText("DIR", "Working directory of the program"),
    build,
    ...others,
    ...StartFields.debuggers,
    keep: Field.flagOn("Keep both runs as sessions, stopped where they part"),
    max: Operation.withDefault(Field.integer(1, 100_000, "Most function entries to compare"), 10_000),
    depth: Operation.withDefault(Field.integer(0, 5, "Levels of members to compare"), 2),
    ignore: Field.list("GLOB", "Leave out variables or members of these names"),
    ...StartFields.session,
    timeout: Operation.withDefault(Field.Duration.annotate({ description: "Time of all runs, such as 2m" }), "2m")
  },
  positional: ["good", "bad"],
  data: Schema.Struct({
    /** Equal function entries and lines up to the place. */
    steps: Schema.Int,
    entries: Schema.Int,
    lines: Schema.Int,
    /** Absent if no difference was found. */
    divergence: Schema.optionalKey(DivergencePlace),
    /** Frames whose values differ at the last common place. */
    vars: Schema.Array(FrameDifference),
    arguments: Schema.optionalKey(OtherArguments),
    ends: sides(RunEnd),
    /** True if both runs wrote the same; absent if one of them was ended, or wrote more than is compared. */
    same_output: Schema.optionalKey(Schema.Boolean),
    /** The names of both sessions; absent if they were ended. */
    sessions: Schema.optionalKey(Schema.Array(Schema.String)),
    /** Number of runs of both inputs. */
    runs: Schema.Int,
    elapsed_ms: Schema.Int,
    /** What was not compared, in sentences. */
    left_out: Schema.Array(Schema.String)
  }),
  errors: [
    ...StartFields.errors,
    ...stopped,
    Errors.StaleStop,
    Errors.NotReproduced,
    Errors.InvalidState,
    Errors.InvalidConfig
  ],
  examples: [
    { title: "Compare two files", input: { good: "./app good.txt", bad: "./app bad.txt" } },
    { title: "Compare two inputs", input: { good: "./app", good_input: "good.txt", bad_input: "bad.txt" } }
  ]
})) {}
