/**
 * `trace` and `hits`: records of values at places that the program passes, without a stop at each.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { StopReport } from "../model/Stop.ts"
import { TraceEngine, TraceHit, TracePoint } from "../model/TraceRecord.ts"
import { inFrame } from "./StopErrors.ts"

const traceId = Field.optionalInteger(1, 1_000_000_000, "Number of the trace (the newest one)", "ID")
const hitNumber = (description: string) => Field.integer(1, 1_000_000_000, description, "HIT")

/** Records values at places until a limit, a stop or the end of the program (GDB `trace`). */
export class Trace extends Operation.make("trace", () => ({
  summary: "Record values at locations without stopping at each",
  tool: 'Run and record values at lines: specs ["app.c:14 :: {i} {total}"]; then hits.list',
  description:
    "Resumes the stopped program and records the values of expressions each time it passes a location: LOCATION [if EXPR] :: {EXPR} {EXPR}. Stops the program after max records or the time of for; another stop or the end of the program ends it too. hits list, diff and trend read the records. The fastest engine that shows the same as print is used. uprobe, by probes of the kernel, needs root.",
  effect: "control",
  effects: { specs: "logpoint", max: "observe", for: "observe", engine: "engine", at_stop: "observe" },
  leavesStopped: false,
  payload: {
    specs: Schema.NonEmptyArray(Schema.NonEmptyString).annotate({
      description: "What to record: LOCATION [if EXPR] :: {EXPR} {EXPR}",
      ...FieldFacts.placeholder("SPEC")
    }),
    max: Operation.withDefault(Field.integer(1, 10_000, "Most records"), 1000),
    for: Operation.withDefault(Field.Duration.annotate({ description: "Longest time, such as 30s, 2m" }), "30s"),
    engine: Operation.optional(
      Schema.Literals(["auto", "uprobe", "rsp", "script", "adapter"]).annotate({
        description: "Way to record (auto: the fastest with the values of print)"
      })
    ),
    at_stop: Field.atStop,
    session: Field.session
  },
  positional: ["specs"],
  completes: "locations",
  data: Schema.Struct({
    id: Schema.Int,
    hits: Schema.Int,
    /** Records that were recorded and are no longer kept. */
    dropped: Schema.Int,
    /** Passes after the limit before the program was stopped; by probes of the kernel only. */
    later: Schema.optionalKey(Schema.Int),
    /** Passes that were not recorded because the kernel had no room. */
    lost: Schema.optionalKey(Schema.Int),
    elapsed_ms: Schema.Int,
    by: TraceEngine,
    end: Schema.Literals(["max", "time", "stop", "exit"]),
    points: Schema.Array(TracePoint),
    /** The newest records, at most five. */
    last: Schema.Array(TraceHit),
    /** The stop or the end of the program that ended the trace; absent after `max` and `time`. */
    report: Schema.optionalKey(StopReport)
  }),
  errors: [
    ...inFrame,
    Errors.InvalidState,
    Errors.InvalidLocation,
    Errors.BreakpointUnresolved,
    Errors.BreakpointNotFound,
    Errors.StaleStop,
    Errors.Usage
  ],
  examples: [
    { title: "Record two values of a loop", input: { specs: ["app.c:14 :: {i} {total}"] } },
    { title: "Record 100 calls that meet a condition", input: { specs: ["sum_scores if n > 2 :: {n}"], max: 100 } }
  ]
})) {}

const readErrors = [...Errors.selection, Errors.InvalidState, Errors.Usage]

/** Lists the records of a trace. */
export class HitsList extends Operation.make("hits.list", () => ({
  summary: "List the records of a trace",
  description: "Lists the newest records of a trace, oldest first, with the values of its expressions.",
  effect: "observe",
  family: "trace",
  effects: { id: "observe", last: "observe", fields: "observe" },
  payload: {
    id: traceId,
    last: Operation.withDefault(Field.integer(1, 1000, "Number of records, the newest ones"), 20),
    fields: Field.list("EXPR", "Show only these expressions"),
    session: Field.session
  },
  positional: ["id"],
  data: Schema.Struct({
    id: Schema.Int,
    total: Schema.Int,
    dropped: Schema.Int,
    rows: Schema.Array(TraceHit)
  }),
  errors: readErrors,
  examples: [
    { title: "Show the newest records", input: {} },
    { title: "Show two records of trace 2", input: { id: 2, last: 2 } }
  ]
})) {}

/** Compares two records of a trace. */
export class HitsDiff extends Operation.make("hits.diff", () => ({
  summary: "Compare two records of a trace",
  description: "Shows the expressions whose values differ between two records of a trace.",
  effect: "observe",
  family: "trace",
  effects: { id: "observe", first: "observe", second: "observe" },
  payload: {
    id: Field.integer(1, 1_000_000_000, "Number of the trace", "ID"),
    first: hitNumber("Number of one record"),
    second: hitNumber("Number of the other record"),
    session: Field.session
  },
  positional: ["id", "first", "second"],
  data: Schema.Struct({
    id: Schema.Int,
    first: Schema.Int,
    second: Schema.Int,
    changes: Schema.Array(
      Schema.Struct({
        expression: Schema.String,
        old: Schema.optionalKey(Schema.String),
        new: Schema.optionalKey(Schema.String)
      })
    )
  }),
  errors: readErrors,
  examples: [{ title: "Compare the first two records", input: { id: 2, first: 1, second: 2 } }]
})) {}

/** Summarizes one expression over all records of a trace. */
export class HitsTrend extends Operation.make("hits.trend", () => ({
  summary: "Summarize one expression over a trace",
  description:
    "Shows the first and the last value of an expression over the records of a trace, how often it changed, and the least and the greatest value if all are numbers.",
  effect: "observe",
  family: "trace",
  effects: { id: "observe", field: "observe" },
  payload: {
    id: Field.integer(1, 1_000_000_000, "Number of the trace", "ID"),
    field: Field.text("EXPR", "Expression of the trace"),
    session: Field.session
  },
  positional: ["id", "field"],
  data: Schema.Struct({
    id: Schema.Int,
    field: Schema.String,
    records: Schema.Int,
    changes: Schema.Int,
    first: Schema.optionalKey(Schema.String),
    last: Schema.optionalKey(Schema.String),
    min: Schema.optionalKey(Schema.Finite),
    max: Schema.optionalKey(Schema.Finite)
  }),
  errors: readErrors,
  examples: [{ title: "See how a sum grew", input: { id: 2, field: "total" } }]
})) {}

/** Writes the records of a trace to a file, one JSON object a line. */
export class HitsExport extends Operation.make("hits.export", () => ({
  summary: "Write the records of a trace to a file",
  description: "Writes the records of a trace to a file as NDJSON: one JSON object a line, as hits list has them.",
  effect: "observe",
  family: "trace",
  effects: { id: "observe", file: "write-file", force: "observe" },
  payload: {
    id: Field.integer(1, 1_000_000_000, "Number of the trace", "ID"),
    file: Field.text("FILE", "File to write"),
    force: Field.force,
    session: Field.session
  },
  positional: ["id", "file"],
  data: Schema.Struct({ id: Schema.Int, file: Schema.String, records: Schema.Int }),
  errors: [...readErrors, ...Errors.writing],
  examples: [{ title: "Keep a trace", input: { id: 2, file: "trace.ndjson" } }]
})) {}
