/**
 * `breakpoint …`: operations on existing breakpoints. They are selected by number, range of numbers, label or location.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Breakpoint, BreakpointKind, Hit, Selector } from "../model/Breakpoint.ts"
import { HitCount } from "../HitCount.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { behaviour } from "./Break.ts"

/** Lists the breakpoints. */
export class BreakpointList extends Operation.make("breakpoint.list", () => ({
  summary: "List the breakpoints",
  description: "Lists all breakpoints with number, state, resolved locations, condition and hit count.",
  effect: "observe",
  effects: { kind: "observe" },
  frequency: "everyday",
  everyday: ["session"],
  payload: {
    kind: Operation.withDefault(Schema.Array(BreakpointKind).annotate({ description: "Only these kinds (all)" }), []),
    session: Field.session
  },
  data: Schema.Struct({ breakpoints: Schema.Array(Breakpoint) }),
  errors: Errors.selection,
  examples: [
    { title: "List them", input: {} },
    { title: "List watchpoints only", input: { kind: ["watch"] } }
  ]
})) {}

const ids = Operation.withDefault(
  Schema.Array(Selector).annotate({
    description: "Numbers, 3-5, labels, locations or all",
    ...FieldFacts.placeholder("BREAKPOINT")
  }),
  []
)

const changed = Schema.Struct({ ids: Schema.Array(Schema.Int), breakpoints: Schema.Array(Breakpoint) })

const changeErrors = [...Errors.selection, Errors.BreakpointNotFound, Errors.Usage] as const

/** The breakpoint to act on. */
const id = Selector.annotate(FieldFacts.placeholder("BREAKPOINT"))

/** Describes one breakpoint. */
export class BreakpointInfo extends Operation.make("breakpoint.info", () => ({
  summary: "Describe a breakpoint",
  description:
    "Describes a breakpoint, watchpoint or catchpoint: locations, options, hit count, latest hits and who evaluates its condition.",
  effect: "observe",
  effects: { id: "observe" },
  completes: "breakpoints",
  payload: { id, session: Field.session },
  positional: ["id"],
  data: Schema.Struct(
    Model.extended(Breakpoint, {
      /** Who writes the next message of a logpoint: a script inside the debugger, the adapter, or the manager after each hit. */
      log_by: Schema.optionalKey(Schema.Literals(["script", "adapter", "manager"])),
      history: Schema.Array(Hit).annotate({ description: "The latest hits, at most 20, oldest first" })
    })
  ),
  errors: changeErrors,
  examples: [{ title: "Show where the second one is", input: { id: "2" } }]
})) {}

/** Removes breakpoints, or none of them if one is unknown. */
export class BreakpointRemove extends Operation.make("breakpoint.remove", () => ({
  summary: "Remove breakpoints",
  description:
    "Removes breakpoints by number, range, label or location, or all of them. If one is unknown, removes none.",
  effect: "control",
  effects: { ids: "observe", all: "observe" },
  completes: "breakpoints",
  frequency: "everyday",
  everyday: ["ids", "session"],
  payload: { ids, all: Field.flag("Remove all breakpoints"), session: Field.session },
  positional: ["ids"],
  data: changed,
  errors: changeErrors,
  examples: [
    { title: "Remove the second one", input: { ids: ["2"] } },
    { title: "Remove those on a line", input: { ids: ["app.c:14"] } },
    { title: "Remove all", input: { all: true } }
  ]
})) {}

/** Enables breakpoints, or none of them if one is unknown. */
export class BreakpointEnable extends Operation.make("breakpoint.enable", () => ({
  summary: "Enable breakpoints",
  description: "Enables breakpoints. They keep their numbers and hit counts. If one is unknown, enables none.",
  effect: "control",
  effects: { ids: "observe", all: "observe", once: "observe" },
  completes: "breakpoints",
  payload: {
    ids,
    all: Field.flag("Enable all breakpoints"),
    once: Field.flag("Disable again after the next stop"),
    count: Field.optionalInteger(1, 1_000_000_000, "Disable again after N stops"),
    session: Field.session
  },
  positional: ["ids"],
  data: changed,
  errors: changeErrors,
  examples: [{ title: "Enable the second one", input: { ids: ["2"] } }]
})) {}

/** Disables breakpoints, or none of them if one is unknown. */
export class BreakpointDisable extends Operation.make("breakpoint.disable", () => ({
  summary: "Disable breakpoints",
  description:
    "Disables breakpoints until they are enabled again. They stay in the list. If one is unknown, disables none.",
  effect: "control",
  effects: { ids: "observe", all: "observe" },
  completes: "breakpoints",
  payload: { ids, all: Field.flag("Disable all breakpoints"), session: Field.session },
  positional: ["ids"],
  data: changed,
  errors: changeErrors,
  examples: [{ title: "Disable the second one", input: { ids: ["2"] } }]
})) {}

