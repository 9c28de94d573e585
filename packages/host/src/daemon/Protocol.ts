/**
 * What is said on the daemon's socket: every operation, and what concerns the daemon itself. Newline-separated JSON as
 * Effect's RPC writes it, 16 MiB a message. A command line travels as its words and comes back as text, so that its
 * client needs neither grammar nor schemas.
 */
import { Errors, Operations } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as RpcSerialization from "effect/rpc/RpcSerialization"

/** What the terminal of a command line can do. */
export const Terminal = Schema.Struct({
  stdout: Schema.Boolean,
  stderr: Schema.Boolean,
  columns: Schema.Int,
  color: Schema.Boolean
})

/** One command line: its words, and where it was typed. */
export const CommandLine = Schema.Struct({
  argv: Schema.Array(Schema.String),
  directory: Schema.String,
  environment: Schema.Record(Schema.String, Schema.String),
  terminal: Terminal
})
/** One command line: its words, and where it was typed. */
export type CommandLine = typeof CommandLine.Type

/** What a command line writes, in order; `Exit` comes last. */
export const CommandOutput = Schema.Union([
  Schema.Struct({ _tag: Schema.tag("Stdout"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.tag("Stderr"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.tag("Exit"), code: Schema.Int })
])
/** What a command line writes, in order; `Exit` comes last. */
export type CommandOutput = typeof CommandOutput.Type

/** Runs a command line in the daemon. `protocol` is the version of `Version.protocol` that the client speaks. */
export class CliExec extends Rpc.make("cli.exec", {
  payload: { protocol: Schema.String, ...CommandLine.fields },
  success: CommandOutput,
  error: Errors.DaemonVersion,
  stream: true
}) {}

/** How a daemon describes itself. Times are milliseconds since 1970. */
export const Status = Schema.Struct({
  pid: Schema.Int,
  version: Schema.String,
  protocol: Schema.String,
  socket: Schema.String,
  started_at: Schema.Finite,
  sessions: Schema.Int,
  clients: Schema.Int,
  memory_bytes: Schema.Int,
  log: Schema.String
}).annotate({ identifier: "DaemonStatus" })
/** How a daemon describes itself. */
export type Status = typeof Status.Type

/** The first message of a client that stays: who is there, and whether they understand each other. */
export class Hello extends Rpc.make("daemon.hello", {
  payload: { protocol: Schema.String },
  success: Status,
  error: Errors.DaemonVersion
}) {}

/** Ends every session and then the daemon. Answers before it does. */
export class Stop extends Rpc.make("daemon.stop", { success: Status }) {}

/** What concerns the daemon itself. */
export const own = RpcGroup.make(CliExec, Hello, Stop)

/** Everything that can be asked on the socket. */
export const group = Operations.group.merge(own)

/** How messages are written: one JSON document a line, 16 MiB at most. */
export const serialization = RpcSerialization.layerNdjsonWith({ maxBufferSize: 16 * 1024 * 1024 })
