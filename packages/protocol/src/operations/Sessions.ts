/**
 * Operations on sessions as a whole: `stop`, `status`, `sessions`, `session …` and `capabilities`.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Actor } from "../model/Caller.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import { Lease, Participant } from "../model/Lease.ts"
import { Position } from "../model/Location.ts"
import * as Operation from "../Operation.ts"
import { Adapter, Feature, Name, SessionState, SessionSummary } from "../model/Session.ts"
import { StopReason } from "../model/Stop.ts"

/** A session that was ended. */
class Ended extends Model.of<Ended>()(
  Schema.Struct({
    name: Schema.String,
    program: Schema.String,
    /** `closed` for a core file, which has no process. */
    how: Schema.Literals(["killed", "detached", "already-ended", "closed"]),
    /** The state before the end. */
    state: SessionState,
    exit_code: Schema.optionalKey(Schema.Int),
    signal: Schema.optionalKey(Schema.String),
    /** What the end of the debugger means for the program, if the debugger had to be killed. */
    problem: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "Ended" })
) {}

/** Sessions that were ended. `leftovers` are their processes that still exist. */
class EndedSessions extends Model.of<EndedSessions>()(
  Schema.Struct({
    sessions: Schema.Array(Ended),
    leftovers: Schema.Array(Schema.Struct({ pid: Schema.Int, name: Schema.String }))
  }).annotate({ identifier: "EndedSessions" })
) {}

/** Ends sessions: kills launched programs, detaches from attached ones (DAP `disconnect`). */
export class Stop extends Operation.make("stop", () => ({
  summary: "End a session",
  tool: "End the session: kills what start began, releases what attach took",
  description:
    "Ends a session: kills a launched program and detaches from an attached one, unless kill or detach says otherwise. Ends the only session if none is named. Debugger, program and temporary files are gone when it answers; leftovers lists processes that remain. To leave the program running use detach.",
  effect: "control",
  effects: {
    names: "observe",
    all: "observe",
    if_exists: "observe",
    keep: "observe",
    kill: "observe",
    detach: "observe",
    grace: "observe"
  },
  destructive: true,
  endsSession: true,
  completes: "sessions",
  frequency: "basic",
  everyday: ["session"],
  payload: {
    names: Field.wordList("SESSION", "Sessions to end (the only one)"),
    all: Field.flag("End every session"),
    if_exists: Field.flag("Succeed if there is no such session"),
    keep: Field.flag("Keep the ended session, so that it can be restarted"),
    kill: Field.optionalFlag("Kill the program, also an attached one"),
    detach: Field.optionalFlag("Detach from the program, also a launched one"),
    grace: Field.optionalDuration("Send SIGTERM and kill only after this time, such as 2s"),
    session: Field.session
  },
  positional: ["names"],
  data: EndedSessions,
  errors: [...Errors.selection, Errors.Usage],
  examples: [
    { title: "End the session", input: {} },
    { title: "End all sessions", input: { all: true } }
  ]
})) {}

/** How a session began. Only a launched program can be restarted. */
const Kind = Schema.Literals(["launched", "attached", "core", "remote"])

/** The state of a session: the answer of `status`. */
class Status extends Model.of<Status>()(
  Schema.Struct({
    session: Schema.optionalKey(Schema.String),
    state: SessionState,
    /** How the session began; absent without a session. */
    kind: Schema.optionalKey(Kind),
    stop: Schema.optionalKey(Schema.Int),
    reason: Schema.optionalKey(StopReason),
    description: Schema.optionalKey(Schema.String),
    breakpoints_hit: Schema.optionalKey(Schema.Array(Schema.Int)),
    location: Schema.optionalKey(Position),
    program: Schema.optionalKey(Schema.String),
    args: Schema.optionalKey(Schema.Array(Schema.String)),
    pid: Schema.optionalKey(Schema.Int),
    adapter: Schema.optionalKey(Adapter),
    uptime_s: Schema.optionalKey(Schema.Int),
    exit_code: Schema.optionalKey(Schema.Int),
    signal: Schema.optionalKey(Schema.String),
    lost: Schema.optionalKey(Schema.String),
    /** True if the launch and the breakpoints are stored, so that `recover` can bring the session back. */
    durable: Schema.optionalKey(Schema.Boolean),
    /** Processes that keep the pipes of the ended program. Their output is still read; `stop` kills them. */
    outlived_by: Schema.optionalKey(Schema.Array(Schema.Struct({ pid: Schema.Int, name: Schema.String }))),
    breakpoints: Schema.optionalKey(Schema.Int),
    /** True if the program is loaded and not started. */
    loaded: Schema.optionalKey(Schema.Boolean),
    /** Who began the session. */
    began_by: Schema.optionalKey(Actor),
    /** The clients that called recently: within 2 minutes, or the time of `control.idle`. */
    clients: Schema.optionalKey(Schema.Array(Participant)),
    /** The control lease; absent if no client has it. */
    lease: Schema.optionalKey(Lease),
    /** The policy rules of the session. */
    policy: Schema.optionalKey(Schema.Array(Schema.String)),
    capabilities: Schema.optionalKey(Schema.Array(Feature))
  }).annotate({ identifier: "Status" })
) {}

