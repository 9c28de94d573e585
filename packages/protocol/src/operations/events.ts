/**
 * Operations on a session's history and on the program's standard input.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { Channel } from "../Output.ts"

/** What kind of thing happened; `other` is anything that has no name of its own here. */
export const EventKind = Schema.Literals([
  "starting",
  "process",
  "resumed",
  "refused",
  "continued",
  "stopped",
  "exited",
  "terminated",
  "detached",
  "lost",
  "output",
  "breakpoint",
  "gap",
  "other"
]).annotate({ identifier: "EventKind" })
/** What kind of thing happened. */
export type EventKind = typeof EventKind.Type

/**
 * One thing that happened: its number in the session, its time in milliseconds since 1970, the stop it followed. Pieces of
 * output that came one after another are one event with the sum of their bytes; `text` is a line for people.
 */
export const HistoryEvent = Schema.Struct({
  seq: Schema.Int,
  time: Schema.Finite,
  stop: Schema.Int,
  kind: EventKind,
  text: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  thread: Schema.optionalKey(Schema.Int),
  pid: Schema.optionalKey(Schema.Int),
  breakpoints: Schema.optionalKey(Schema.Array(Schema.Int)),
  exit_code: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  channel: Schema.optionalKey(Channel),
  bytes: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "HistoryEvent" })
/** One thing that happened. */
export type HistoryEvent = typeof HistoryEvent.Type

/** Reads the history of a session; removes nothing. */
export const Events = Operation.make("events", {
  summary: "Show the session's history",
  description:
    "Lists what happened in order: starts, stops, resumes, ends, breakpoint changes, output as byte counts. With follow it waits for something new first. For the program's text use output.",
  tier: "observe",
  leavesStopped: false,
  payload: {
    since: Operation.optional(Field.cursor),
    kind: Operation.withDefault(Schema.Array(EventKind).annotate({ description: "Only events of these kinds" }), []),
    limit: Operation.withDefault(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({ description: "Most events" }),
      100
    ),
    follow: Field.follow,
    timeout: Field.report.timeout,
    session: Field.session
  },
  data: Schema.Struct({ events: Schema.Array(HistoryEvent), next: Schema.Int, dropped: Schema.Int }),
  errors: [...Errors.selection],
  examples: [
    { title: "What happened so far", input: {} },
    { title: "Only stops and ends", input: { kind: ["stopped", "exited"] } }
  ]
})

/** Writes to the program's standard input. */
export const Input = Operation.make("input", {
  summary: "Write to the program's standard input",
  description:
    "Sends a line, or the contents of a file, to a program started by sigtrap; eof closes its input afterwards. Answers once the pipe has taken it: pending is true while a full pipe waits for the program to read.",
  tier: "control",
  payload: {
    text: Operation.optional(Schema.String.annotate({ description: "The line to send" })),
    newline: Operation.withDefault(Schema.Boolean.annotate({ description: "End the line with a newline" }), true),
    file: Operation.optional(Schema.NonEmptyString.annotate({ description: "Send this file's bytes instead" })),
    eof: Operation.withDefault(Schema.Boolean.annotate({ description: "Close the input afterwards" }), false),
    session: Field.session
  },
  positional: ["text"],
  sentence: "text",
  data: Schema.Struct({ bytes: Schema.Int, eof: Schema.Boolean, pending: Schema.Boolean }),
  errors: [...Errors.selection, Errors.Usage, Errors.Permission],
  examples: [
    { title: "Answer a question of the program", input: { text: "yes" } },
    { title: "Say that there is no more", input: { eof: true } }
  ]
})
