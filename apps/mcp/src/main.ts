/**
 * `sigtrap-mcp [--isolated]`: the tools on standard input and output. Sessions live in the daemon, where people can
 * hold them too; with `--isolated` they live in this process and end with it. Only the protocol goes to standard
 * output.
 */
import { NodeRuntime, NodeStdio } from "@effect/platform-node"
import { Effect, Layer, Logger } from "effect"
import { Host } from "@sigtrap/host"
import type { Client } from "@sigtrap/protocol"
import manifest from "../package.json" with { type: "json" }
import * as Server from "./Server.ts"

const usage = "usage: sigtrap-mcp [--isolated] [--help] [--version]"

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

const serve = (client: Layer.Layer<Client.Client>) =>
  Server.run({ version: manifest.version, caller: { directory: process.cwd(), environment } }).pipe(
    Effect.provide(client),
    Effect.provide([NodeStdio.layer, Layer.succeed(Logger.LogToStderr, true)]),
    NodeRuntime.runMain
  )

const [argument, ...others] = process.argv.slice(2)
if (others.length > 0 || (argument !== undefined && !["--isolated", "--help", "--version"].includes(argument))) {
  process.stderr.write(`error: unknown argument ${others[0] ?? argument} [USAGE]\nhint: ${usage}\n`)
  process.exitCode = 2
} else if (argument === "--help") process.stdout.write(`${usage}\n`)
else if (argument === "--version") process.stdout.write(`${manifest.version}\n`)
else serve(argument === "--isolated" ? Host.layerIsolated : Host.layerDaemon())
