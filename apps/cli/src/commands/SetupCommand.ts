/**
 * `sigtrap setup`: installs a debug adapter with the package manager of the system. If the package manager does not have
 * it, it prints the commands and runs nothing.
 */
import { Directories } from "@sigtrap/host"
import * as Adapters from "@sigtrap/host/Adapters"
import { Errors, Hint, Nearest } from "@sigtrap/protocol"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { readdirSync, rmSync } from "node:fs"
import { resolve } from "node:path"
import * as AdapterInstallation from "./AdapterInstallation.ts"
import type { Answer, Command, Place } from "./ClientCommand.ts"
import * as Arguments from "./Arguments.ts"

/** Every adapter that can be installed. */
const sources = Adapters.installations

/** Returns the command that installs an adapter. */
export const remedy = (name: string): string => `sigtrap setup ${name}`

/** The result for one adapter. */
interface Result {
  readonly name: string
  readonly path?: string
  readonly version?: string
  readonly already?: true
  readonly command?: ReadonlyArray<string>
  readonly instruction?: string
  /** The command after which sigtrap finds the adapter in its directory. */
  readonly use?: string
  readonly removed?: ReadonlyArray<string>
  readonly ran?: boolean
  readonly problem?: string
  readonly remedy?: string
}

const usableOf = (all: ReadonlyArray<Adapters.Adapter>, name: string) =>
  all.find((one) => one.name === name && one.path !== undefined && one.problem === undefined)

const usable = (name: string, place: Place) =>
  Effect.map(Adapters.discover(place.environment), (all) => usableOf(all, name))

/** Runs a command and returns its exit code. Its output goes to stderr, so stdout stays one JSON document. */
const runInstaller = ({ command, env = {} }: AdapterInstallation.Step, place: Place) =>
  Effect.sync(() => {
    const [program = "", ...args] = command
    process.stderr.write(`running ${command.join(" ")}\n`)
    return spawnSync(program, args, { stdio: ["inherit", 2, 2], env: { ...place.environment, ...env } }).status
  })

const requireRoot = Effect.fnUntraced(function* ({ command }: AdapterInstallation.Step) {
  if (process.geteuid?.() === 0 || command[0] === "xcode-select") return
  const line = command.join(" ")
  return yield* new Errors.Permission({ detail: `${line} needs root`, remedies: [Hint.remedy(`sudo ${line}`)] })
})

/** Installs an adapter into the directory of `--dir`, or removes it from there. */
const setupInDirectory = Effect.fnUntraced(function* (
  source: AdapterInstallation.Source,
  directory: string,
  words: Arguments.Words,
  place: Place
) {
  const { flags, values } = words
  const { into, name } = source
  if (into === undefined) {
    return yield* new Errors.Unsupported({
      what: `a directory for ${name}`,
      by: "its package manager",
      remedies: [Hint.local("setup", [name])]
    })
  }
  const there = AdapterInstallation.installedFiles(into, directory)
  if (flags.has("uninstall")) {
    if (!flags.has("dry-run")) {
      yield* Effect.sync(() => there.forEach((file) => rmSync(file, { recursive: true, force: true })))
    }
    return { name, removed: there, ran: !flags.has("dry-run") } satisfies Result
  }
  const use = AdapterInstallation.findingCommand(name, into, directory)
  const [path = directory] = there
  if (there.length > 0 && !flags.has("force")) return { name, path, use, already: true } satisfies Result
  const absent: Result = { name, problem: `${name} is not in ${directory}`, remedy: remedy(name) }
  if (flags.has("check") || flags.has("path")) return absent
  const step = { command: into.command(directory, values.get("version")), env: into.env(directory) }
  if (flags.has("dry-run")) return { name, command: step.command, use, ran: false } satisfies Result
  if (flags.has("offline"))
    return { ...absent, problem: `${step.command.join(" ")} needs the network; --offline forbids it` } satisfies Result
  yield* Effect.sync(() => Directories.make(directory, 0o755))
  const status = yield* runInstaller(step, place)
  const [now] = AdapterInstallation.installedFiles(into, directory)
  const result: Result =
    status === 0 && now !== undefined
      ? { name, path: now, command: step.command, use, ran: true }
      : { ...absent, problem: `${step.command.join(" ")} ended with ${status ?? "a signal"}`, ran: true }
  return result
})

/** Uninstalls an adapter with the package manager. */
const uninstall = Effect.fnUntraced(function* (
  source: AdapterInstallation.Source,
  words: Arguments.Words,
  place: Place
) {
  const { name } = source
  const known = yield* usable(name, place)
  if (known?.path === undefined) return { name, removed: [] } satisfies Result
  const step = AdapterInstallation.removal(source, known.path, place)
  if (step === undefined) return { name, instruction: `remove ${known.path}` } satisfies Result
  if (words.flags.has("dry-run")) return { name, command: step.command, ran: false } satisfies Result
  yield* requireRoot(step)
  const status = yield* runInstaller(step, place)
  const result: Result =
    status === 0
      ? { name, command: step.command, removed: [known.path], ran: true }
      : { name, problem: `${step.command.join(" ")} ended with ${status ?? "a signal"}`, remedy: "sigtrap adapters" }
  return result
})

