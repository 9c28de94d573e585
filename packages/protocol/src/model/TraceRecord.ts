/**
 * The records of a trace: values of expressions at places that the program passed.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"

/**
 * What records the hits: the client of a debug server without a debugger (GDB remote serial protocol), a script inside the debugger, or
 * the adapter with a stop and a resume for each hit, or probes of the kernel without a stop.
 */
export const TraceEngine = Schema.Literals(["uprobe", "rsp", "script", "adapter"]).annotate({
  identifier: "TraceEngine"
})
/** What records the hits. */
export type TraceEngine = typeof TraceEngine.Type

/** One record: its number in the trace, the trace point, the thread, milliseconds since the trace began, the values by expression. */
export class TraceHit extends Model.of<TraceHit>()(
  Schema.Struct({
    hit: Schema.Int,
    point: Schema.Int,
    thread: Schema.optionalKey(Schema.Int),
    time: Schema.Finite,
    values: Schema.Record(Schema.String, Schema.String)
  }).annotate({ identifier: "TraceHit" })
) {}

/** One place of a trace, with its number, the place as it was requested, and how often it was recorded. */
export class TracePoint extends Model.of<TracePoint>()(
  Schema.Struct({ id: Schema.Int, at: Schema.String, hits: Schema.Int }).annotate({ identifier: "TracePoint" })
) {}

/**
 * What one run of a program recorded. `hits` counts all records, `dropped` those that are no longer kept, `rows` are the newest
 * ones, at most 50.
 */
export class RunTrace extends Model.of<RunTrace>()(
  Schema.Struct({
    id: Schema.Int,
    points: Schema.Array(TracePoint),
    hits: Schema.Int,
    dropped: Schema.Int,
    by: TraceEngine,
    /** Why the records of repeated runs are not by `rsp`. */
    reason: Schema.optionalKey(Schema.String),
    rows: Schema.Array(TraceHit)
  }).annotate({ identifier: "RunTrace" })
) {}
