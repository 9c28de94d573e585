/**
 * Runs scenarios with this program's commands, processes and adapters.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ClientLayers, FileReader, Platform } from "@sigtrap/host"
import * as Adapters from "@sigtrap/host/Adapters"
import { Commands as Port, FileLookup, Machine, Runner } from "@sigtrap/scenario"
import { Effect, Layer, Result, Stream } from "effect"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import * as CommandRunner from "../runner/CommandRunner.ts"
import * as Commands from "@sigtrap/protocol/grammar/Commands"

/** Returns the command at the start of a line. */
export const resolve: Port["Service"]["resolve"] = (words) => {
  const command = Commands.resolve(words)?.command
  if (command === undefined) return undefined
  const takesTimeout = command.options.some(({ field }) => field === "timeout")
  return { name: command.name, operation: command.operation, takesTimeout }
}

const argvOf: Port["Service"]["argvOf"] = (tag, input) => {
  const command = Commands.all.find(({ operation }) => operation._tag === tag)
  return command === undefined ? [] : Commands.argvOf(command.operation, input)
}

/** Runs one command line without a terminal. */
export const runLine: Port["Service"]["run"] = Effect.fnUntraced(function* (line) {
  const terminal = { stdout: false, stderr: false, columns: 80, color: false }
  const pieces = yield* Stream.runCollect(CommandRunner.exec({ ...line, terminal }))
  const text = (tag: "Stdout" | "Stderr") => pieces.map((piece) => (piece._tag === tag ? piece.text : "")).join("")
  const last = pieces.at(-1)
  return { stdout: text("Stdout"), stderr: text("Stderr"), exit: last?._tag === "Exit" ? last.code : 1 }
})

const commands = Layer.succeed(Port, { resolve, argvOf, run: runLine, manager: ClientLayers.layerIsolated })

const runProgram: Machine["Service"]["run"] = ({ background = false, command, directory, environment }) =>
  Effect.callback((resume) => {
    const [program, ...args] = command
    const output = background ? "ignore" : "pipe"
    const child = spawn(program, args, { cwd: directory, env: environment, stdio: ["ignore", output, output] })
    let stdout = ""
    let stderr = ""
    const pid = child.pid ?? 0
    child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += String(text)))
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += String(text)))
    child.on("error", (error) =>
      resume(Effect.succeed({ exit: 127, stdout, stderr: `${stderr}${String(error)}\n`, pid }))
    )
    if (background) {
      child.unref()
      child.on("spawn", () => resume(Effect.succeed({ exit: 0, stdout, stderr, pid })))
      return
    }
    // `close` would come late: a background process of the program may keep the streams open.
    child.on("exit", (code) => setImmediate(() => resume(Effect.succeed({ exit: code ?? 1, stdout, stderr, pid }))))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Finds processes in /proc, so only on Linux. */
const withEnvironment: Machine["Service"]["withEnvironment"] = (entries) =>
  Effect.sync(() => {
    const names = Result.getOrElse(
      Result.try(() => readdirSync("/proc")),
      () => []
    )
    const environmentOf = (pid: string) =>
      Result.getOrElse(
        Result.try(() => readFileSync(`/proc/${pid}/environ`, "latin1").split("\0")),
        () => []
      )
    return names
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => environmentOf(pid).some((entry) => entries.includes(entry)))
      .map(Number)
  })

/** Timeout for the exit of a killed process, in milliseconds. */
const KILL_WAIT = 2000

const machine = Layer.succeed(Machine, {
  platform: process.platform,
  read: (file) => Effect.mapError(FileReader.reader.text(file, FileReader.named), ({ detail }) => detail),
  adapters: (environment) =>
    Effect.map(Adapters.discover(environment), (found) =>
      found.flatMap(({ name, path, problem }) => (path === undefined || problem !== undefined ? [] : [name]))
    ),
  run: runProgram,
  withEnvironment,
  kill: (pid) =>
    Effect.sync(() => Result.try(() => process.kill(pid, "SIGKILL"))).pipe(
      Effect.andThen(Platform.awaitExit(pid, KILL_WAIT)),
      Effect.asVoid
    ),
  running: Platform.running
})

/** Options of a run. */
export type Options = Runner.Options

/** The implementations of the ports that scenarios use. */
const layer = Layer.mergeAll(commands, machine, NodeServices.layer)

/** Runs one scenario of a file, the first by default. */
export const run = (file: string, options: Options, index = 0): Effect.Effect<Runner.Outcome> =>
  Effect.provide(Runner.run(file, options, index), layer)

/** Runs one scenario of a text. `file` is the path for messages and relative paths. */
export const runText = (text: string, file: string, options: Options, index = 0): Effect.Effect<Runner.Outcome> =>
  Effect.provide(Runner.runText(text, file, options, index), layer)

/** Returns the directory in which a scenario's commands run. */
export const home = (...scenario: Parameters<typeof FileLookup.home>): Effect.Effect<string> =>
  Effect.provide(FileLookup.home(...scenario), layer)
