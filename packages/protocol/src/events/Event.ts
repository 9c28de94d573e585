/**
 * The events of a session, in the order in which they were seen. `Snapshot.fold` computes the session's state from the
 * numbered log of these events.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Breakpoint } from "../model/Breakpoint.ts"
import { Identity } from "../model/Caller.ts"
import { tiers } from "../Effects.ts"
import { Channel } from "../model/Output.ts"
import { Lease, Reason } from "../model/Lease.ts"
import { Position } from "../model/Location.ts"
import { StopReason } from "../model/Stop.ts"

/** The value of an expression that a caller read or evaluated: at most 200 characters, without secrets. */
export class ActedValue extends Model.of<ActedValue>()(
  Schema.Struct({
    expression: Schema.String,
    value: Schema.String,
    type: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "ActedValue" })
) {}

const union = Schema.TaggedUnion({
  /**
   * The session was created and the debugger is being started. `core`: for a core file, which cannot be resumed. `operation` is the
   * operation that starts it.
   */
  Starting: {
    program: Schema.String,
    core: Schema.optionalKey(Schema.Literal(true)),
    operation: Schema.optionalKey(Schema.String)
  },
  /** The program has a process. */
  Process: { pid: Schema.Int, name: Schema.String },
  /** The program forked a child. With `followed` the debugger debugs it in place of its parent. */
  Forked: { pid: Schema.Int, followed: Schema.Boolean },
  /**
   * The manager asked the debugger to resume. The session's state is running from this event on. `operation` is the operation of the
   * call that resumed, if it is not `command`: `until` continues to a breakpoint of its own.
   */
  Resumed: {
    command: Schema.String,
    operation: Schema.optionalKey(Schema.String),
    thread: Schema.optionalKey(Schema.Int)
  },
  /** The debugger refused the resume. The program is still at the stop before it. */
  ResumeRefused: { command: Schema.String },
  /** The debugger reports that the program runs. */
  Continued: {},
  /**
   * A thread stopped. `focus` marks the thread to show. Several of these events can belong to one stop. `cause` is set
   * for a stop made by the launch of a program: it executed its file, or got SIGSTOP. `hit_counts` are those of `breakpoints`, in
   * their order. `signal_cause` is the cause of the signal in the words of the debugger: `address not mapped to object`.
   * `exception_type` is the type of the exception, if the debugger names it with the stop: `ValueError`.
   */
  Stopped: {
    reason: StopReason,
    raw_reason: Schema.String,
    description: Schema.optionalKey(Schema.String),
    thread: Schema.optionalKey(Schema.Int),
    breakpoints: Schema.Array(Schema.Int),
    hit_counts: Schema.optionalKey(Schema.Array(Schema.Int)),
    focus: Schema.Boolean,
    signal: Schema.optionalKey(Schema.String),
    fault_address: Schema.optionalKey(Schema.String),
    signal_cause: Schema.optionalKey(Schema.String),
    exception_type: Schema.optionalKey(Schema.String),
    cause: Schema.optionalKey(Schema.Literal("launch-signal"))
  },
  /** A call has read where the program stopped: the frame that reports show. A later one of the same stop replaces it. */
  Located: { stop: Schema.Int, location: Position },
  /** The process ended. `signal` is set if a signal killed it. */
  Exited: { exit_code: Schema.optionalKey(Schema.Int), signal: Schema.optionalKey(Schema.String) },
  /** The debugger ended the debug session (DAP `terminated`). */
  Terminated: {},
  /** The debugger detached and the program keeps running. */
  Detached: {},
  /** The debugger or the daemon died. */
  Lost: { reason: Schema.String },
  /** The debugger does not answer: `request` waits, and nothing was heard of the debugger for `millis`. */
  Unanswered: { request: Schema.String, millis: Schema.Int },
  /** The debugger answers again. */
  Answered: {},
  /** The debugger does something long: `title` says what, in its words: `Parsing symbol table: libfoo.so`. Absent once it has ended. */
  Progress: { title: Schema.optionalKey(Schema.String) },
  /** The program or the debugger wrote something. `written` is the number of bytes it wrote, if the text has another size in UTF-8. */
  Output: { channel: Channel, text: Schema.String, written: Schema.optionalKey(Schema.Int) },
  /** A breakpoint was set, placed differently, or removed. `operation` is the one that needs it while the program runs, such as `until`. */
  BreakpointChanged: {
    change: Schema.Literals(["set", "moved", "removed"]),
    breakpoint: Breakpoint,
    operation: Schema.optionalKey(Schema.String)
  },
  /**
   * A caller acted, or read: `operation` is `read` then, and `joined` the number of reads that the event stands for. `command` is the
   * call as a command line, at most 200 characters, without secrets. `expressions` are those that it read or evaluated, and
   * `values` those that `print` or `eval` answered. `code` is the code of its error, and `message` the first line of its message, at
   * most 200 characters, without secrets. `reason` is the meaning of a debugger's message.
   */
  Acted: {
    tier: Schema.Literals(tiers),
    operation: Schema.String,
    command: Schema.String,
    ok: Schema.Boolean,
    code: Schema.optionalKey(Schema.String),
    message: Schema.optionalKey(Schema.String),
    reason: Schema.optionalKey(Schema.String),
    expressions: Schema.optionalKey(Schema.Array(Schema.String)),
    values: Schema.optionalKey(Schema.Array(ActedValue)),
    joined: Schema.optionalKey(Schema.Int)
  },
  /** The control lease began, changed its holder or ended. `previous` is who had it before. */
  LeaseChanged: {
    reason: Reason,
    lease: Schema.optionalKey(Lease),
    previous: Schema.optionalKey(Identity)
  },
  /** `count` older events with `bytes` of output were dropped to keep within the limits. */
  Gap: { count: Schema.Int, bytes: Schema.Int }
})

type Union = typeof union

/** The schema of an event. */
export interface EventSchema extends Union {}

/** The events of a session. */
export const Event: EventSchema = union
/** The events of a session. */
export type Event = typeof Event.Type

/**
 * An event with its number in the session (from 1) and its time in milliseconds since 1970. `actor` is the client that caused
 * it; absent if the debugger or the program did.
 */
export class Entry extends Model.of<Entry>()(
  Schema.Struct({ seq: Schema.Int, time: Schema.Finite, event: Event, actor: Schema.optionalKey(Identity) })
) {}
