/**
 * The thin client: sends the command line to the daemon, copies the answer to the standard streams, and exits with the
 * daemon's exit code.
 *
 * It runs at every command, so it loads few modules; `world.full` loads the rest for slow commands. The entry module
 * supplies `dial`, because Bun opens a socket faster than Node's API.
 */
import type { Command } from "@sigtrap/host/daemon/start/Launcher"
import type * as AnswerFile from "@sigtrap/host/runtime/AnswerFile"
import * as NodeVersion from "@sigtrap/host/runtime/NodeVersion"
import type { Run } from "@sigtrap/host/ServerEntry"
import * as RuntimePath from "@sigtrap/host/runtime/RuntimePath"
import { answer as version, product, protocol } from "@sigtrap/host/daemon/Version"
import * as ErrorDocument from "@sigtrap/protocol/ErrorDocument"
import { readFileSync } from "node:fs"
import * as DaemonCall from "./DaemonCall.ts"
import * as EarlyOptions from "./EarlyOptions.ts"
import * as FixedAnswers from "./FixedAnswers.ts"
import * as StandardStreams from "./StandardStreams.ts"
import * as TypedLine from "./TypedLine.ts"
import type { CommandLine, Outcome } from "./Wire.ts"

/** The bundle that is loaded on demand. */
export interface Full {
  /** Runs a command line in this process and resolves to the exit code. `self` starts this program again. */
  readonly run: (options: EarlyOptions.EarlyOptions, line: CommandLine, self: Command | undefined) => Promise<number>
}

/** A server that is part of this program, by the name of its command. */
type Server = "mcp" | "serve"

/** Options with which `serve` runs in this process. */
const isServedHere = (word: string): boolean => word === "--isolated"

/** The functions that differ between the Node and Bun builds. */
export interface World {
  /** Connects; `undefined` if no daemon listens on the socket. */
  readonly dial: (socket: string, listener: DaemonCall.Listener) => Promise<DaemonCall.Wire | undefined>
  /** The file of the fixed answers; undefined if this program was not built. */
  readonly answers: AnswerFile.Source | undefined
  /** Loads the rest of the program. */
  readonly full: () => Promise<Full>
  /** Loads a server, or the start of one: what runs the words after its name in this process. */
  readonly server: (name: Server) => Promise<Run>
  /** Returns the command that starts this program as the daemon; `undefined` if the runtime is too old. */
  readonly self: () => Promise<Command | undefined>
}

/** Time in which a daemon of another version must have been replaced, in milliseconds. */
const REPLACEMENT = 10_000

/** Returns the message after Ctrl-C. */
const interruption = ({ endsProgram, leavesStopped, starts }: EarlyOptions.EarlyOptions): string =>
  endsProgram
    ? "the run is given up, and its program is ended\nhint: sigtrap sessions"
    : leavesStopped
      ? "no longer waiting for the answer\nhint: sigtrap status"
      : starts
        ? "no longer waiting; a program that has started keeps running\nhint: sigtrap sessions"
        : "no longer waiting; the program keeps running\nhint: sigtrap pause"

/** An error that the thin client reports itself. */
interface Problem {
  readonly code: string
  readonly exit: number
  readonly message: string
  readonly hint: Hint
}

/** A hint as `Envelope` shows it: a call without input, a local command, or a remedy outside sigtrap. */
interface Hint extends ErrorDocument.ShownHint {
  readonly operation?: string
  readonly input?: object
  readonly local?: true
  readonly note?: string
}

const call = (operation: string): Hint => ({ operation, input: {}, text: `sigtrap ${operation}` })

const local = (words: string): Hint => ({
  operation: words.replaceAll(" ", "."),
  input: {},
  local: true,
  text: `sigtrap ${words}`
})

const remedy = (note: string): Hint => ({ note, text: note })

const unreachable = (message: string, hint: Hint): Problem => ({
  code: "DAEMON_UNREACHABLE",
  exit: 11,
  message: `the daemon cannot be reached: ${message}`,
  hint
})

