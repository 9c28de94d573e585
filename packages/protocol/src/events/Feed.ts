/**
 * One stream for observers: which sessions there are, and the events and the output of those that it follows, from a number on.
 *
 * The client that calls `fold` of `Snapshot` with the events has the state of the session. A reader that is slow loses the oldest
 * events, as the limits of the journal say, and a `gap` counts them; it holds up no other reader and takes no memory.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as Model from "../internal/Model.ts"
import * as Caller from "../model/Caller.ts"
import * as Errors from "../Errors.ts"
import { Event } from "./Event.ts"
import { Lease } from "../model/Lease.ts"
import { Channel } from "../model/Output.ts"
import { Outcome, Question } from "../model/Question.ts"
import { Name, SessionState } from "../model/Session.ts"
import { StopReason } from "../model/Stop.ts"

const number = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * The identity of a session, which no earlier or later session of its name has. A session keeps it when it is renamed
 * and when its program is started again. After the daemon was killed it has another one, as its newest events may be missing;
 * `continues` is the one that it had.
 */
const SessionId = Schema.String.check(Schema.isPattern(/^[0-9a-z]{1,16}$/))

/** Most sessions that one stream follows. */
export const mostFollowed = 32

/**
 * A session to follow. `since` is the number of the first event; without it only what comes next is sent. `output` is the number of
 * the first output entry; without it output is not sent. Numbers are those of `next` in earlier lines. `id` is the identity of the
 * session of the numbers: if another session has the name now, that one is sent from its first event on.
 */
export class Followed extends Model.of<Followed>()(
  Schema.Struct({
    session: Name,
    id: Schema.optionalKey(SessionId),
    since: Schema.optionalKey(number),
    output: Schema.optionalKey(number)
  }).annotate({ identifier: "FollowedSession" })
) {}

/** Time without another line after which a `beat` is sent, in seconds: at most, and without `beat` in the request. */
export const mostQuiet = 10

/**
 * What to observe. With `sessions` the list of sessions and their states are sent, too. `beat` is the time without another line after
 * which a `beat` is sent, in seconds (10).
 */
export class Request extends Model.of<Request>()(
  Schema.Struct({
    sessions: Schema.optionalKey(Schema.Boolean),
    beat: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostQuiet }))),
    follow: Schema.optionalKey(Schema.Array(Followed).check(Schema.isMaxLength(mostFollowed)))
  }).annotate({ identifier: "StreamRequest" })
) {}

/** The latest stop of a session, as `Snapshot.Stopped`. */
const Stopped = Schema.Struct({
  reason: StopReason,
  raw_reason: Schema.String,
  description: Schema.optionalKey(Schema.String),
  signal: Schema.optionalKey(Schema.String),
  fault_address: Schema.optionalKey(Schema.String),
  signal_cause: Schema.optionalKey(Schema.String),
  exception_type: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Literal("launch-signal")),
  thread: Schema.optionalKey(Schema.Int),
  breakpoints: Schema.Array(Schema.Int),
  threads: Schema.Array(Schema.Int),
  focused: Schema.Boolean
})

/** The state of a session, as `Snapshot.Snapshot`. */
export class State extends Model.of<State>()(
  Schema.Struct({
    state: SessionState,
    stop: Schema.Int,
    resumes: Schema.Int,
    stopped: Schema.optionalKey(Stopped),
    program: Schema.optionalKey(Schema.String),
    core: Schema.optionalKey(Schema.Literal(true)),
    pid: Schema.optionalKey(Schema.Int),
    exit_code: Schema.optionalKey(Schema.Int),
    signal: Schema.optionalKey(Schema.String),
    reason: Schema.optionalKey(Schema.String),
    lease: Schema.optionalKey(Lease),
    unanswered: Schema.optionalKey(Schema.Struct({ request: Schema.String, millis: Schema.Int })),
    progress: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "SessionSnapshot" })
) {}

/**
 * The first line: the version of the server, the sessions, and the questions that wait for an answer. `id` is the identity of a
 * session, `next` the number of its next event.
 */
export class Hello extends Model.of<Hello>()(
  Schema.Struct({
    type: Schema.tag("hello"),
    version: Schema.String,
    sessions: Schema.Array(
      Schema.Struct({
        session: Schema.String,
        id: SessionId,
        continues: Schema.optionalKey(SessionId),
        snapshot: State,
        next: Schema.Int
      })
    ),
    requests: Schema.Array(Question)
  }).annotate({ identifier: "HelloLine" })
) {}

