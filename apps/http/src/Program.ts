/**
 * `sigtrap-http [--port N] [--isolated]`: serves every operation on a loopback port. Prints one line of JSON with the
 * address and the token file; logs go to standard error. Ends on SIGTERM and SIGINT.
 */
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, Logger, Result, Runtime } from "effect"
import { Config, ClientLayers } from "@sigtrap/host"
import manifest from "../package.json" with { type: "json" }
import * as Arguments from "./Arguments.ts"
import * as Server from "./Server.ts"

const parsed = Arguments.parse(process.argv.slice(2), process.env[Arguments.tokenVariable])
// Neither the daemon nor a debugged program may inherit the token.
delete process.env[Arguments.tokenVariable]

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
)

// SIGTERM and SIGINT are the normal end of a server: exit code 0.
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

if (Result.isFailure(parsed)) {
  process.stderr.write(`error: ${parsed.failure} [USAGE]\nhint: ${Arguments.usage}\n`)
  process.exitCode = 2
} else if (parsed.success.command === "help") process.stdout.write(`${Arguments.usage}\n`)
else if (parsed.success.command === "version") process.stdout.write(`${manifest.version}\n`)
else if (parsed.success.command === "serve") {
  const { isolated, ...options } = parsed.success
  const caller = { directory: process.cwd(), environment }
  Server.start({ ...options, version: manifest.version, caller, configured: Config.values(caller) }).pipe(
    Effect.tap((address) => Effect.sync(() => process.stdout.write(`${JSON.stringify(address)}\n`))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide(
      isolated
        ? ClientLayers.layerIsolated
        : ClientLayers.layerDaemon({ actor: { kind: "http", project: caller.directory } })
    ),
    Effect.provide([NodeHttpServer.layerHttpServices, Layer.succeed(Logger.LogToStderr, true)]),
    (serve) => NodeRuntime.runMain(serve, { teardown })
  )
}
