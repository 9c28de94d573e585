/**
 * A breakpoint: the request and the resolved locations. The manager numbers breakpoints from 1 in each session and never
 * reuses a number.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import * as FieldFacts from "../FieldFacts.ts"
import { Position } from "./Location.ts"

const breakpointKinds = ["line", "function", "address", "regex", "watch", "catch"] as const

/** The schema of the kind of a breakpoint. */
export interface BreakpointKindSchema extends Schema.Literals<typeof breakpointKinds> {
  readonly Rebuild: BreakpointKindSchema
}

/** The kind of a breakpoint, by what was requested. */
export const BreakpointKind: BreakpointKindSchema = Schema.Literals(breakpointKinds)

/** The accesses that a watchpoint stops at. */
export const Access = Schema.Literals(["write", "read", "access"]).annotate({
  description: "Accesses to stop at: write, read, or access for both"
})
/** The accesses that a watchpoint stops at. */
export type Access = typeof Access.Type

/** Who evaluates a breakpoint: the adapter, a command of its debugger, or the manager after each stop. */
export const By = Schema.Literals(["adapter", "debugger-command", "manager"])
/** Who evaluates a breakpoint. */
export type By = typeof By.Type

/** A label: a name for a breakpoint. */
export const Label = Schema.String.check(
  Schema.isPattern(/^(?!all$)[A-Za-z_][\w.-]{0,63}$/, { message: "Write a label with letters, digits, _ . and -" })
).annotate({ description: "Label to use in place of the number", ...FieldFacts.placeholder("LABEL") })

/** What to do if a condition fails to evaluate. */
export const OnConditionError = Schema.Literals(["stop", "continue"]).annotate({
  description: "If the condition fails to evaluate: stop or continue (stop)"
})

/** A selection of breakpoints: a number, `3-5`, `3,5`, a label, a location, or `all`. */
export const Selector = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  Schema.NonEmptyString
]).annotate({ description: "Number, label or location of the breakpoint" })
/** A selection of breakpoints. */
export type Selector = typeof Selector.Type

/** A hit of a breakpoint: its number, its time in milliseconds since 1970, and the evaluated expressions. */
export class Hit extends Model.of<Hit>()(
  Schema.Struct({
    hit: Schema.Int,
    time: Schema.Finite,
    stop: Schema.optionalKey(Schema.Int),
    thread: Schema.optionalKey(Schema.Int),
    values: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  }).annotate({ identifier: "Hit" })
) {}

/** A breakpoint: `requested` is the request, `locations` are where the debugger placed it. */
export class Breakpoint extends Model.of<Breakpoint>()(
  Schema.Struct({
    id: Schema.Int,
    kind: BreakpointKind,
    requested: Schema.Struct({
      text: Schema.String,
      file: Schema.optionalKey(Schema.String),
      line: Schema.optionalKey(Schema.Int),
      function: Schema.optionalKey(Schema.String),
      /** The trimmed text of the source line when it was set. `breakpoint load` finds a moved line by it. */
      line_text: Schema.optionalKey(Schema.String)
    }),
    locations: Schema.Array(Position),
    resolved: Schema.Boolean,
    moved: Schema.Boolean,
    enabled: Schema.Boolean,
    condition: Schema.optionalKey(Schema.String),
    hits_wanted: Schema.optionalKey(Schema.String),
    log: Schema.optionalKey(Schema.String),
    /** True if it uses a debug register of the processor. */
    hardware: Schema.optionalKey(Schema.Boolean),
    name: Schema.optionalKey(Schema.String),
    thread: Schema.optionalKey(Schema.Int),
    thread_name: Schema.optionalKey(Schema.String),
    cmd: Schema.optionalKey(Schema.Array(Schema.String)),
    eval: Schema.optionalKey(Schema.Array(Schema.String)),
    continue: Schema.optionalKey(Schema.Boolean),
    /** The number of stops or messages until it disables itself. */
    max: Schema.optionalKey(Schema.Int),
    on_condition_error: Schema.optionalKey(OnConditionError),
    hit_count: Schema.Int,
    temporary: Schema.Boolean,
    by: By,
    access: Schema.optionalKey(Access),
    size: Schema.optionalKey(Schema.Int),
    address: Schema.optionalKey(Schema.String),
    reason: Schema.optionalKey(Schema.String),
    existing: Schema.optionalKey(Schema.Boolean),
    /** True if the request has changed the options of an existing breakpoint. */
    updated: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "Breakpoint" })
) {}
