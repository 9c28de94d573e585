/**
 * What the thin client leaves out: the daemon itself, the commands about it, and running a command in this process. A
 * bundle of its own, loaded on the ways that may take a moment.
 */
import type { Command } from "@sigtrap/host/daemon/Launcher"
import { ClientLayers } from "@sigtrap/host"
import { Effect, Stream } from "effect"
import * as CommandRunner from "./CommandRunner.ts"
import * as DaemonCommand from "./commands/DaemonCommand.ts"
import type { EarlyOptions } from "./thin/EarlyOptions.ts"
import * as ClientCommands from "./commands/ClientCommands.ts"
import type { CommandLine } from "./thin/Wire.ts"

/** The rest of the program. */
export interface Full {
  /** Runs a command line in this process; the exit code. `self` starts this program again. */
  readonly run: (options: EarlyOptions, line: CommandLine, self: Command | undefined) => Promise<number>
}

const write = (stream: NodeJS.WriteStream, text: string) =>
  Effect.callback<void>((resume) => {
    stream.write(text, () => resume(Effect.void))
  })

/** The environment without names that have no value. */
const defined = (environment: CommandLine["environment"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  )

const foreground = (line: CommandLine) => {
  let code = 0
  return CommandRunner.exec({ ...line, environment: defined(line.environment) }).pipe(
    Stream.runForEach((part) => {
      if (part._tag === "Stdout") return write(process.stdout, part.text)
      if (part._tag === "Stderr") return write(process.stderr, part.text)
      code = part.code
      return Effect.void
    }),
    Effect.map(() => code),
    Effect.provide(ClientLayers.layerIsolated)
  )
}

/** The rest of the program. */
export const full: Full = {
  run: (options, line, self) => {
    const { client } = options
    const controller = new AbortController()
    const environment = defined(line.environment)
    const place = { directory: line.directory, environment, runtimeDirectory: options.runtimeDirectory }
    const program =
      client === undefined
        ? foreground(line)
        : client.name === "daemon"
          ? DaemonCommand.run(options, client.words, self)
          : ClientCommands.run(options, client.name, client.words, place)
    // The daemon has its own way to end at a signal; anything else ends its sessions first.
    if (client?.name !== "daemon") {
      process.once("SIGINT", () => controller.abort())
      process.once("SIGTERM", () => controller.abort())
    }
    return Effect.runPromise(program, { signal: controller.signal }).catch((error: unknown) => {
      if (controller.signal.aborted) return 130
      process.stderr.write(`error: ${String(error)} [INTERNAL]\nhint: sigtrap daemon logs\n`)
      return 9
    })
  }
}