/** An event of a followed session. `stop` is the number of the latest stop, also of that which the event is. */
export class EventLine extends Model.of<EventLine>()(
  Schema.Struct({
    type: Schema.tag("event"),
    session: Schema.String,
    seq: Schema.Int,
    time: Schema.Finite,
    stop: Schema.Int,
    actor: Schema.optionalKey(Caller.Identity),
    event: Event
  }).annotate({ identifier: "EventLine" })
) {}

/** Output of a followed session, at most 64 KiB. `seq` is the number of its entry. */
export class OutputLine extends Model.of<OutputLine>()(
  Schema.Struct({
    type: Schema.tag("output"),
    session: Schema.String,
    seq: Schema.Int,
    time: Schema.Finite,
    channel: Channel,
    text: Schema.String
  }).annotate({ identifier: "OutputLine" })
) {}

/**
 * A session began, changed its state or who has control of it, or is gone: `snapshot` is absent then. Another `id` than before means
 * that another session has the name; if it is followed, its first event comes next.
 */
export class SessionLine extends Model.of<SessionLine>()(
  Schema.Struct({
    type: Schema.tag("session"),
    session: Schema.String,
    id: Schema.optionalKey(SessionId),
    continues: Schema.optionalKey(SessionId),
    snapshot: Schema.optionalKey(State),
    next: Schema.optionalKey(Schema.Int)
  }).annotate({ identifier: "SessionLine" })
) {}

/**
 * Entries of a followed session that are no longer kept. `next` is the number of the oldest that is. `bytes` is the size of the output
 * of the program among them; absent if that is not known.
 */
export class GapLine extends Model.of<GapLine>()(
  Schema.Struct({
    type: Schema.tag("gap"),
    session: Schema.String,
    count: Schema.Int,
    bytes: Schema.optionalKey(Schema.Int),
    next: Schema.Int
  }).annotate({ identifier: "GapLine" })
) {}

/** A call waits for consent, or does so no more: `ended` says why, and `by` who answered. */
export class RequestLine extends Model.of<RequestLine>()(
  Schema.Struct({
    type: Schema.tag("request"),
    request: Question,
    ended: Schema.optionalKey(Outcome),
    by: Schema.optionalKey(Caller.Identity)
  }).annotate({ identifier: "RequestLine" })
) {}

/** Nothing happened for 10 seconds, or for the time that the request names. */
export class Beat extends Model.of<Beat>()(
  Schema.Struct({ type: Schema.tag("beat"), time: Schema.Finite }).annotate({ identifier: "BeatLine" })
) {}

/** The stream ends, because the server does, or the token of the caller has ended. */
export class End extends Model.of<End>()(
  Schema.Struct({ type: Schema.tag("end"), reason: Schema.String }).annotate({ identifier: "EndLine" })
) {}

/** A line of the stream. */
export const Line = Schema.Union([Hello, EventLine, OutputLine, SessionLine, RequestLine, GapLine, Beat, End]).annotate(
  {
    identifier: "StreamLine"
  }
)
/** A line of the stream. */
export type Line = typeof Line.Type

/** The errors of observing: the caller may not, or the connection to the daemon fails. */
export const failures = [
  Errors.TierRequired,
  Errors.Internal,
  Errors.DaemonUnreachable,
  Errors.DaemonVersion,
  ...Errors.limits
] as const
/** An error of observing. */
export type Failure = (typeof failures)[number]["Type"]

/** The service that observes sessions. */
export class Feed extends Context.Service<
  Feed,
  {
    /** Returns the lines of a stream, `hello` first. It ends only by an `end`, or with its reader. */
    readonly lines: (request: Request) => Stream.Stream<Line, Failure>
  }
>()("@sigtrap/protocol/Feed") {}

/** Where a stream continues: the identity and the number of the next event, if they are known, by the name of a session. */
export type Cursors = ReadonlyMap<string, Readonly<{ id?: string; next?: number }>>

/** Returns the cursors with that of one session. The number of another session of its name does not count. */
const identified = (cursors: Cursors, session: string, id: string): Cursors => {
  const known = cursors.get(session)
  if (known?.id === id) return cursors
  const next = known?.id === undefined ? known?.next : 0
  return new Map(cursors).set(session, { id, ...(next === undefined ? {} : { next }) })
}

/** Returns where a stream continues after a line. */
export const after = (cursors: Cursors, line: Line): Cursors => {
  switch (line.type) {
    case "hello":
      return line.sessions.reduce((before, { id, session }) => identified(before, session, id), cursors)
    case "session":
      return line.id === undefined ? cursors : identified(cursors, line.session, line.id)
    case "event":
    case "output":
      return new Map(cursors).set(line.session, { ...cursors.get(line.session), next: line.seq + 1 })
    case "gap":
      return new Map(cursors).set(line.session, { ...cursors.get(line.session), next: line.next })
    default:
      return cursors
  }
}