/** Toggles breakpoints, or none of them if one is unknown. */
export class BreakpointToggle extends Operation.make("breakpoint.toggle", () => ({
  summary: "Toggle breakpoints between enabled and disabled",
  description:
    "Disables enabled breakpoints and enables disabled ones. They keep their numbers and hit counts. If one is unknown, toggles none.",
  effect: "control",
  effects: { ids: "observe", all: "observe" },
  completes: "breakpoints",
  payload: { ids, all: Field.flag("Toggle all breakpoints"), session: Field.session },
  positional: ["ids"],
  data: changed,
  errors: changeErrors,
  examples: [{ title: "Toggle two of them", input: { ids: ["2", "3"] } }]
})) {}

/** Changes the options of a breakpoint. */
export class BreakpointEdit extends Operation.make("breakpoint.edit", () => ({
  summary: "Change the options of a breakpoint",
  description:
    "Changes condition, hit count, message, thread or other options of a breakpoint. It keeps its number, location and hit count.",
  effect: "control",
  effects: {
    id: "observe",
    condition: "eval",
    no_condition: "observe",
    hits: "observe",
    no_hits: "observe",
    log: "message",
    no_log: "observe",
    thread_name: "observe",
    no_thread: "observe",
    cmd: "raw",
    eval: "eval",
    max: "observe",
    no_max: "observe",
    on_condition_error: "observe",
    name: "observe"
  },
  completes: "breakpoints",
  payload: {
    id,
    condition: Field.optionalText("EXPR", "Stop only if this expression is true"),
    no_condition: Field.flag("Remove the condition"),
    hits: Operation.optional(HitCount),
    no_hits: Field.flag("Remove the hit count"),
    log: Field.optionalText("MESSAGE", "Log this message and do not stop"),
    no_log: Field.flag("Remove the message and stop"),
    thread: behaviour.thread,
    thread_name: behaviour.thread_name,
    no_thread: Field.flag("Stop in every thread"),
    cmd: behaviour.cmd,
    eval: behaviour.eval,
    max: behaviour.max,
    no_max: Field.flag("Remove the limit of max"),
    on_condition_error: behaviour.on_condition_error,
    name: behaviour.name,
    session: Field.session
  },
  positional: ["id"],
  data: changed,
  errors: changeErrors,
  examples: [
    { title: "Set a condition", input: { id: "2", condition: "n > 2" } },
    { title: "Remove the condition", input: { id: "2", no_condition: true } }
  ]
})) {}

/** Lists the lines of a file that have code (DAP `breakpointLocations`, LLDB `image dump line-table`). */
export class BreakpointLines extends Operation.make("breakpoint.lines", () => ({
  summary: "List the lines on which a breakpoint can be set",
  description: "Lists the lines of a file, or of a range of lines, that have code, with their text.",
  effect: "observe",
  effects: { at: "read-file" },
  completes: "files",
  payload: {
    at: Field.text("FILE[:LINES]", "FILE, FILE:LINE or FILE:FIRST-LAST"),
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
  examples: [{ title: "Find lines with code", input: { at: "app.c:10-20" } }]
})) {}

/** Finds lines by their text, as `break --at-text` does. */
export class BreakpointFind extends Operation.make("breakpoint.find", () => ({
  summary: "Find lines of a file by their text",
  description:
    "Lists the lines that break with at_text would choose: those whose trimmed text equals TEXT, or if there are none, those that contain it. Sets nothing.",
  effect: "observe",
  effects: { file: "read-file", text: "observe" },
  payload: {
    file: Field.text("FILE", "Source file"),
    text: Field.text("TEXT", "Text of the line"),
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
  examples: [{ title: "Find a line", input: { file: "app.c", text: "return total;" } }]
})) {}

/** Writes the breakpoints to a file. */
export class BreakpointSave extends Operation.make("breakpoint.save", () => ({
  summary: "Save the breakpoints to a file",
  description:
    "Writes all breakpoints to a file. Lines are saved with their text, so that breakpoint load finds them after edits.",
  effect: "write-file",
  effects: { file: "write-file", force: "observe" },
  payload: { file: Field.text("FILE", "File to write"), force: Field.force, session: Field.session },
  positional: ["file"],
  data: Schema.Struct({ file: Schema.String, breakpoints: Schema.Array(Breakpoint) }),
  errors: [...Errors.selection, ...Errors.writing],
  examples: [{ title: "Save them for the next session", input: { file: "breakpoints.json" } }]
})) {}

/** Sets the breakpoints of a file. */
export class BreakpointLoad extends Operation.make("breakpoint.load", () => ({
  summary: "Set the breakpoints saved in a file",
  description:
    "Sets the breakpoints that breakpoint save wrote. A line that moved is found by its text. Lists those that cannot be set as failed.",
  effect: "control",
  effects: { file: "read-file" },
  readsEffects: true,
  setsBreakpoints: true,
  payload: { file: Field.text("FILE", "File to read"), session: Field.session },
  positional: ["file"],
  data: Schema.Struct({
    file: Schema.String,
    breakpoints: Schema.Array(Breakpoint),
    failed: Schema.Array(Schema.Struct({ at: Schema.String, reason: Schema.String }))
  }),
  errors: [...Errors.selection, Errors.Usage],
  examples: [{ title: "Set them again", input: { file: "breakpoints.json" } }]
})) {}
