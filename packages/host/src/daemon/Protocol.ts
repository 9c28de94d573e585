/**
 * The requests on the daemon's socket: all operations, and those about the daemon itself. Messages are newline-separated
 * JSON of Effect's RPC; `Limits` bounds them. A command line is sent as its words and answered with text, so that the thin
 * client needs neither grammar nor schemas.
 */
import { Caller, Errors, Feed, Operations } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"
import * as Rpc from "effect/rpc/Rpc"
import * as CommandLineActor from "./socket/CommandLineActor.ts"
import * as GrantStore from "./tokens/GrantStore.ts"
import * as HttpServing from "./HttpServing.ts"
import { SlowCall } from "./SlowCalls.ts"
import * as Grants from "../http/Grants.ts"
import * as PageTokens from "../http/PageTokens.ts"
import * as PageCodes from "./tokens/PageCodes.ts"
import { Refusal } from "../audit/RefusalRecord.ts"
import * as RpcGroup from "effect/rpc/RpcGroup"

/** The terminal of a command line. */
export const Terminal = Schema.Struct({
  stdout: Schema.Boolean,
  stderr: Schema.Boolean,
  columns: Schema.Int,
  color: Schema.Boolean
})

/** A command line: its words, working directory, environment and terminal. */
export const CommandLine = Schema.Struct({
  argv: Schema.Array(Schema.String),
  directory: Schema.String,
  environment: Schema.Record(Schema.String, Schema.String),
  terminal: Terminal
})
/** A command line: its words, working directory, environment and terminal. */
export type CommandLine = typeof CommandLine.Type

/**
 * The output of a command line, in order; `Exit` comes last. `Partial` is what the client prints if the user interrupts the command
 * before its next piece: what was found so far.
 */
export const CommandOutput = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Stdout"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.tag("Stderr"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.tag("Partial"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.tag("Exit"), code: Schema.Int })
])
/** The output of a command line, in order; `Exit` comes last. */
export type CommandOutput = typeof CommandOutput.Type

/** Who calls. Optional, since a client of an older version gets `DaemonVersion` and does not send it. */
const client = Schema.optionalKey(Caller.Actor)

/**
 * The `Version.product` of a client that can start a daemon. One of another version that has nothing to do ends then, see
 * `DaemonVersion.ended`. Absent: the client uses any daemon of a compatible protocol.
 */
const version = Schema.optionalKey(Schema.String)

/**
 * Runs a command line in the daemon. `protocol` is the `Version.protocol` of the client; `client` is who runs it, named by
 * `origin` unless it has a name.
 */
export class CliExec extends Rpc.make("cli.exec", {
  payload: {
    protocol: Schema.String,
    version,
    client,
    origin: Schema.optionalKey(CommandLineActor.Origin),
    ...CommandLine.fields
  },
  success: CommandOutput,
  error: Schema.Union([Errors.DaemonVersion, Errors.RequestTimeout, ...Errors.limits]),
  stream: true
}) {}

/** The status of a daemon. Times are milliseconds since 1970. */
export const Status = Schema.Struct({
  pid: Schema.Int,
  version: Schema.String,
  protocol: Schema.String,
  socket: Schema.String,
  started_at: Schema.Finite,
  sessions: Schema.Int,
  clients: Schema.Int,
  memory_bytes: Schema.Int,
  /** The adapter that waits for the next start. */
  prestarted: Schema.optionalKey(
    Schema.Struct({ adapter: Schema.String, pid: Schema.Int, memory_bytes: Schema.optionalKey(Schema.Int) })
  ),
  log: Schema.String
}).annotate({ identifier: "DaemonStatus" })
/** The status of a daemon. */
export type Status = typeof Status.Type

/** The first message of a client: checks the protocol, says who calls on this connection, and returns the status. */
export class Hello extends Rpc.make("daemon.hello", {
  payload: { protocol: Schema.String, version, client },
  success: Status,
  error: Schema.Union([Errors.DaemonVersion, ...Errors.limits])
}) {}

/** Records a refusal of a server in the audit log. */
export class Refused extends Rpc.make("daemon.refused", { payload: Refusal.fields }) {}

