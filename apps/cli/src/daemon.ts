/**
 * The bundle that the thin client loads on demand: the daemon, the commands that run in the client, and `--foreground`. What the
 * daemon does not need is in parts of their own.
 */
import { ClientLayers } from "@sigtrap/host"
import { Effect, Stream } from "effect"
import * as DaemonCommand from "./commands/DaemonCommand.ts"
import * as CommandRunner from "./runner/CommandRunner.ts"
import * as StreamWriter from "./render/StreamWriter.ts"
import * as EarlyOptions from "./thin/EarlyOptions.ts"
import * as StandardStreams from "./thin/StandardStreams.ts"
import type { Full } from "./thin/ThinClient.ts"
import * as TypedLine from "./thin/TypedLine.ts"
import type { CommandLine } from "./thin/Wire.ts"

/** Returns the variables that have a value. */
const defined = (environment: CommandLine["environment"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  )

const foreground = (line: CommandLine) => {
  let code = 0
  let partial = ""
  return CommandRunner.exec({ ...line, environment: defined(line.environment) }).pipe(
    Stream.runForEach((part) => {
      if (part._tag === "Stdout") return StreamWriter.write(process.stdout, part.text)
      if (part._tag === "Stderr") return StreamWriter.write(process.stderr, part.text)
      if (part._tag === "Partial") partial = part.text
      else code = part.code
      return Effect.void
    }),
    Effect.onInterrupt(() => StreamWriter.write(process.stdout, partial)),
    Effect.map(() => code),
    Effect.provide(ClientLayers.layerIsolated)
  )
}

/** What the thin client calls after it has loaded this bundle. */
export const full: Full = {
  run: (options, line, self) => {
    const { client } = options
    const controller = new AbortController()
    const environment = defined(line.environment)
    const place = { directory: line.directory, environment, runtimeDirectory: options.runtimeDirectory, self }
    const program =
      client === undefined
        ? foreground(line)
        : client.name === "daemon"
          ? DaemonCommand.run(options, client.words, self)
          : client.name === "repl"
            ? Effect.flatMap(
                Effect.promise(() => import("./repl/Repl.ts")),
                (Repl) => Repl.run({ entry: options, words: client.words, line, environment, self })
              )
            : Effect.flatMap(
                Effect.promise(() => import("./commands/ClientCommands.ts")),
                (ClientCommands) => ClientCommands.run(options, client.name, client.words, place)
              )
    // The daemon and the prompt handle signals themselves; other commands are interrupted, which ends their sessions.
    if (client?.name !== "daemon" && client?.name !== "repl") {
      process.once("SIGINT", () => controller.abort())
      process.once("SIGTERM", () => controller.abort())
    }
    // A reader that closes its end, as `head` does, ends the command, and with it its sessions, as SIGPIPE would.
    let failure: unknown
    const onError = (error: unknown) => {
      failure ??= error
      controller.abort()
    }
    process.stdout.on("error", onError)
    process.stderr.on("error", onError)
    return (
      Effect.runPromise(program, { signal: controller.signal })
        .catch((error: unknown) => {
          if (controller.signal.aborted) return 130
          process.stderr.write(`error: ${String(error)} [INTERNAL]\nhint: sigtrap daemon logs\n`)
          return 9
        })
        // The error of a stream is reported after the write has ended.
        .then(
          (code) =>
            new Promise((resolve) =>
              setImmediate(() => resolve(failure === undefined ? code : StandardStreams.unwritten(failure)))
            )
        )
    )
  }
}

/** Runs `daemon run` without options and resolves to its exit code. */
export const daemon = (): Promise<number> => {
  const words = ["daemon", "run"]
  return full.run(EarlyOptions.parse(words, process.env["SIGTRAP_FORMAT"]), TypedLine.make(words), undefined)
}
