/**
 * An error of every class, for tests that go through all of them.
 */
import * as Schema from "effect/Schema"
import * as Errors from "../Errors.ts"
import * as Hint from "../answers/Hint.ts"

const facts = {
  command: "next",
  detail: "it said no",
  rule: "read-only",
  expression: "x",
  expected: "3",
  program: "app",
  problem: "wrong",
  near: [],
  problems: ["line 1: what is wrong"],
  text: "x",
  name: "web",
  known: [],
  names: ["a", "b"],
  bytes: 17_000_000,
  limit: 32,
  retry_ms: 100,
  waited_ms: 1000,
  output_bytes: 0,
  after_ms: 1000,
  ids: [1],
  location: "a.c:1",
  file: "a.c",
  reason: "nothing there",
  id: 1,
  index: 1,
  count: 1,
  ref: "@v1",
  path: "app",
  what: "that",
  by: "lldb",
  adapter: "lldb-dap",
  looked: [],
  version: "1",
  needed: "2",
  target: "web",
  matches: [{ pid: 7, command: "web" }],
  stage: "initialize",
  client: "1",
  daemon: "2",
  sessions: 1,
  at_stop: 3,
  oldest: 5,
  newest: 9,
  stop: 4,
  platform: "linux",
  tool: "simctl",
  selector: "Phone",
  kind: "unknown",
  candidates: [],
  operation: "raw",
  at: "stop #3",
  got: "4",
  address: "0x5555",
  why: "kernel-write",
  runner: "cargo",
  others: 0,
  found: 0,
  missing: [{ effect: "raw", tier: "admin", field: "command", value: "version" }]
}

const encodedRemedies = Schema.encodeSync(Hint.Hints)([Hint.call("status", {})])

/** Classes that compute no hint of their own. */
const remediless: ReadonlySet<string> = new Set(
  Errors.all.flatMap(({ fields, identifier }) => (fields.remedies === Hint.Hints ? [identifier] : []))
)

const decode = Schema.decodeUnknownSync(Errors.SigtrapError)

/** The reasons of the errors whose reason is a literal. */
const reasons: { readonly [identifier: string]: string } = {
  AdapterError: "unknown-name",
  AttachFailed: "connection-refused",
  LaunchFailed: "forbidden",
  EvaluationFailed: "unknown-name"
}

const person = { id: "cli:pts/3", kind: "cli", role: "person", name: "pts/3" }

/** Fields that have another value in one class. */
const literals: { readonly [identifier: string]: object } = {
  Busy: { what: "requests" },
  FileNotWritten: { rule: "full" },
  StaleStop: { by: person },
  LeaseHeld: { holder: person, since: 0 },
  ConsentDenied: { request: 7, by: person },
  GrantNotFound: { id: "g1" }
}

const sample = ({ identifier }: (typeof Errors.all)[number], where: object): Errors.SigtrapError =>
  decode({
    ...facts,
    ...(remediless.has(identifier) ? { remedies: encodedRemedies } : {}),
    // One that names a number must name others.
    known: identifier === "BreakpointNotFound" || identifier === "ThreadNotFound" ? [2] : [],
    ...(reasons[identifier] === undefined ? {} : { reason: reasons[identifier] }),
    ...literals[identifier],
    ...where,
    _tag: identifier
  })

/** An error of every class. */
export const all: ReadonlyArray<Errors.SigtrapError> = Errors.all.map((error) => sample(error, {}))

/** An error of every class in a stopped session. */
export const inSession: ReadonlyArray<Errors.SigtrapError> = Errors.all.map((error) =>
  sample(error, { session: "web", state: "stopped" })
)