const fail = (entry: EarlyOptions.EarlyOptions, problem: Problem): void => {
  const { code, message, hint } = problem
  if (entry.json) {
    const document = ErrorDocument.make({ code, message, hints: [hint], details: {} }, { cmd: entry.command })
    StandardStreams.write("Stdout", `${JSON.stringify(document)}\n`)
  } else StandardStreams.write("Stderr", `error: ${message} [${code}]\nhint: ${hint.text}\n`)
  StandardStreams.exit(problem.exit)
}

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** Returns the words of a command line; `batch -` becomes a script of the lines on the standard input. */
const withInput = ({ argv, command }: EarlyOptions.EarlyOptions): ReadonlyArray<string> => {
  const end = argv.indexOf("--")
  const place = argv.findIndex(
    (word, at) =>
      argv[at + 1] === "-" &&
      (end === -1 || at < end) &&
      (word === "batch" || (word === "--file" && /^(?:script|do|batch)$/.test(command ?? "")))
  )
  if (place === -1) return argv
  // Begins with a line break, because a text that begins with a dash would be read as an option.
  const text = `\n${readFileSync(0, "utf8")}`
  const words = argv[place] === "batch" ? ["script", text] : [text]
  return [...argv.slice(0, place), ...words, ...argv.slice(place + 2)]
}

const tooOld: Problem = {
  code: "VERSION_TOO_OLD",
  exit: 8,
  message: NodeVersion.problem("the daemon"),
  hint: remedy(NodeVersion.remedy)
}

/** Starts a daemon and connects to it. */
const start = async (
  world: World,
  place: RuntimePath.Place,
  listener: DaemonCall.Listener
): Promise<DaemonCall.Wire | Problem> => {
  const { Startup } = await import("@sigtrap/host/daemon/start/Startup")
  const command = await world.self()
  if (command === undefined) return tooOld
  const startup = new Startup(command, place)
  while (true) {
    const problem = startup.next()
    if (problem !== undefined) return unreachable(problem, remedy(`tail ${place.log}`))
    await pause(2)
    const wire = await world.dial(place.socket, listener)
    if (wire !== undefined) return wire
  }
}

const report = (entry: EarlyOptions.EarlyOptions, outcome: Outcome): void => {
  if (outcome._tag === "Exit") return StandardStreams.exit(outcome.code)
  if (outcome._tag === "Refused") return fail(entry, { ...outcome, hint: remedy(outcome.note) })
  if (outcome._tag === "Broken") {
    const message = `${outcome.problem} during this command, which may or may not have run`
    return fail(entry, unreachable(message, outcome.silent === true ? local("daemon status") : call("status")))
  }
  const [versions, own] = outcome.ended ? ["version", product] : ["protocol", protocol]
  fail(entry, {
    code: "DAEMON_VERSION",
    exit: 11,
    message: `the daemon has ${versions} ${outcome.daemon}, this client ${own}; the daemon has ${outcome.sessions} live ${outcome.sessions === 1 ? "session" : "sessions"}`,
    hint: local("daemon restart")
  })
}

const interrupted = (entry: EarlyOptions.EarlyOptions, partial: string): void => {
  if (partial !== "") StandardStreams.write("Stdout", partial)
  StandardStreams.write("Stderr", `interrupted: ${interruption(entry)}\n`)
  StandardStreams.exit(130)
}

/** Runs a command that needs no daemon in this process, or in a newer Node if this one is too old. */
const runHere = async (entry: EarlyOptions.EarlyOptions, words: ReadonlyArray<string>, world: World): Promise<void> => {
  const self = await world.self()
  if (self === undefined) return fail(entry, tooOld)
  if (NodeVersion.isTooOld()) {
    const { spawnSync } = await import("node:child_process")
    return StandardStreams.exit(spawnSync(self.program, [...self.args, ...words], { stdio: "inherit" }).status ?? 1)
  }
  const full = await world.full()
  StandardStreams.exit(await full.run(entry, TypedLine.make(entry.argv), self))
}

/** Runs a server in this process, or in a newer Node if this one is too old. The server reads the words after its name. */
const runServer = async (
  entry: EarlyOptions.EarlyOptions,
  { name, words }: { readonly name: Server; readonly words: ReadonlyArray<string> },
  world: World
): Promise<void> => {
  if (entry.runtimeDirectory !== undefined) process.env[RuntimePath.VARIABLE] = entry.runtimeDirectory
  if (!NodeVersion.isTooOld()) return (await world.server(name))(words, world.self)
  const self = await world.self()
  if (self === undefined) return fail(entry, tooOld)
  const { spawn } = await import("node:child_process")
  const child = spawn(self.program, [...self.args, name, ...words], { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))
  child.once("error", ({ message }) => fail(entry, { ...tooOld, message: `${self.program}: ${message}` }))
  child.once("exit", (code) => StandardStreams.exit(code ?? 1))
}

