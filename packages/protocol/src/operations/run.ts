/**
 * Operations that set the program going and answer with its next stop.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { Selector } from "../Breakpoint.ts"
import { StopReport } from "../Stop.ts"

const resumeErrors = [
  ...Errors.selection,
  Errors.NotStopped,
  Errors.InvalidState,
  Errors.ThreadNotFound,
  Errors.WaitTimeout,
  // Of the breakpoints that are set and removed before it goes.
  Errors.InvalidLocation,
  Errors.BreakpointUnresolved,
  Errors.BreakpointNotFound,
  Errors.Usage
] as const

/** What the first resume of a loaded program can meet. */
const beginErrors = [
  Errors.AdapterNotFound,
  Errors.VersionTooOld,
  Errors.AdapterStartFailed,
  Errors.LaunchFailed,
  Errors.AttachFailed,
  Errors.Permission
] as const

const times = Operation.withDefault(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({ description: "How often" }),
  1
)

const resume = {
  thread: Field.thread,
  only_thread: Operation.withDefault(
    Schema.Boolean.annotate({ description: "The other threads stay stopped meanwhile" }),
    false
  ),
  break: Operation.withDefault(
    Schema.Array(Schema.NonEmptyString).annotate({
      description: "Breakpoint to set before it goes: LOCATION [if EXPR] [hits COUNT]"
    }),
    []
  ),
  remove_break: Operation.withDefault(
    Schema.Array(Selector).annotate({ description: "Breakpoint to remove before it goes: number, label or location" }),
    []
  ),
  eval: Operation.withDefault(
    Schema.Array(Schema.NonEmptyString).annotate({ description: "Expression to evaluate at the stop, for the report" }),
    []
  ),
  session: Field.session,
  ...Field.report
}

/** Lets the program run (DAP `continue`). */
export const Continue = Operation.make("continue", {
  summary: "Run until the next stop",
  description:
    "Lets the stopped program run and answers with its next stop or end. When nothing happens within the timeout it says so and the program runs on: use wait or pause then.",
  tier: "control",
  execution: "resume",
  frequency: "basic",
  everyday: ["to", "session", "timeout"],
  payload: {
    count: Operation.withDefault(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })).annotate({
        description: "Report only the stop with this number from here"
      }),
      1
    ),
    to: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Place to run to, as with until: LOCATION [if EXPR]" })
    ),
    ...resume
  },
  positional: ["count"],
  data: StopReport,
  errors: [...resumeErrors, ...beginErrors],
  examples: [
    { title: "Run to the next stop", input: {} },
    { title: "Run and do not wait", input: { wait: false } }
  ]
})

/** Begins a program that was loaded and not started. */
export const Run = Operation.make("run", {
  summary: "Begin the program that start loaded",
  description:
    "Begins the program of a session that was started with run: false, and answers with its first stop. continue does the same there; a program that runs already is begun anew by restart.",
  tier: "control",
  execution: "resume",
  payload: { session: Field.session, ...Field.report },
  data: StopReport,
  errors: [...Errors.selection, Errors.InvalidState, Errors.WaitTimeout, Errors.Usage, ...beginErrors],
  examples: [{ title: "Begin it", input: {} }]
})

/** Steps over calls (DAP `next`). */
export const Next = Operation.make("next", {
  summary: "Step to the next line, over calls",
  description: "Runs to the next line of the current function without entering calls, and answers with the stop.",
  tier: "control",
  execution: "resume",
  family: "step",
  frequency: "basic",
  everyday: ["count", "session"],
  payload: { count: times, ...resume },
  positional: ["count"],
  data: StopReport,
  errors: resumeErrors,
  examples: [
    { title: "One line", input: {} },
    { title: "Three lines", input: { count: 3 } }
  ]
})

/** Steps into calls (DAP `stepIn`). */
export const Step = Operation.make("step", {
  summary: "Step to the next line, into calls",
  description: "Runs to the next line, entering a function called there when it has source, and answers with the stop.",
  tier: "control",
  execution: "resume",
  frequency: "basic",
  everyday: ["count", "session"],
  payload: {
    count: times,
    into_system: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Enter functions without debug information too" }),
      false
    ),
    ...resume
  },
  positional: ["count"],
  data: StopReport,
  errors: resumeErrors,
  examples: [{ title: "Into the call", input: {} }]
})

/** Runs until the current function returns (DAP `stepOut`). */
export const Finish = Operation.make("finish", {
  summary: "Run until the current function returns",
  description: "Runs to the end of the current function and stops in its caller.",
  tier: "control",
  execution: "resume",
  family: "step",
  frequency: "basic",
  everyday: ["session"],
  payload: resume,
  data: StopReport,
  errors: resumeErrors,
  examples: [{ title: "Back to the caller", input: {} }]
})

/** Runs to a place, by a breakpoint that is there only for that. */
export const Until = Operation.make("until", {
  summary: "Run to a place",
  description:
    "Runs until the program reaches a place. Another stop on the way ends it as well: reached says which it was. Its temporary breakpoint is gone when it answers.",
  tier: "control",
  execution: "resume",
  family: "step",
  frequency: "common",
  payload: {
    at: Schema.NonEmptyString.annotate({ description: "FILE:LINE, LINE, +N or FUNCTION, then [if EXPR]" }),
    same_frame: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Stop also when the current function returns" }),
      false
    ),
    ...resume
  },
  positional: ["at"],
  sentence: "at",
  data: StopReport,
  errors: resumeErrors,
  examples: [
    { title: "Run to a line of this file", input: { at: "20" } },
    { title: "Run to a function", input: { at: "sum_scores" } }
  ]
})

/** Steps one instruction, into calls. */
export const Stepi = Operation.make("stepi", {
  summary: "Step one instruction, into calls",
  description: "Executes single instructions, entering calls, and answers with the stop and the instruction it is at.",
  tier: "control",
  execution: "resume",
  family: "step",
  payload: { count: times, ...resume },
  positional: ["count"],
  data: StopReport,
  errors: resumeErrors,
  examples: [{ title: "One instruction", input: {} }]
})

/** Steps one instruction, over calls. */
export const Nexti = Operation.make("nexti", {
  summary: "Step one instruction, over calls",
  description:
    "Executes single instructions, a call as one of them, and answers with the stop and the instruction it is at.",
  tier: "control",
  execution: "resume",
  family: "step",
  payload: { count: times, ...resume },
  positional: ["count"],
  data: StopReport,
  errors: resumeErrors,
  examples: [{ title: "Four instructions", input: { count: 4 } }]
})

/** Stops a running program (DAP `pause`), again until the stop is seen. */
export const Pause = Operation.make("pause", {
  summary: "Stop the running program",
  description:
    "Stops a running program where it is and answers with the stop. A program that is stopped already answers with that stop.",
  tier: "control",
  execution: "pause",
  frequency: "basic",
  everyday: ["session"],
  payload: {
    timeout: Field.report.timeout,
    context: Field.report.context,
    lines: Field.report.lines,
    session: Field.session
  },
  data: StopReport,
  errors: [...Errors.selection, Errors.InvalidState, Errors.WaitTimeout],
  examples: [{ title: "See where it hangs", input: {} }]
})
