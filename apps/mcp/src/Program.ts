/**
 * The program: serves MCP on standard input and output or on a loopback port, or runs `install`. Sessions are in the
 * daemon, shared with other clients; with `--isolated` they are in this process and end with it. Standard output is
 * only used for the protocol.
 *
 * An agent waits for this program to start, so modules that not every start needs are imported on demand.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Cause, Effect, Exit, Layer, Logger, Result, Runtime } from "effect"
import type { Program } from "./start/Start.ts"
import type { Begun } from "./start/Handshake.ts"
import * as CollectorAddress from "@sigtrap/host/tracing/CollectorAddress"
import * as Version from "@sigtrap/host/daemon/Version"
import * as HeapGrowth from "@sigtrap/host/runtime/HeapGrowth"
import * as ServerArguments from "./server/ServerArguments.ts"
import * as Server from "./server/Server.ts"
import * as StandardOutput from "./server/StandardOutput.ts"
import * as LazyClient from "./server/LazyClient.ts"

// SIGTERM and SIGINT are the normal end of a server: exit code 0.
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

const serve = async (
  { isolated, otlp, port, ...options }: ServerArguments.Serve,
  daemon: Parameters<Program["run"]>[1],
  begun: Begun | undefined
): Promise<void> => {
  const environment = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  )
  const caller = { directory: process.cwd(), environment }
  let values: NonNullable<Server.Options["configured"]> | undefined
  const configured: typeof values = (operation) =>
    values === undefined
      ? Effect.flatMap(
          Effect.promise(() => HeapGrowth.withDefaults(() => import("@sigtrap/host/config/ConfigCache"))),
          ({ valuesFor }) => (values ??= valuesFor(caller))(operation)
        )
      : values(operation)
  const settings = { ...options, version: Version.product, caller, configured }
  const client = isolated ? LazyClient.isolated(otlp) : LazyClient.shared(daemon, otlp)
  const logs = Layer.succeed(Logger.LogToStderr, true)
  if (port === undefined) {
    HeapGrowth.limit()
    Server.run({ ...settings, write: StandardOutput.write, ...(begun === undefined ? {} : { begun }) }).pipe(
      Effect.provide(client),
      Effect.provide([NodeStdio.layer, NodeFileSystem.layer, NodePath.layer, logs]),
      (server) => NodeRuntime.runMain(server)
    )
    return
  }
  const { listen } = await import("./server/HttpListener.ts")
  HeapGrowth.limit()
  listen({ ...settings, port }).pipe(
    Effect.tap((address) => Effect.sync(() => process.stdout.write(`${JSON.stringify(address)}\n`))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide([client, logs]),
    (server) => NodeRuntime.runMain(server, { teardown })
  )
}

const usageError = (problem: string) => {
  process.stderr.write(`error: ${problem} [USAGE]\nhint: ${ServerArguments.usage}\n`)
  process.exitCode = 2
}

/** Runs the server, or `install`. */
export const run: Program["run"] = (words, daemon, begun) => {
  const parsed = ServerArguments.parse(words, {
    allow: process.env["SIGTRAP_MCP_ALLOW"],
    otlp: process.env[CollectorAddress.VARIABLE],
    token: process.env["SIGTRAP_HTTP_TOKEN"]
  })
  // Neither the daemon nor a debugged program may inherit the token.
  delete process.env["SIGTRAP_HTTP_TOKEN"]
  if (Result.isFailure(parsed)) usageError(parsed.failure)
  else if (parsed.success.command === "help") process.stdout.write(ServerArguments.help)
  else if (parsed.success.command === "version") process.stdout.write(`${Version.product}\n`)
  else if (parsed.success.command === "install") {
    const { words } = parsed.success
    void import("./install/InstallCommand.ts").then(async (command) => {
      process.exitCode = await command.run(words, await daemon?.())
    })
  } else void serve(parsed.success, daemon, begun)
}
