/**
 * `sigtrap-mcp [--isolated] [--profile default|ios|full]`: the tools on standard input and output. Sessions live in the daemon, where people can
 * hold them too; with `--isolated` they live in this process and end with it. Only the protocol goes to standard
 * output.
 */
import { parseArgs } from "node:util"
import { NodeRuntime, NodeStdio } from "@effect/platform-node"
import { Effect, Layer, Logger } from "effect"
import { Config, Host } from "@sigtrap/host"
import type { Client } from "@sigtrap/protocol"
import manifest from "../package.json" with { type: "json" }
import * as Profile from "./Profile.ts"
import * as Server from "./Server.ts"

const usage = "usage: sigtrap-mcp [--isolated] [--profile default|ios|full] [--help] [--version]"

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

const caller = { directory: process.cwd(), environment }

const serve = (client: Layer.Layer<Client.Client>, profile: Profile.Name) =>
  Server.run({ version: manifest.version, caller, configured: Config.values(caller), profile }).pipe(
    Effect.provide(client),
    Effect.provide([NodeStdio.layer, Layer.succeed(Logger.LogToStderr, true)]),
    NodeRuntime.runMain
  )

const wrong = (problem: string) => {
  process.stderr.write(`error: ${problem} [USAGE]\nhint: ${usage}\n`)
  process.exitCode = 2
}

const options = {
  isolated: { type: "boolean" },
  profile: { type: "string", default: "default" },
  help: { type: "boolean" },
  version: { type: "boolean" }
} as const

const { tokens, values } = parseArgs({ options, strict: false, tokens: true })
const unknown = tokens.find((token) => token.kind !== "option" || !Object.hasOwn(options, token.name))
const { profile } = values
if (unknown !== undefined)
  wrong(`unknown argument ${unknown.kind === "option" ? unknown.rawName : process.argv[unknown.index + 2]}`)
else if (values.help === true) process.stdout.write(`${usage}\n`)
else if (values.version === true) process.stdout.write(`${manifest.version}\n`)
else if (typeof profile !== "string" || !Profile.isName(profile))
  wrong(`no profile ${profile}; there are: ${Profile.names.join(", ")}`)
else serve(values.isolated === true ? Host.layerIsolated : Host.layerDaemon(), profile)