/** Returns the state of a session; having none is not an error. */
export class GetStatus extends Operation.make("status", () => ({
  summary: "Show session status",
  description:
    "Returns the state of a session at once: running, stopped and where, exited and how. Succeeds also if there is no session. For source and variables use context.",
  effect: "observe",
  effects: { capabilities: "observe" },
  frequency: "everyday",
  everyday: ["session"],
  payload: {
    capabilities: Field.optionalFlag("Add what this debugger supports"),
    session: Field.session
  },
  data: Status,
  errors: [Errors.SessionNotFound, Errors.AmbiguousSession],
  examples: [{ title: "Show the state", input: {} }]
})) {}

const name = (description: string) => Name.annotate({ description, ...FieldFacts.placeholder("SESSION") })

/** Lists the sessions. */
export class Sessions extends Operation.make("sessions", () => ({
  summary: "List the sessions",
  description: "Lists all sessions, also ended ones, with state, program, process id, age and idle time.",
  effect: "observe",
  effects: {},
  ofSession: true,
  frequency: "common",
  payload: {},
  data: Schema.Struct({ sessions: Schema.Array(SessionSummary) }),
  errors: [],
  examples: [{ title: "List them", input: {} }]
})) {}

/** Selects the current session of a directory. */
export class SessionUse extends Operation.make("session.use", () => ({
  summary: "Select the current session of this directory",
  description:
    "Selects the current session of the working directory. Operations that name no session act on it. Starting a session there selects it too.",
  effect: "control",
  effects: { name: "observe" },
  ofSession: true,
  completes: "sessions",
  payload: { name: name("Session to select") },
  positional: ["name"],
  data: SessionSummary,
  errors: [Errors.SessionNotFound],
  examples: [{ title: "Select the session web", input: { name: "web" } }]
})) {}

/** Renames a session. */
export class SessionRename extends Operation.make("session.rename", () => ({
  summary: "Rename a session",
  description: "Renames a live or ended session. Fails if a live session has the new name.",
  effect: "control",
  effects: { name: "observe", new_name: "observe" },
  ofSession: true,
  completes: "sessions",
  payload: { name: name("Session to rename"), new_name: name("New name") },
  positional: ["name", "new_name"],
  data: SessionSummary,
  errors: [Errors.SessionNotFound, Errors.SessionExists],
  examples: [{ title: "Keep it for comparison", input: { name: "default", new_name: "before" } }]
})) {}

/** Describes a session: its status and how it was started. */
export class SessionInfo extends Operation.make("session.info", () => ({
  summary: "Describe a session",
  description:
    "Returns the status of a session and how it was started: arguments, working directory, label, idle limit, streams, number of stops and of breakpoints.",
  effect: "observe",
  effects: {},
  payload: { session: Field.session },
  data: Schema.Struct(
    Model.extended(Status, {
      cwd: Schema.String,
      label: Schema.optionalKey(Schema.String),
      ttl_s: Schema.optionalKey(Schema.Int),
      idle_s: Schema.Int,
      current: Schema.Boolean,
      variables: Schema.Int,
      stdin: Schema.optionalKey(Schema.String),
      stdout: Schema.optionalKey(Schema.String),
      stderr: Schema.optionalKey(Schema.String),
      source_map: Schema.optionalKey(Schema.Array(Schema.String)),
      output_bytes: Schema.Int
    })
  ).annotate({ identifier: "SessionInfo" }),
  errors: Errors.selection,
  examples: [{ title: "Show how it was started", input: {} }]
})) {}

/** Removes ended sessions, and on request ends unused ones. */
export class SessionPrune extends Operation.make("session.prune", () => ({
  summary: "Remove ended or unused sessions",
  description:
    "Removes the sessions whose program has ended. With older, also ends live sessions that were idle for that long. Other live sessions stay.",
  effect: "control",
  effects: { older: "observe" },
  ofSession: true,
  destructive: true,
  endsSession: true,
  payload: {
    older: Field.optionalDuration("Also end live sessions idle for this long, such as 2h")
  },
  data: EndedSessions,
  errors: [],
  examples: [
    { title: "Remove ended sessions", input: {} },
    { title: "End sessions idle for two hours", input: { older: "2h" } }
  ]
})) {}

/** Lists the capabilities of a session and who supplies each. */
export class Capabilities extends Operation.make("capabilities", () => ({
  summary: "List debugger capabilities",
  description:
    "Lists what the debugger of this session supports and who supplies it: the debug adapter, a debugger command or the manager. Operations whose capability has the supplier none fail with UNSUPPORTED.",
  effect: "observe",
  effects: {},
  payload: { session: Field.session },
  data: Schema.Struct({ features: Schema.Array(Feature) }),
  errors: Errors.selection,
  examples: [{ title: "List what this debugger supports", input: {} }]
})) {}
