/**
 * Operations on breakpoints that are there. They are named by number, range of numbers, label or location.
 */
import * as Schema from "effect/Schema"
import { Breakpoint, BreakpointKind, Hit, Selector } from "../Breakpoint.ts"
import { Count } from "../Count.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { behaviour } from "./breakpoint.ts"

/** Lists the breakpoints. */
export const BreakpointList = Operation.make("breakpoint.list", {
  summary: "List the breakpoints",
  description: "Lists every breakpoint with its number, state, real places, condition and hit count.",
  tier: "observe",
  frequency: "everyday",
  everyday: ["session"],
  payload: {
    kind: Operation.withDefault(
      Schema.Array(BreakpointKind).annotate({ description: "Only those of these kinds; all when empty" }),
      []
    ),
    session: Field.session
  },
  data: Schema.Struct({ breakpoints: Schema.Array(Breakpoint) }),
  errors: Errors.selection,
  examples: [
    { title: "List them", input: {} },
    { title: "Only watchpoints", input: { kind: ["watch"] } }
  ]
})

const ids = Operation.withDefault(
  Schema.Array(Selector).annotate({ description: "Numbers, ranges such as 3-5, labels, locations, or all" }),
  []
)

const several = Schema.Struct({ ids: Schema.Array(Schema.Int), breakpoints: Schema.Array(Breakpoint) })

const changeErrors = [...Errors.selection, Errors.BreakpointNotFound, Errors.Usage] as const

/** Shows one breakpoint. */
export const BreakpointInfo = Operation.make("breakpoint.info", {
  summary: "Show everything about one breakpoint",
  description:
    "Shows a breakpoint, watchpoint or catchpoint with all its places, options, hit count, newest hits and who keeps to them.",
  tier: "observe",
  payload: { id: Selector, session: Field.session },
  positional: ["id"],
  data: Schema.Struct({
    ...Breakpoint.fields,
    history: Schema.Array(Hit).annotate({ description: "The newest hits, at most 20, oldest first" })
  }),
  errors: changeErrors,
  examples: [{ title: "Where is the second one?", input: { id: "2" } }]
})

/** Removes breakpoints; none of several when one of the numbers is unknown. */
export const BreakpointRemove = Operation.make("breakpoint.remove", {
  summary: "Remove breakpoints",
  description:
    "Removes breakpoints by number, range, label or location, or all of them. None is removed when one of these is unknown.",
  tier: "control",
  frequency: "everyday",
  everyday: ["ids", "session"],
  payload: {
    ids,
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "Remove every breakpoint" }), false),
    session: Field.session
  },
  positional: ["ids"],
  data: several,
  errors: changeErrors,
  examples: [
    { title: "Remove the second one", input: { ids: ["2"] } },
    { title: "Remove those of a line", input: { ids: ["app.c:14"] } },
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
    once: Operation.withDefault(
      Schema.Boolean.annotate({ description: "Disable it again after its next stop" }),
      false
    ),
    count: Operation.optional(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
        description: "Disable it again after so many stops"
      })
    ),
    session: Field.session
  },
  positional: ["ids"],
  data: several,
  errors: changeErrors,
  examples: [{ title: "Enable the second one", input: { ids: ["2"] } }]
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
  examples: [{ title: "Disable the second one", input: { ids: ["2"] } }]
})

/** Enables what is disabled and the reverse; none of several when one of the numbers is unknown. */
export const BreakpointToggle = Operation.make("breakpoint.toggle", {
  summary: "Enable or disable breakpoints, whichever they are not",
  description: "Disables enabled breakpoints and enables disabled ones. Their numbers and hit counts stay.",
  tier: "control",
  payload: {
    ids,
    all: Operation.withDefault(Schema.Boolean.annotate({ description: "Toggle every breakpoint" }), false),
    session: Field.session
  },
  positional: ["ids"],
  data: several,
  errors: changeErrors,
  examples: [{ title: "Toggle two of them", input: { ids: ["2", "3"] } }]
})

/** Changes the options of a breakpoint. */
export const BreakpointEdit = Operation.make("breakpoint.edit", {
  summary: "Change a breakpoint's condition, count or message",
  description: "Changes what a breakpoint asks for. Its number, place and hit count stay.",
  tier: "control",
  payload: {
    id: Selector,
    condition: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "Stop only when this expression is true" })
    ),
    no_condition: Operation.withDefault(Schema.Boolean.annotate({ description: "Drop the condition" }), false),
    hits: Operation.optional(Count),
    no_hits: Operation.withDefault(Schema.Boolean.annotate({ description: "Drop the count" }), false),
    log: Operation.optional(Schema.NonEmptyString.annotate({ description: "Write this instead of stopping" })),
    no_log: Operation.withDefault(Schema.Boolean.annotate({ description: "Stop instead of writing" }), false),
    thread: behaviour.thread,
    thread_name: behaviour.thread_name,
    no_thread: Operation.withDefault(Schema.Boolean.annotate({ description: "Stop in every thread" }), false),
    cmd: behaviour.cmd,
    eval: behaviour.eval,
    max: behaviour.max,
    no_max: Operation.withDefault(Schema.Boolean.annotate({ description: "Never disable it by itself" }), false),
    on_condition_error: behaviour.on_condition_error,
    name: behaviour.name,
    session: Field.session
  },
  positional: ["id"],
  data: several,
  errors: changeErrors,
  examples: [
    { title: "Give it a condition", input: { id: "2", condition: "n > 2" } },
    { title: "Stop always again", input: { id: "2", no_condition: true } }
  ]
})

/** Lists the lines of a file that have code (DAP `breakpointLocations`, LLDB `image dump line-table`). */
export const BreakpointLines = Operation.make("breakpoint.lines", {
  summary: "List the lines on which a breakpoint can be set",
  description: "Lists the lines of a file that have code, with their text; a range narrows them.",
  tier: "observe",
  payload: {
    at: Schema.NonEmptyString.annotate({ description: "FILE, FILE:LINE or FILE:FIRST-LAST" }),
    session: Field.session
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

/** Finds lines by their text, as `break --at-text` does. */
export const BreakpointFind = Operation.make("breakpoint.find", {
  summary: "Show where a text anchor would bind",
  description:
    "Lists the lines of a file whose trimmed text is TEXT, or contains it when none is, as break with at_text would take them. Sets nothing.",
  tier: "observe",
  payload: {
    file: Schema.NonEmptyString.annotate({ description: "Source file" }),
    text: Schema.NonEmptyString.annotate({ description: "Text of the line" }),
    session: Field.session
  },
  positional: ["file", "text"],
  sentence: "text",
  data: Schema.Struct({
    file: Schema.String,
    matches: Schema.Array(Schema.Struct({ line: Schema.Int, text: Schema.String })),
    total: Schema.Int
  }),
  errors: [...Errors.selection, Errors.SourceNotFound],
  examples: [{ title: "Which line is it?", input: { file: "app.c", text: "return total;" } }]
})

/** Writes the breakpoints to a file. */
export const BreakpointSave = Operation.make("breakpoint.save", {
  summary: "Write the breakpoints to a file",
  description: "Writes all breakpoints to a file, lines with their text, so that load finds them after edits.",
  tier: "write",
  payload: {
    file: Schema.NonEmptyString.annotate({ description: "File to write" }),
    session: Field.session
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
    session: Field.session
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