/** Prints the version of this program, which needs no daemon. */
const printVersion = ({ json }: EarlyOptions.EarlyOptions): void => {
  const document = { ok: true, cmd: "version", data: version.data, warnings: [], truncated: [] }
  StandardStreams.write("Stdout", json ? `${JSON.stringify(document)}\n` : version.text)
  StandardStreams.exit(0)
}

/** Returns what a command prints that has a fixed answer; undefined for others. */
const fixedAnswer = ({ argv, describes, json }: EarlyOptions.EarlyOptions, { answers }: World): string | undefined => {
  if (!describes || answers === undefined) return undefined
  const key = FixedAnswers.keyOf(argv.filter((word) => word !== "--json"))
  const answer = key === undefined ? undefined : FixedAnswers.read(answers, key)
  return key === undefined || answer === undefined ? undefined : FixedAnswers.print(key, answer, json)
}

const parse = (words: ReadonlyArray<string>) => EarlyOptions.parse(words, process.env["SIGTRAP_FORMAT"])

/** Runs one command line. `isAlone` is true if no daemon listened just now. */
export const run = async (words: ReadonlyArray<string>, world: World, isAlone = false): Promise<void> => {
  const entry = parse(words)
  if (entry.printsVersion) return printVersion(entry)
  const fixed = fixedAnswer(entry, world)
  if (fixed !== undefined) {
    StandardStreams.write("Stdout", fixed)
    return StandardStreams.exit(0)
  }
  const { client } = entry
  // `serve` starts the server of the daemon unless it is to run here.
  const servesHere = client?.name === "serve" && (entry.foreground || client.words.some(isServedHere))
  if (client?.name === "mcp" || (client?.name === "serve" && servesHere)) {
    return runServer(entry, { name: client.name, words: client.words }, world)
  }
  if (client !== undefined || entry.foreground) return runHere(entry, words, world)
  const uid = process.geteuid?.() ?? -1
  const place = RuntimePath.resolve({ explicit: entry.runtimeDirectory, environment: process.env, uid })
  if (place._tag === "Refusal") {
    return fail(
      entry,
      unreachable(`the runtime directory ${place.directory} is refused: ${place.problem}`, remedy(place.remedy))
    )
  }

  const line = TypedLine.make(withInput(entry))
  let call: DaemonCall.DaemonCall | undefined
  let isFirst = true
  let deadline: number | undefined

  /** Connects and sends the command line; again after a daemon of another version has ended. */
  const converse = async (): Promise<void> => {
    const current = DaemonCall.make((outcome) => {
      if (outcome._tag !== "Version" || !outcome.ended) return report(entry, outcome)
      deadline ??= performance.now() + REPLACEMENT
      if (performance.now() > deadline) return report(entry, outcome)
      void pause(10).then(converse)
    })
    call = current
    let wire = isAlone && isFirst ? undefined : await world.dial(place.socket, current.listener)
    isFirst = false
    if (wire === undefined) {
      if (entry.describes) return runHere(entry, words, world)
      if (!entry.startsDaemon)
        return fail(entry, unreachable(`no daemon listens on ${place.socket}`, local("daemon start")))
      const started = await start(world, place, current.listener)
      if ("code" in started) return fail(entry, started)
      wire = started
    }
    current.start(wire, line, entry.startsDaemon)
  }

  await converse()
  process.once("SIGINT", () => interrupted(entry, call?.interrupt() ?? ""))
}

/** Reports that the daemon sent no exit code. A daemon that ended for another version is replaced. */
export const end = (words: ReadonlyArray<string>, outcome: Outcome, world: World): void => {
  if (outcome._tag === "Version" && outcome.ended) void run(words, world)
  else report(parse(words), outcome)
}

/** Ends a command line after Ctrl-C; `partial` is what it has found so far. */
export const interrupt = (words: ReadonlyArray<string>, partial: string): void => interrupted(parse(words), partial)
