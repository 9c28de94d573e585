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
