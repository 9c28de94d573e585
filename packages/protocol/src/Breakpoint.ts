/**
 * A breakpoint as it was asked for and as it was placed. Its number is ours: it starts at 1 in each session and is
 * never used again.
 */
import * as Schema from "effect/Schema"
import { Position } from "./Location.ts"

/** How a breakpoint was asked for. */
export const BreakpointKind = Schema.Literals(["line", "function", "address", "regex", "watch", "catch"])

/** Which accesses stop a watchpoint. */
export const Access = Schema.Literals(["write", "read", "access"]).annotate({
  description: "Accesses that stop: write, read, or access for both"
})
/** Which accesses stop a watchpoint. */
export type Access = typeof Access.Type

/** Who keeps to what was asked: the adapter, a command of the debugger inside it, or the manager after each stop. */
export const By = Schema.Literals(["adapter", "debugger-command", "manager"])
/** Who keeps to what was asked. */
export type By = typeof By.Type

/** A word that stands for a breakpoint's number. */
export const Label = Schema.String.check(
  Schema.isPattern(/^(?!all$)[A-Za-z_][\w.-]{0,63}$/, { message: "Write a label with letters, digits, _ . and -" })
).annotate({ description: "A label, usable in place of the number" })

/** What happens when a condition cannot be evaluated. */
export const OnConditionError = Schema.Literals(["stop", "continue"]).annotate({
  description: "Whether a condition that cannot be evaluated stops the program, which is so when left out"
})

/** Which breakpoints are meant: a number, `3-5`, `3,5`, a label, a location, or `all`. */
export const Selector = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  Schema.NonEmptyString
]).annotate({ description: "Number, label or location of the breakpoint" })
/** Which breakpoints are meant. */
export type Selector = typeof Selector.Type

/** One hit: its number of the breakpoint's, when it was (milliseconds since 1970), and what was evaluated. */
export const Hit = Schema.Struct({
  hit: Schema.Int,
  time: Schema.Finite,
  stop: Schema.optionalKey(Schema.Int),
  thread: Schema.optionalKey(Schema.Int),
  values: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}).annotate({ identifier: "Hit" })
/** One hit. */
export type Hit = typeof Hit.Type

/** A breakpoint: `requested` is what was asked, `locations` are the places where it really is. */
export const Breakpoint = Schema.Struct({
  id: Schema.Int,
  kind: BreakpointKind,
  requested: Schema.Struct({
    text: Schema.String,
    file: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    function: Schema.optionalKey(Schema.String),
    /** The trimmed text of the source line when it was set, by which it is found again. */
    line_text: Schema.optionalKey(Schema.String)
  }),
  locations: Schema.Array(Position),
  resolved: Schema.Boolean,
  moved: Schema.Boolean,
  enabled: Schema.Boolean,
  condition: Schema.optionalKey(Schema.String),
  hits_wanted: Schema.optionalKey(Schema.String),
  log: Schema.optionalKey(Schema.String),
  /** It is in a debug register of the processor. */
  hardware: Schema.optionalKey(Schema.Boolean),
  name: Schema.optionalKey(Schema.String),
  thread: Schema.optionalKey(Schema.Int),
  thread_name: Schema.optionalKey(Schema.String),
  cmd: Schema.optionalKey(Schema.Array(Schema.String)),
  eval: Schema.optionalKey(Schema.Array(Schema.String)),
  continue: Schema.optionalKey(Schema.Boolean),
  /** So many stops or messages are left until it disables itself. */
  max: Schema.optionalKey(Schema.Int),
  on_condition_error: Schema.optionalKey(OnConditionError),
  hit_count: Schema.Int,
  temporary: Schema.Boolean,
  by: By,
  access: Schema.optionalKey(Access),
  size: Schema.optionalKey(Schema.Int),
  address: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  existing: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Breakpoint" })
/** A breakpoint as it was asked for and as it was placed. */
export type Breakpoint = typeof Breakpoint.Type
