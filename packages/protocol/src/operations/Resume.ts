/**
 * Operations that resume, step, stop or wait for the program, and answer with its next stop.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Selector } from "../model/Breakpoint.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { StopReport } from "../model/Stop.ts"

const resumeFailures = [
  ...Errors.selection,
  Errors.NotStopped,
  Errors.InvalidState,
  Errors.ThreadNotFound,
  Errors.WaitTimeout,
  Errors.StaleStop,
  // Of the breakpoints that are set and removed before the program resumes.
  Errors.InvalidLocation,
  Errors.BreakpointUnresolved,
  Errors.BreakpointNotFound,
  Errors.Usage
] as const

type ResumeFailures = typeof resumeFailures
/** The errors of resuming. */
interface ResumeErrors extends ResumeFailures {}
const resumeErrors: ResumeErrors = resumeFailures

/** The errors of starting a loaded program. */
const launchErrors = [
  Errors.AdapterNotFound,
  Errors.VersionTooOld,
  Errors.AdapterStartFailed,
  Errors.LaunchFailed,
  Errors.AttachFailed,
  Errors.Permission
] as const

const count = Operation.withDefault(Field.integer(1, 10_000, "Number of steps"), 1)

const resumeFields = {
  at_stop: Field.atStop,
  thread: Field.thread,
  only_thread: Field.flag("Keep the other threads stopped"),
  break: Field.list("LOCATION", "Breakpoints to set first: LOCATION [if EXPR] [hits COUNT]"),
  remove_break: Operation.withDefault(
    Schema.Array(Selector).annotate({
      description: "Breakpoints to remove first: number, label or location",
      ...FieldFacts.placeholder("BREAKPOINT")
    }),
    []
  ),
  eval: Field.optionalExpressions("EXPR", "Expressions to evaluate at the stop, for the report"),
  session: Field.session,
  ...Field.report
}

/** The fields of every operation that resumes. */
interface Resume {
  readonly fields: typeof resumeFields
}
const resume: Resume = { fields: resumeFields }

const resumeEffects = {
  at_stop: "observe",
  only_thread: "observe",
  break: "location",
  remove_break: "observe",
  eval: "eval"
} as const

/** The facts of every operation that resumes. */
const resumeFacts = { effect: "control", execution: "resume", data: StopReport } as const

/** The facts of the operations that run to the next line, to the next instruction or to the caller. */
const stepFacts = {
  ...resumeFacts,
  family: "step",
  effects: resumeEffects,
  repeats: "same",
  errors: resumeErrors
} as const

/** Resumes the program (DAP `continue`). */
export class Continue extends Operation.make("continue", () => ({
  ...resumeFacts,
  summary: "Run until the next stop",
  description:
    "Resumes the stopped program and returns its next stop or end. If the timeout passes before, answers WAIT_TIMEOUT and the program keeps running: use wait or pause then.",
  effects: { to: "location", ...resumeEffects },
  frequency: "basic",
  everyday: ["to", "session", "timeout"],
  repeats: "same",
  payload: Model.before(
    {
      count: Operation.withDefault(Field.integer(1, 1_000_000, "Report only the Nth stop from here"), 1),
      to: Field.optionalText("LOCATION", "Run to LOCATION [if EXPR]")
    },
    resume
  ),
  positional: ["count"],
  errors: [...resumeFailures, ...launchErrors],
  examples: [
    { title: "Run to the next stop", input: {} },
    { title: "Run without waiting", input: { wait: false } }
  ]
})) {}

/** Steps over calls (DAP `next`). */
export class Next extends Operation.make("next", () => ({
  ...stepFacts,
  summary: "Step to the next line, over calls",
  description: "Runs to the next line of the current function without entering calls. Returns the stop.",
  frequency: "basic",
  everyday: ["count", "session"],
  payload: Model.before({ count }, resume),
  positional: ["count"],
  examples: [
    { title: "Step one line", input: {} },
    { title: "Step three lines", input: { count: 3 } }
  ]
})) {}

/** Steps into calls (DAP `stepIn`). */
export class Step extends Operation.make("step", () => ({
  ...stepFacts,
  summary: "Step to the next line, into calls",
  description: "Runs to the next line and enters a called function that has source. Returns the stop.",
  effects: { into_system: "observe", ...resumeEffects },
  frequency: "basic",
  everyday: ["count", "session"],
  payload: Model.before(
    {
      count,
      into_system: Field.flag("Also enter functions without debug information")
    },
    resume
  ),
  positional: ["count"],
  examples: [{ title: "Step into the call", input: {} }]
})) {}

