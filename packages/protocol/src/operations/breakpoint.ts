/**
 * Operations on breakpoints. Numbers are ours; a breakpoint that binds nowhere is an error unless it may be pending.
 */
import * as Schema from "effect/Schema"
import { Breakpoint } from "../Breakpoint.ts"
import { Count } from "../Count.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"

const condition = Operation.optional(
  Schema.NonEmptyString.annotate({ description: "Stop only when this expression is true" })
)

const hits = Operation.optional(Count)

const pending = Operation.withDefault(
  Schema.Boolean.annotate({ description: "May stay unresolved until a library has the place" }),
  false
)

const setErrors = [...Errors.selection, Errors.InvalidLocation, Errors.BreakpointUnresolved, Errors.Usage] as const

/** Sets a breakpoint (DAP `setBreakpoints`, `setFunctionBreakpoints`, or LLDB `breakpoint set`). */
export const Break = Operation.make("break", {
  summary: "Set a breakpoint",
  description:
    "Sets a breakpoint and says where it really is: a line without code moves to the next one that has some, and this is reported. A place that does not exist is an error and nothing is created. Works while the program runs.",
  tier: "control",
  payload: {
    at: Operation.optional(
      Schema.NonEmptyString.annotate({
        description:
          "FILE:LINE, LINE, +N, FUNCTION, FILE:FUNCTION, MODULE`FUNCTION, *ADDRESS or /REGEX/, then: if EXPR, hits COUNT"
      })
    ),
    condition,
    hits,
    log: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Write this instead of stopping; {expr} is evaluated" })
    ),
    temporary: Operation.withDefault(Schema.Boolean.annotate({ description: "Remove it after its first stop" }), false),
    disabled: Operation.withDefault(Schema.Boolean.annotate({ description: "Set it without enabling it" }), false),
    pending,
    snap: Operation.withDefault(
      Schema.Literals(["on", "off"]).annotate({
        description: "Whether a line without code may move to the next that has some"
      }),
      "on"
    ),
    at_text: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "The line with this text, instead of a location" })
    ),
    in: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File of at_text; the current one when left out" })
    ),
    nth: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })).annotate({
        description: "Which of several lines with that text"
      })
    ),
    expect_text: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Refuse when the line does not read like this" })
    ),
    session: Field.session,
    directory: Field.directory
  },
  positional: ["at"],
  sentence: "at",
  data: Breakpoint,
  errors: setErrors,
  examples: [
    { title: "Stop on a line", input: { at: "app.c:14" } },
    { title: "Stop in a function when it matters", input: { at: "sum_scores if n > 2" } },
    { title: "Stop at each hundredth hit", input: { at: "app.c:14", hits: "%100" } },
    { title: "Find the line by its text", input: { at_text: "return total;", in: "app.c" } }
  ]
})

/** Sets a breakpoint that writes and does not stop (DAP `logMessage`). */
export const Logpoint = Operation.make("logpoint", {
  summary: "Write a message whenever a place is reached",
  description:
    "Sets a breakpoint that writes a message and goes on; {expr} in it is evaluated. The messages are in the log channel of output.",
  tier: "control",
  payload: {
    at: Schema.NonEmptyString.annotate({ description: "A location as break takes it" }),
    message: Schema.NonEmptyString.annotate({ description: "What to write; {expr} is evaluated" }),
    condition,
    hits,
    pending,
    session: Field.session,
    directory: Field.directory
  },
  positional: ["at", "message"],
  data: Breakpoint,
  errors: setErrors,
  examples: [{ title: "Follow a variable", input: { at: "app.c:14", message: "i={i} total={total}" } }]
})

/** Lists the breakpoints. */
export const BreakpointList = Operation.make("breakpoint.list", {
  summary: "List the breakpoints",
  description: "Lists every breakpoint with its number, state, real places, condition and hit count.",
  tier: "observe",
  payload: { session: Field.session },
  data: Schema.Struct({ breakpoints: Schema.Array(Breakpoint) }),
  errors: Errors.selection,
  examples: [{ title: "List them", input: {} }]
})

const id = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))

const ids = Operation.withDefault(Schema.Array(id).annotate({ description: "Numbers of the breakpoints" }), [])

const several = Schema.Struct({ ids: Schema.Array(Schema.Int), breakpoints: Schema.Array(Breakpoint) })

const changeErrors = [...Errors.selection, Errors.BreakpointNotFound, Errors.Usage] as const

/** Shows one breakpoint. */
export const BreakpointInfo = Operation.make("breakpoint.info", {
  summary: "Show everything about one breakpoint",
  description:
    "Shows a breakpoint, watchpoint or catchpoint with all its places, options, hit count and who keeps to them.",
  tier: "observe",
  payload: { id: id.annotate({ description: "Number of the breakpoint" }), session: Field.session },
  positional: ["id"],
  data: Breakpoint,
  errors: [...Errors.selection, Errors.BreakpointNotFound],
  examples: [{ title: "Where is the second one?", input: { id: 2 } }]
})

