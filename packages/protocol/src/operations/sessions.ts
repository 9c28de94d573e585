/**
 * Operations on the sessions that there are: choosing one, naming it, describing it, ending those that nobody needs.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as Operation from "../Operation.ts"
import { Feature, Name, SessionSummary } from "../Session.ts"
import { EndedSessions, Status } from "./session.ts"

const name = (description: string) => Name.annotate({ description })

/** Lists the sessions. */
export const Sessions = Operation.make("sessions", {
  summary: "List the sessions",
  description: "Lists every session with its state, program, process id, age and idle time, ended ones included.",
  tier: "observe",
  frequency: "common",
  payload: {},
  data: Schema.Struct({ sessions: Schema.Array(SessionSummary) }),
  errors: [],
  examples: [{ title: "List them", input: {} }]
})

/** Makes a session the one that is meant in this directory. */
export const SessionUse = Operation.make("session.use", {
  summary: "Choose the session that is meant here",
  description:
    "Makes a session the current one of your working directory: operations that name no session act on it. The newest one started there is current by itself.",
  tier: "control",
  payload: { name: name("Session to choose") },
  positional: ["name"],
  data: SessionSummary,
  errors: [Errors.SessionNotFound],
  examples: [{ title: "Go on with the session called web", input: { name: "web" } }]
})

/** Gives a session another name. */
export const SessionRename = Operation.make("session.rename", {
  summary: "Give a session another name",
  description: "Renames a session, alive or ended. A name that a live session has is an error.",
  tier: "control",
  payload: { name: name("Session to rename"), new_name: name("Its new name") },
  positional: ["name", "new_name"],
  data: SessionSummary,
  errors: [Errors.SessionNotFound, Errors.SessionExists],
  examples: [{ title: "Keep it beside the next one", input: { name: "default", new_name: "before" } }]
})

/** Says everything about a session that does not change from stop to stop. */
export const SessionInfo = Operation.make("session.info", {
  summary: "Describe a session",
  description:
    "Answers with what status says and how the session was made: arguments, working directory, label, idle limit, streams, number of stops and of breakpoints.",
  tier: "observe",
  payload: { session: Field.session },
  data: Schema.Struct({
    ...Status.fields,
    kind: Schema.Literals(["launched", "attached", "core", "remote"]),
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
  }).annotate({ identifier: "SessionInfo" }),
  errors: Errors.selection,
  examples: [{ title: "See how it was started", input: {} }]
})

/** Ends the sessions that nobody needs any more. */
export const SessionPrune = Operation.make("session.prune", {
  summary: "End sessions that are over or unused",
  description:
    "Forgets sessions whose program has ended. With older, also ends live ones that nobody used for that long; others are left alone.",
  tier: "admin",
  payload: {
    older: Operation.optional(
      Field.Duration.annotate({ description: "Also live ones that were unused for so long, e.g. 2h" })
    )
  },
  data: EndedSessions,
  errors: [],
  examples: [
    { title: "Forget what has ended", input: {} },
    { title: "End what was forgotten", input: { older: "2h" } }
  ]
})

/** Says what works in a session, and who does it. */
export const Capabilities = Operation.make("capabilities", {
  summary: "Say what works here",
  description:
    "Lists what can be done in this session and by which route: the debug adapter, a debugger command, or the manager, which supplies what adapters lack. None means that it answers UNSUPPORTED.",
  tier: "observe",
  payload: { session: Field.session },
  data: Schema.Struct({ features: Schema.Array(Feature) }),
  errors: Errors.selection,
  examples: [{ title: "See what this debugger can do", input: {} }]
})