/** Runs until the current function returns (DAP `stepOut`). */
export class Finish extends Operation.make("finish", () => ({
  ...stepFacts,
  summary: "Run until the current function returns",
  tool: "Run until the function returns; shows its value",
  description:
    "Runs until the current function returns and stops in its caller. Returns the stop with the return value, if the debugger supplies it.",
  frequency: "basic",
  everyday: ["session"],
  payload: resume.fields,
  examples: [{ title: "Return to the caller", input: {} }]
})) {}

/** Runs to a location with a temporary breakpoint. */
export class Until extends Operation.make("until", () => ({
  ...resumeFacts,
  summary: "Run to a location",
  description:
    "Runs until the program reaches a location or stops for another reason; reached is true at the location. The temporary breakpoint is removed before the answer.",
  effects: { at: "location", same_frame: "observe", ...resumeEffects },
  completes: "locations",
  family: "step",
  frequency: "common",
  payload: Model.before(
    {
      at: Field.text("LOCATION", "FILE:LINE, LINE, +N or FUNCTION, then [if EXPR]"),
      same_frame: Field.flag("Also stop when the current function returns")
    },
    resume
  ),
  positional: ["at"],
  sentence: "at",
  errors: resumeErrors,
  examples: [
    { title: "Run to a line of this file", input: { at: "20" } },
    { title: "Run to a function", input: { at: "sum_scores" } }
  ]
})) {}

/** Steps one instruction, into calls. */
export class Stepi extends Operation.make("stepi", () => ({
  ...stepFacts,
  summary: "Step one instruction, into calls",
  description: "Executes one instruction and enters calls. Returns the stop with the next instruction.",
  payload: Model.before({ count }, resume),
  positional: ["count"],
  examples: [{ title: "Step one instruction", input: {} }]
})) {}

/** Steps one instruction, over calls. */
export class Nexti extends Operation.make("nexti", () => ({
  ...stepFacts,
  summary: "Step one instruction, over calls",
  description: "Executes one instruction and runs a call to its end. Returns the stop with the next instruction.",
  payload: Model.before({ count }, resume),
  positional: ["count"],
  examples: [{ title: "Step four instructions", input: { count: 4 } }]
})) {}

const { wait: _, ...report } = Field.report

/** Stops a running program (DAP `pause`), and repeats the request until the stop is seen. */
export class Pause extends Operation.make("pause", () => ({
  summary: "Stop the running program",
  description: "Stops a running program where it is and returns the stop. If it is already stopped, returns that stop.",
  effect: "control",
  effects: {},
  execution: "pause",
  ignoresLease: true,
  frequency: "basic",
  everyday: ["session"],
  payload: { ...report, session: Field.session },
  data: StopReport,
  errors: [...Errors.selection, Errors.InvalidState, Errors.WaitTimeout],
  examples: [{ title: "Show where it hangs", input: {} }]
})) {}

/** Waits for the next stop or the end, without resuming. */
export class Wait extends Operation.make("wait", () => ({
  summary: "Wait until the program stops or ends",
  tool: "Wait until the program stops or ends, after running [WAIT_TIMEOUT]",
  description:
    "Waits for the next stop or the end of the program and returns its report. With for: control it waits until no other client has the control lease. Answers at once if the program is stopped and was not resumed since. Resumes nothing. Several callers may wait at the same time.",
  effect: "observe",
  effects: { after: "observe", for: "observe" },
  execution: "wait",
  frequency: "basic",
  everyday: ["session", "timeout"],
  payload: {
    after: Operation.optional(
      Schema.Int.annotate({ description: "Ignore stops up to this number", ...FieldFacts.placeholder("N") })
    ),
    for: Field.optionalText("EVENT", "Event: stop, exit, control, breakpoint:ID, output:/RE/, …"),
    ...report,
    session: Field.session
  },
  data: StopReport,
  errors: [...Errors.selection, Errors.InvalidState, Errors.Usage, Errors.WaitTimeout],
  examples: [{ title: "Wait up to a minute", input: { timeout: "1m" } }]
})) {}
