/**
 * The program: the MCP server, on standard input and output or on a port of the loopback. Sessions live in the daemon,
 * where people can hold them too; with `--isolated` they live in this process and end with it. On standard output only
 * the protocol is written.
 *
 * An agent waits for this program to start: what not every start needs is loaded when it is wanted.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Cause, Effect, Exit, Layer, Logger, Result, Runtime } from "effect"
import manifest from "../package.json" with { type: "json" }
import * as ServerArguments from "./server/ServerArguments.ts"
import * as Server from "./server/Server.ts"
import * as Sessions from "./server/LazyClient.ts"

const parsed = ServerArguments.parse(process.argv.slice(2), {
  allow: process.env["SIGTRAP_MCP_ALLOW"],
  token: process.env["SIGTRAP_HTTP_TOKEN"]
})
// No child shall inherit it, neither a daemon nor a program that is debugged.
delete process.env["SIGTRAP_HTTP_TOKEN"]

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

// Being told to end is the way a server ends.
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

const serve = async ({ isolated, port, ...options }: ServerArguments.Serve) => {
  const caller = { directory: process.cwd(), environment }
  const configured = Effect.flatMap(
    Effect.promise(() => import("@sigtrap/host/config/Config")),
    (config) => config.values(caller)
  )
  const settings = { ...options, version: manifest.version, caller, configured }
  const client = isolated ? Sessions.isolated : Sessions.shared
  const logs = Layer.succeed(Logger.LogToStderr, true)
  if (port === undefined) {
    Server.run(settings).pipe(
      Effect.provide(client),
      Effect.provide([NodeStdio.layer, NodeFileSystem.layer, NodePath.layer, logs]),
      (server) => NodeRuntime.runMain(server)
    )
    return
  }
  const { listen } = await import("./server/HttpListener.ts")
  listen({ ...settings, port }).pipe(
    Effect.tap((address) => Effect.sync(() => process.stdout.write(`${JSON.stringify(address)}\n`))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide([client, logs]),
    (server) => NodeRuntime.runMain(server, { teardown })
  )
}

const wrong = (problem: string) => {
  process.stderr.write(`error: ${problem} [USAGE]\nhint: ${ServerArguments.usage}\n`)
  process.exitCode = 2
}

if (Result.isFailure(parsed)) wrong(parsed.failure)
else if (parsed.success.does === "help") process.stdout.write(ServerArguments.help)
else if (parsed.success.does === "version") process.stdout.write(`${manifest.version}\n`)
else if (parsed.success.does === "install") {
  const { words } = parsed.success
  void import("./install/InstallCommand.ts").then(async ({ run }) => {
    process.exitCode = await run(words)
  })
} else void serve(parsed.success)
