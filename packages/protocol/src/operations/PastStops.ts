/**
 * `stops`, `history` and `report`: the stops that a session had, with what was read there. None of them asks the debugger about
 * a past stop.
 */
import * as Schema from "effect/Schema"
import { Identity } from "../model/Caller.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import { Thread } from "../model/Frame.ts"
import * as Model from "../internal/Model.ts"
import { Position } from "../model/Location.ts"
import * as Operation from "../Operation.ts"
import { StopReason } from "../model/Stop.ts"

/** A variable whose value differs from that at the stop before in the same frame. */
class ChangedName extends Model.of<ChangedName>()(
  Schema.Struct({ name: Schema.String, old: Schema.String, new: Schema.String }).annotate({ identifier: "ChangedName" })
) {}

/** Who caused a stop: the client, and its call as a command line. Both are absent if no client did. */
class StopCause extends Model.of<StopCause>()(
  Schema.Struct({ actor: Schema.optionalKey(Identity), command: Schema.optionalKey(Schema.String) })
) {}

/**
 * One stop of a session: its number, its time in milliseconds since 1970, and what was learned of it. `location` is absent if
 * no client read the stack there.
 */
export class PastStop extends Model.of<PastStop>()(
  Schema.Struct(
    Model.extended(StopCause, {
      stop: Schema.Int,
      time: Schema.Finite,
      reason: StopReason,
      raw_reason: Schema.String,
      description: Schema.optionalKey(Schema.String),
      signal: Schema.optionalKey(Schema.String),
      /** The type of the exception: `ValueError`. Absent if neither the debugger named it with the stop nor a client read it. */
      exception_type: Schema.optionalKey(Schema.String),
      location: Schema.optionalKey(Position),
      thread: Schema.optionalKey(Thread),
      breakpoints: Schema.Array(Schema.Int),
      hit_counts: Schema.Array(Schema.Int),
      changed: Schema.Array(ChangedName)
    })
  ).annotate({ identifier: "PastStop" })
) {}

/** Lists the stops of a session. */
export class Stops extends Operation.make("stops", () => ({
  summary: "List the past stops",
  description:
    "Lists the stops of the session, newest last: when, why, where, who caused them, and the variables that changed. To see one again use context with its number as stop.",
  effect: "observe",
  effects: { since: "observe" },
  payload: {
    since: Field.stop("First stop to show (the newest ones)"),
    limit: Field.limit(200, 20, "Most stops to show"),
    session: Field.session
  },
  data: Schema.Struct({
    stops: Schema.Array(PastStop),
    /** The number of requested stops that are no longer kept. */
    dropped: Schema.Int,
    /** The stop at which the next page begins. */
    next: Schema.optionalKey(Schema.Int)
  }),
  errors: Errors.selection,
  examples: [
    { title: "Show the newest stops", input: {} },
    { title: "Show them from stop 12 on", input: { since: "12" } }
  ]
})) {}

/** A value at a stop. Without `value` it was not read there; with `dropped` what was read there is no longer kept. */
class PastValue extends Model.of<PastValue>()(
  Schema.Struct(
    Model.extended(StopCause, {
      stop: Schema.Int,
      value: Schema.optionalKey(Schema.String),
      type: Schema.optionalKey(Schema.String),
      /** The function of the frame in which it was read, if that is not the frame of the stop's report. */
      function: Schema.optionalKey(Schema.String),
      dropped: Schema.optionalKey(Schema.Literal(true))
    })
  ).annotate({ identifier: "PastValue" })
) {}

/** Shows the values of an expression at the stops where it was read. */
export class History extends Operation.make("history", () => ({
  summary: "Show the value of a variable at each stop",
  description:
    "Shows the value that a variable or an expression had at each stop, as far as a client read it there. It evaluates nothing: write the name as locals, or the expression as print showed it.",
  effect: "observe",
  effects: { path: "observe", since: "observe" },
  family: "stops",
  completes: "expressions",
  payload: {
    path: Field.text("PATH", "Name or expression, as it was read"),
    since: Field.stop("First stop to show (the newest ones)"),
    limit: Field.limit(200, 50, "Most stops to show"),
    session: Field.session
  },
  positional: ["path"],
  sentence: "path",
  data: Schema.Struct({
    path: Schema.String,
    values: Schema.Array(PastValue),
    /** The number of requested stops that are no longer kept. */
    dropped: Schema.Int,
    next: Schema.optionalKey(Schema.Int)
  }),
  errors: Errors.selection,
  examples: [
    { title: "Show how a sum grew", input: { path: "total" } },
    { title: "Show the newest values of a member", input: { path: "items[1].score", limit: 5 } }
  ]
})) {}

/** Writes one stop as Markdown. */
export class Report extends Operation.make("report", () => ({
  summary: "Write a stop as Markdown",
  description:
    "Writes one stop as a Markdown document: reason, place, source, values, stack, output, and the commands that led there. With out, writes it to a file too.",
  effect: "observe",
  effects: { stop: "observe", out: "write-file", force: "observe" },
  family: "stops",
  payload: {
    stop: Field.stop("Stop to write, -1 for the previous one (the current one)"),
    out: Operation.optional(
      Schema.NonEmptyString.annotate({ description: "File to write", ...FieldFacts.placeholder("FILE") })
    ),
    force: Field.force,
    session: Field.session
  },
  data: Schema.Struct({ markdown: Schema.String, stop: Schema.Int, file: Schema.optionalKey(Schema.String) }),
  errors: [...Errors.selection, ...Errors.writing, Errors.StopNotFound],
  examples: [
    { title: "Write the current stop", input: {} },
    { title: "Write an earlier one to a file", input: { stop: "1", out: "stop-1.md" } }
  ]
})) {}
