/**
 * `sigtrap serve --foreground` and `sigtrap-http`: serve every operation on a port of the loopback or of `--address`. Prints one line of
 * JSON with the address and the token file; logs go to standard error. Ends on SIGTERM and SIGINT.
 */
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, Logger, Result, Runtime } from "effect"
import { ClientLayers, ConfigCache, type DaemonLauncher } from "@sigtrap/host"
import type * as ServerEntry from "@sigtrap/host/ServerEntry"
import * as Listener from "@sigtrap/host/http/Listener"
import * as CollectorAddress from "@sigtrap/host/tracing/CollectorAddress"
import * as Traces from "@sigtrap/host/tracing/Traces"
import * as Version from "@sigtrap/host/daemon/Version"
import * as Arguments from "./Arguments.ts"
import * as Server from "./Server.ts"

// SIGTERM and SIGINT are the normal end of a server: exit code 0.
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

const serve = async (
  { isolated, otlp, ...options }: Arguments.Serve,
  command: (() => Promise<DaemonLauncher.Command | undefined>) | undefined
): Promise<void> => {
  const daemon = await command?.()
  const environment = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  )
  const caller = { directory: process.cwd(), environment }
  Server.start({ ...options, version: Version.product, caller, configured: ConfigCache.valuesFor(caller) }).pipe(
    Effect.tap(() => Effect.sync(() => process.stderr.write(Listener.exposed(options.address)))),
    Effect.tap((address) => Effect.sync(() => process.stdout.write(`${JSON.stringify(address)}\n`))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide(otlp === undefined ? Layer.empty : Traces.clientTo(otlp)),
    Effect.provide(
      isolated
        ? ClientLayers.layerIsolated
        : ClientLayers.layerDaemon({ actor: { kind: "http", project: caller.directory }, daemon })
    ),
    Effect.provide([NodeHttpServer.layerHttpServices, Layer.succeed(Logger.LogToStderr, true)]),
    (server) => NodeRuntime.runMain(server, { teardown })
  )
}

/** Runs the server. */
export const run: ServerEntry.Run = (words, daemon) => {
  const parsed = Arguments.parse(words, process.env[Arguments.tokenVariable], process.env[CollectorAddress.VARIABLE])
  // Neither the daemon nor a debugged program may inherit the token.
  delete process.env[Arguments.tokenVariable]
  if (Result.isFailure(parsed)) {
    process.stderr.write(`error: ${parsed.failure} [USAGE]\nhint: ${Arguments.usage}\n`)
    process.exitCode = 2
  } else if (parsed.success.command === "serve") void serve(parsed.success, daemon)
  else process.stdout.write(`${parsed.success.command === "help" ? Arguments.help : Version.product}\n`)
}
