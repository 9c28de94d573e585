/**
 * A breakpoint as it was asked for and as it was placed. Its number is ours: it starts at 1 in each session and is
 * never used again.
 */
import * as Schema from "effect/Schema"
import { Position } from "./Location.ts"

/** How a breakpoint was asked for. */
export const BreakpointKind = Schema.Literals(["line", "function", "address", "regex"])

/** A breakpoint: `requested` is what was asked, `locations` are the places where it really is. */
export const Breakpoint = Schema.Struct({
  id: Schema.Int,
  kind: BreakpointKind,
  requested: Schema.Struct({
    text: Schema.String,
    file: Schema.optionalKey(Schema.String),
    line: Schema.optionalKey(Schema.Int),
    function: Schema.optionalKey(Schema.String)
  }),
  locations: Schema.Array(Position),
  resolved: Schema.Boolean,
  moved: Schema.Boolean,
  enabled: Schema.Boolean,
  condition: Schema.optionalKey(Schema.String),
  hits_wanted: Schema.optionalKey(Schema.String),
  hit_count: Schema.Int,
  temporary: Schema.Boolean,
  by: Schema.Literals(["adapter", "debugger-command", "manager"]),
  reason: Schema.optionalKey(Schema.String),
  existing: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Breakpoint" })
/** A breakpoint as it was asked for and as it was placed. */
export type Breakpoint = typeof Breakpoint.Type