/** Ends all sessions and then the daemon; answered before that. */
export class Stop extends Rpc.make("daemon.stop", { success: Status, error: Schema.Union(Errors.limits) }) {}

/** Observes sessions; see `Feed`. */
export class Observe extends Rpc.make("daemon.observe", {
  payload: Feed.Request,
  success: Feed.Line,
  error: Schema.Union(Feed.failures),
  stream: true
}) {}

/** Lists the slowest calls since the daemon started, the slowest first. */
export class Slow extends Rpc.make("daemon.slow", {
  payload: { limit: Schema.Int },
  success: Schema.Struct({ calls: Schema.Array(SlowCall) }),
  error: Schema.Union([Errors.TierRequired, Errors.Internal, ...Errors.limits])
}) {}

/** The errors of requests that only the owner makes. */
const ownerOnly = [Errors.TierRequired, Errors.Internal, Errors.InvalidState, ...Errors.limits] as const

/** Starts the HTTP server of the daemon. */
export class Serve extends Rpc.make("daemon.serve", {
  payload: HttpServing.Request,
  success: HttpServing.Served,
  error: Schema.Union(ownerOnly)
}) {}

/** Ends the HTTP server of the daemon. */
export class Unserve extends Rpc.make("daemon.unserve", {
  success: Schema.Struct({ stopped: Schema.Boolean }),
  error: Schema.Union(ownerOnly)
}) {}

/** Writes a token for another client. */
export class GrantCreate extends Rpc.make("grant.create", {
  payload: GrantStore.Request,
  success: Schema.Struct({ grant: Grants.Grant, token: Schema.optionalKey(Schema.String) }),
  error: Schema.Union(ownerOnly)
}) {}

/** Lists the grants that have not ended. */
export class GrantList extends Rpc.make("grant.list", {
  success: Schema.Struct({ grants: Schema.Array(Grants.Grant) }),
  error: Schema.Union(ownerOnly)
}) {}

/** Revokes a grant, or `all`. */
export class GrantRevoke extends Rpc.make("grant.revoke", {
  payload: { id: Schema.String },
  success: GrantStore.Revoked,
  error: Schema.Union([Errors.GrantNotFound, ...ownerOnly])
}) {}

/** Checks a token for a server in another process. */
export class GrantVerify extends Rpc.make("grant.verify", {
  payload: { token: Schema.String },
  success: Schema.Struct({ credential: Schema.optionalKey(Grants.Credential) }),
  error: Schema.Union(Errors.limits)
}) {}

/** Answers when a grant has ended. */
export class GrantEnded extends Rpc.make("grant.ended", {
  payload: { id: Schema.String },
  error: Schema.Union(Errors.limits)
}) {}

/** Creates a one-time code with which a page gets a token. */
export class PageCode extends Rpc.make("page.code", {
  payload: PageCodes.Request,
  success: PageCodes.Created,
  error: Schema.Union(ownerOnly)
}) {}

/** Exchanges the code that a page sent to a server in another process. */
export class PageExchange extends Rpc.make("page.exchange", {
  payload: PageTokens.Sent,
  success: PageTokens.Answer,
  error: Schema.Union([Errors.InvalidState, ...Errors.limits])
}) {}

/** The requests about the daemon itself. */
export const own = RpcGroup.make(
  CliExec,
  GrantCreate,
  GrantEnded,
  GrantList,
  GrantRevoke,
  GrantVerify,
  Hello,
  Observe,
  PageCode,
  PageExchange,
  Refused,
  Serve,
  Slow,
  Stop,
  Unserve
)

/** All requests of the socket. The type is named, since the inferred one is too long for a declaration file. */
export const group: RpcGroup.RpcGroup<RpcGroup.Rpcs<typeof Operations.group> | RpcGroup.Rpcs<typeof own>> =
  Operations.group.merge(own)

/**
 * The header with the caller of one request, as JSON of `Caller.Caller`. A server that calls for others sends it. Without it
 * the connection's client calls, with every effect.
 */
export const callerHeader = "sigtrap-caller"

/** Encodes and decodes the value of `callerHeader`. */
export const CallerText = Schema.fromJsonString(Caller.Caller)