const setupAdapter = Effect.fnUntraced(function* (
  source: AdapterInstallation.Source,
  words: Arguments.Words,
  place: Place
) {
  const { flags, values } = words
  const { name } = source
  const dir = values.get("dir")
  if (dir !== undefined) return yield* setupInDirectory(source, resolve(place.directory, dir), words, place)
  if (flags.has("uninstall")) return yield* uninstall(source, words, place)
  const known = yield* usable(name, place)
  const found = (adapter: Adapters.Adapter): Result => ({
    name,
    ...(adapter.path === undefined ? {} : { path: adapter.path }),
    ...(adapter.version === undefined ? {} : { version: adapter.version })
  })
  if (known !== undefined && !flags.has("force") && !flags.has("dry-run")) {
    return { ...found(known), already: true } satisfies Result
  }
  const absent: Result = { name, problem: `${name} is not installed`, remedy: remedy(name) }
  if (flags.has("check") || flags.has("path")) return absent
  const step = AdapterInstallation.installation(source, values.get("version"), place)
  if (step === undefined) {
    const { instruction } = source
    if (flags.has("dry-run")) return { name, instruction } satisfies Result
    return { ...absent, problem: `${name} is not installed; ${instruction}`, instruction } satisfies Result
  }
  const { command } = step
  if (flags.has("dry-run")) return { name, command, ran: false } satisfies Result
  const line = command.join(" ")
  if (flags.has("offline"))
    return { ...absent, problem: `${line} needs the network; --offline forbids it`, command } satisfies Result
  yield* requireRoot(step)
  const status = yield* runInstaller(step, place)
  const now = yield* usable(name, place)
  const result: Result =
    status === 0 && now !== undefined
      ? { ...found(now), command, ran: true }
      : {
          ...absent,
          problem: `${line} ended with ${status ?? "a signal"} and ${name} is not installed`,
          command,
          ran: true
        }
  return result
})

const textOf = ({ command, instruction, name, path, problem, ran, removed, use }: Result, several: boolean): string => {
  const how = ran === false ? "would be removed" : "removed"
  const gone = removed?.length === 0 ? `${name} is not installed` : removed?.map((file) => `${file} ${how}`).join("\n")
  const said = gone ?? path ?? (command === undefined ? instruction : command.join(" ")) ?? problem ?? ""
  return `${several ? `${name}: ` : ""}${said}\n${use === undefined || removed !== undefined ? "" : `${use}\n`}`
}

/** Returns the adapters that debug the files of a directory. */
const adaptersFor = (directory: string): ReadonlyArray<AdapterInstallation.Source> => {
  const files = readdirSync(directory).flatMap((name) => [name])
  return sources.filter((source) => files.some((name) => source.for.test(name)))
}

/** Runs `setup`. */
export const setup: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Arguments.read("setup", argv))
  if (words.flags.has("list")) {
    const discovered = yield* Adapters.discover(place.environment)
    const all = sources.map(({ name }) => {
      const found = usableOf(discovered, name)
      return { name, ...(found?.path === undefined ? { remedy: remedy(name) } : { path: found.path }) }
    })
    const text = all
      .map(({ name, ...rest }) => `${name.padEnd(9)} ${"path" in rest ? rest.path : "not installed"}\n`)
      .join("")
    return { text, data: { adapters: all } }
  }
  const names = words.words.length === 0 && !words.flags.has("auto") ? ["lldb-dap"] : words.words
  const chosen = words.flags.has("auto") ? [...adaptersFor(place.directory)] : []
  for (const name of names) {
    const source = sources.find((known) => known.name === name)
    if (source === undefined) {
      const all = sources.map((known) => known.name)
      const near = Nearest.names(name, all)
      return yield* new Errors.Usage({
        problem: `unknown adapter '${name}'; adapters: ${all.join(", ")}`,
        near,
        remedies: [Hint.local("setup", ["--list"])]
      })
    }
    chosen.push(source)
  }
  const results = yield* Effect.forEach(chosen, (source) => setupAdapter(source, words, place))
  const failed = results.filter(({ problem }) => problem !== undefined)
  const answer: Answer = {
    text: results
      .filter(({ problem }) => problem === undefined)
      .map((each) => textOf(each, results.length > 1))
      .join(""),
    data: { adapters: results }
  }
  if (failed.length === 0) return answer
  const message = failed.map(({ problem }) => problem).join("; ")
  const { instruction, name = "lldb-dap" } = failed[0] ?? {}
  // What a person has to install is tried by `doctor` afterwards.
  const hint = instruction === undefined ? Hint.local("setup", [name]) : Hint.local("doctor", [name])
  return { ...answer, problem: { code: "TOOL_MISSING", exit: 8, message, hints: [hint] } }
})
