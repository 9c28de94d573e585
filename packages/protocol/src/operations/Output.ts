/**
 * `output` and `events`: the captured output of the program and the history of the session. Reading removes nothing.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Identity } from "../model/Caller.ts"
import { tiers } from "../Effects.ts"
import { Lease } from "../model/Lease.ts"
import { Position } from "../model/Location.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { Channel, OutputPage } from "../model/Output.ts"

/** A cursor of an earlier answer: an entry, or a position inside of one. */
const position = Schema.Union([
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  Schema.String.check(Schema.isPattern(/^\d{1,15}(?:\+\d{1,15})?$/, { message: "Write a cursor as 31 or 31+2000" }))
])

/** Reads captured output; removes nothing unless asked to clear. */
export class Output extends Operation.make("output", () => ({
  summary: "Show the output of the program",
  description:
    "Reads the newest captured output, or the output from a cursor on. Reading removes nothing and does not affect other clients. To read what comes after an answer, pass its next as since; to read what lies before, pass its previous as before. A cursor inside an entry is written 31+2000: next+next_offset. With follow, waits for new output first.",
  effect: "observe",
  effects: {
    since: "observe",
    before: "observe",
    new: "observe",
    tail: "observe",
    channel: "observe",
    match: "observe",
    follow: "observe",
    clear: "control"
  },
  // `follow` is the only long call, and the program runs meanwhile.
  leavesStopped: false,
  frequency: "basic",
  everyday: ["since", "tail", "session"],
  budget: "limit",
  payload: {
    since: Operation.optional(
      position.annotate({
        description: "From this cursor on; 0 is the oldest",
        ...FieldFacts.placeholder("CURSOR")
      })
    ),
    before: Operation.optional(
      position.annotate({ description: "Backwards from this cursor (the end)", ...FieldFacts.placeholder("CURSOR") })
    ),
    new: Field.flag("Only what this client has not read with output yet"),
    limit: Field.limit(1_048_576, 65_536, "Most bytes of text in one answer"),
    tail: Field.optionalInteger(1, 10_000, "The last N lines"),
    channel: Operation.withDefault(
      Schema.Array(Channel).annotate({ description: "Channels to show: stdout, stderr, log, console" }),
      ["stdout", "stderr", "log"]
    ),
    match: Field.optionalText("REGEX", "Only lines that match"),
    reveal: Field.reveal,
    follow: Field.follow,
    timeout: Field.report.timeout,
    clear: Field.flag("Clear captured output after reading (for all clients)"),
    session: Field.session
  },
  data: OutputPage,
  errors: [...Errors.selection, Errors.Usage],
  examples: [
    { title: "Show all of it", input: {} },
    { title: "Show the last lines", input: { tail: 20 } }
  ]
})) {}

const eventKinds = [
  "starting",
  "process",
  "forked",
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
  "acted",
  "lease",
  "unanswered",
  "progress",
  "answered",
  "gap",
  "other"
] as const

/** The schema of the kind of an event. */
export interface EventKindSchema extends Schema.Literals<typeof eventKinds> {
  readonly Rebuild: EventKindSchema
}

/** The kind of an event; `other` is any event without a kind of its own. */
const EventKind: EventKindSchema = Schema.Literals(eventKinds).annotate({ identifier: "EventKind" })

/**
 * An event of a session: its number, its time in milliseconds since 1970, and the number of the stop before it. Successive
 * pieces of output are one event with the sum of their bytes. `text` describes the event in one line.
 */
class HistoryEvent extends Model.of<HistoryEvent>()(
  Schema.Struct({
    seq: Schema.Int,
    time: Schema.Finite,
    stop: Schema.Int,
    kind: EventKind,
    text: Schema.String,
    reason: Schema.optionalKey(Schema.String),
    thread: Schema.optionalKey(Schema.Int),
    pid: Schema.optionalKey(Schema.Int),
    breakpoints: Schema.optionalKey(Schema.Array(Schema.Int)),
    /** The hit counts of the breakpoints of a stop. */
    hit_counts: Schema.optionalKey(Schema.Array(Schema.Int)),
    /** Where the program stopped; absent if no client read the stack there. */
    location: Schema.optionalKey(Position),
    exit_code: Schema.optionalKey(Schema.Int),
    signal: Schema.optionalKey(Schema.String),
    channel: Schema.optionalKey(Channel),
    bytes: Schema.optionalKey(Schema.Int),
    /** The client that caused it; absent if the debugger or the program did. */
    actor: Schema.optionalKey(Identity),
    /**
     * What a client did: the tier that it needed, its operation (`read` for joined reads) and command line, and its outcome. A start
     * and a resume have the operation that is not named by their kind or reason.
     */
    tier: Schema.optionalKey(Schema.Literals(tiers)),
    operation: Schema.optionalKey(Schema.String),
    command: Schema.optionalKey(Schema.String),
    ok: Schema.optionalKey(Schema.Boolean),
    code: Schema.optionalKey(Schema.String),
    /** The control lease after an event of the kind `lease`; absent if it ended. */
    lease: Schema.optionalKey(Lease)
  }).annotate({ identifier: "HistoryEvent" })
) {}

/** Reads the history of a session; removes nothing. */
export class Events extends Operation.make("events", () => ({
  summary: "Show the history of the session",
  description:
    "Lists events in order: starts, stops, resumes, ends, breakpoint changes, what each client did, who took control, and output as byte counts. With follow, waits for new events first. For the text of the output use output.",
  effect: "observe",
  effects: { since: "observe", kind: "observe", follow: "observe" },
  leavesStopped: false,
  payload: {
    since: Operation.optional(Field.cursor),
    kind: Operation.withDefault(Schema.Array(EventKind).annotate({ description: "Only these kinds (all)" }), []),
    limit: Operation.withDefault(Field.integer(1, 10_000, "Most events to show"), 100),
    follow: Field.follow,
    timeout: Field.report.timeout,
    session: Field.session
  },
  data: Schema.Struct({ events: Schema.Array(HistoryEvent), next: Schema.Int, dropped: Schema.Int }),
  errors: [...Errors.selection],
  examples: [
    { title: "Show what happened", input: {} },
    { title: "Show only stops and exits", input: { kind: ["stopped", "exited"] } }
  ]
})) {}