/** Removes breakpoints; none of several when one of the numbers is unknown. */
export const BreakpointRemove = Operation.make("breakpoint.remove", {
  summary: "Remove breakpoints",
  description: "Removes breakpoints by number, or all of them. None is removed when one of the numbers is unknown.",
  tier: "control",
  payload: {
    ids,
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "Remove every breakpoint" }), false),
    session: Field.session
  },
  positional: ["ids"],
  data: several,
  errors: changeErrors,
  examples: [
    { title: "Remove the second one", input: { ids: [2] } },
    { title: "Remove all", input: { all: true } }
  ]
})

/** Enables breakpoints; none of several when one of the numbers is unknown. */
export const BreakpointEnable = Operation.make("breakpoint.enable", {
  summary: "Enable breakpoints",
  description: "Makes disabled breakpoints stop the program again. Their numbers and hit counts stay.",
  tier: "control",
  payload: {
    ids,
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "Enable every breakpoint" }), false),
    session: Field.session
  },
  positional: ["ids"],
  data: several,
  errors: changeErrors,
  examples: [{ title: "Enable the second one", input: { ids: [2] } }]
})

/** Disables breakpoints; none of several when one of the numbers is unknown. */
export const BreakpointDisable = Operation.make("breakpoint.disable", {
  summary: "Disable breakpoints",
  description: "Keeps breakpoints from stopping the program until they are enabled again. They stay in the list.",
  tier: "control",
  payload: {
    ids,
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "Disable every breakpoint" }), false),
    session: Field.session
  },
  positional: ["ids"],
  data: several,
  errors: changeErrors,
  examples: [{ title: "Disable the second one", input: { ids: [2] } }]
})

/** Changes the options of a breakpoint. */
export const BreakpointEdit = Operation.make("breakpoint.edit", {
  summary: "Change a breakpoint's condition, count or message",
  description: "Changes what a breakpoint asks for. Its number, place and hit count stay.",
  tier: "control",
  payload: {
    id: id.annotate({ description: "Number of the breakpoint" }),
    condition,
    no_condition: Operation.withDefault(Schema.Boolean.annotate({ description: "Drop the condition" }), false),
    hits,
    no_hits: Operation.withDefault(Schema.Boolean.annotate({ description: "Drop the count" }), false),
    log: Operation.optional(Schema.NonEmptyString.annotate({ description: "Write this instead of stopping" })),
    no_log: Operation.withDefault(Schema.Boolean.annotate({ description: "Stop instead of writing" }), false),
    session: Field.session
  },
  positional: ["id"],
  data: several,
  errors: changeErrors,
  examples: [
    { title: "Give it a condition", input: { id: 2, condition: "n > 2" } },
    { title: "Stop always again", input: { id: 2, no_condition: true } }
  ]
})

/** Lists the lines of a file that have code (DAP `breakpointLocations`, LLDB `image dump line-table`). */
export const BreakpointLines = Operation.make("breakpoint.lines", {
  summary: "List the lines on which a breakpoint can be set",
  description: "Lists the lines of a file that have code, with their text; a range narrows them.",
  tier: "observe",
  payload: {
    at: Schema.NonEmptyString.annotate({ description: "FILE, FILE:LINE or FILE:FIRST-LAST" }),
    session: Field.session,
    directory: Field.directory
  },
  positional: ["at"],
  data: Schema.Struct({
    file: Schema.String,
    lines: Schema.Array(
      Schema.Struct({
        line: Schema.Int,
        column: Schema.optionalKey(Schema.Int),
        text: Schema.optionalKey(Schema.String)
      })
    )
  }),
  errors: [...Errors.selection, Errors.InvalidLocation],
  examples: [{ title: "Where can it stop?", input: { at: "app.c:10-20" } }]
})

/** Writes the breakpoints to a file. */
export const BreakpointSave = Operation.make("breakpoint.save", {
  summary: "Write the breakpoints to a file",
  description: "Writes all breakpoints to a file, lines with their text, so that load finds them after edits.",
  tier: "write",
  payload: {
    file: Schema.NonEmptyString.annotate({ description: "File to write" }),
    session: Field.session,
    directory: Field.directory
  },
  positional: ["file"],
  data: Schema.Struct({ file: Schema.String, breakpoints: Schema.Array(Breakpoint) }),
  errors: [...Errors.selection, Errors.Usage],
  examples: [{ title: "Keep them for the next session", input: { file: "breakpoints.json" } }]
})

/** Sets the breakpoints of a file. */
export const BreakpointLoad = Operation.make("breakpoint.load", {
  summary: "Set the breakpoints of a file",
  description:
    "Sets the breakpoints that save wrote. A line that has moved since is found by its text; what cannot be set is listed as failed.",
  tier: "control",
  payload: {
    file: Schema.NonEmptyString.annotate({ description: "File to read" }),
    session: Field.session,
    directory: Field.directory
  },
  positional: ["file"],
  data: Schema.Struct({
    file: Schema.String,
    breakpoints: Schema.Array(Breakpoint),
    failed: Schema.Array(Schema.Struct({ at: Schema.String, reason: Schema.String }))
  }),
  errors: [...Errors.selection, Errors.Usage],
  examples: [{ title: "Set them again", input: { file: "breakpoints.json" } }]
})
