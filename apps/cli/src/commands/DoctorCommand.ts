/**
 * `sigtrap adapters` lists the installed debug adapters; `sigtrap doctor` tests them.
 *
 * The test compiles or writes a small program and debugs it with each adapter by launch, attach, core file and remote
 * target. Its files and processes are removed afterwards.
 */
import { Config } from "@sigtrap/host"
import * as Adapters from "@sigtrap/host/Adapters"
import * as AdapterSockets from "@sigtrap/host/process/AdapterSockets"
import * as SimulatorCheck from "@sigtrap/host/SimulatorCheck"
import { Errors, Hint, Nearest, Settings } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, delimiter, isAbsolute, join } from "node:path"
import * as ScenarioRunner from "./ScenarioRunner.ts"
import type { Answer, Command, Place } from "./ClientCommand.ts"
import * as SetupCommand from "./SetupCommand.ts"
import * as TrialVerdict from "./TrialVerdict.ts"
import * as Arguments from "./Arguments.ts"

interface Adapter {
  readonly name: string
  readonly languages: ReadonlyArray<string>
  readonly path?: string
  readonly version?: string
  /** How the lldb backend recognizes the end of a command's output. */
  readonly marker?: string
  readonly modes: { readonly [way in Adapters.Trials.Way]: TrialVerdict.Mode }
  /** Why a way was not tested, if the adapter works. */
  readonly untested?: { readonly [way in Adapters.Trials.Way]?: string }
  readonly problem?: string
  readonly remedy?: string
}

interface Fact {
  readonly what: string
  readonly value: string
  readonly remedy?: string
}

const ways = ["launch", "attach", "core", "remote"] as const

const missing = (data: object, text: string, what: string, name = "lldb-dap"): Answer => ({
  text,
  data,
  problem: { code: "TOOL_MISSING", exit: 8, message: what, hints: [Hint.local("setup", [name])] }
})

const written = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** Returns the line of an adapter that is known before its tests. */
const headOf = ({ name, path, version }: Pick<Adapter, "name" | "path" | "version">): string =>
  written([`${name}${version === undefined ? "" : ` ${version}`}  ${path ?? "not found"}`])

/** Returns the lines of an adapter after its tests: how each ended, unless none was made, then the problem. */
const resultOf = ({ modes, path, problem, remedy, untested = {} }: Adapter): string => {
  const wasTested = ways.some((way) => modes[way] !== "missing" && modes[way] !== "untested")
  const results = ways.map((way) => `${way} ${modes[way]}${untested[way] === undefined ? "" : ` (${untested[way]})`}`)
  return written([
    ...(wasTested ? [`  ${results.join(", ")}`] : []),
    // The line above says of an adapter without a path that it was not found.
    ...(problem === undefined || path === undefined ? [] : [`  ${problem}`]),
    ...(problem === undefined ? [] : [`  remedy: ${remedy ?? ""}`])
  ])
}

const factLines = (system: ReadonlyArray<Fact>): string =>
  written(
    system.flatMap(({ remedy, value, what }) => [
      `${what}: ${value}`,
      ...(remedy === undefined ? [] : [`  remedy: ${remedy}`])
    ])
  )

/** The caller's configuration, and its environment with the configured paths of adapters. */
interface Caller {
  readonly environment: Place["environment"]
  readonly settings: Settings.Values
}

const callerOf = (place: Place): Effect.Effect<Caller, Errors.InvalidConfig> =>
  Effect.map(Config.values(place), (settings) => ({
    settings,
    environment: Adapters.withConfiguredPaths(place.environment, settings)
  }))

const selected = Effect.fnUntraced(function* (words: Arguments.Words, { environment, settings }: Caller) {
  const [name] = words.words
  const found = yield* Adapters.discover(environment, settings)
  if (name === undefined) return found
  const chosen = found.filter((one) => one.name === name || one.path === name || basename(one.path ?? "") === name)
  if (chosen.length > 0) return chosen
  const near = Nearest.names(
    name,
    found.map((one) => one.name)
  )
  return yield* new Errors.Usage({ problem: `there is no adapter '${name}'`, near, remedies: [Hint.local("adapters")] })
})

const everyWay = (mode: TrialVerdict.Mode): Adapter["modes"] => ({
  launch: mode,
  attach: mode,
  core: mode,
  remote: mode
})

/** Returns an adapter as discovered, before its tests. */
const listed = (adapter: Adapters.Adapter): Adapter => ({
  ...Adapters.described(adapter),
  ...(adapter.marker === undefined ? {} : { marker: adapter.marker }),
  modes: everyWay(adapter.path === undefined ? "missing" : "untested")
})

/** Runs `adapters`. */
export const adapters: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Arguments.read("adapters", argv))
  const installed = (yield* selected(words, yield* callerOf(place))).map(listed)
  const lines = installed.map(
    ({ languages, name, path, problem, version }) =>
      `${name.padEnd(10)} ${(version ?? "").padEnd(8)} ${path ?? problem ?? "not found"}  (${languages.join(", ")})`
  )
  const answer: Answer = { text: `${lines.join("\n")}\n`, data: { adapters: installed } }
  return installed.some(({ path }) => path !== undefined)
    ? answer
    : missing({ adapters: installed }, answer.text, "no debug adapter is installed")
})

const textOf = (file: string): string | undefined =>
  Result.getOrElse(
    Result.try(() => readFileSync(file, "utf8").trim()),
    () => undefined
  )

/** Returns the kernel settings that limit debugging. */
const system = (): ReadonlyArray<Fact> => {
  const scope = textOf("/proc/sys/kernel/yama/ptrace_scope")
  const meaning: { readonly [level: string]: Omit<Fact, "what"> } = {
    0: { value: "0, you can attach to every process you own" },
    1: { value: "1, a debugger can attach only to its children", remedy: "sudo sysctl kernel.yama.ptrace_scope=0" },
    2: { value: "2, only root can attach", remedy: "sudo sysctl kernel.yama.ptrace_scope=0" },
    3: { value: "3, attach is disabled until the next boot", remedy: "reboot with kernel.yama.ptrace_scope=0" }
  }
  const pattern = textOf("/proc/sys/kernel/core_pattern")
  const piped = pattern?.startsWith("|") === true
  return [
    ...(scope === undefined ? [] : [{ what: "ptrace_scope", ...(meaning[scope] ?? { value: scope }) }]),
    ...(pattern === undefined
      ? []
      : [
          {
            what: "core_pattern",
            value: piped ? `${pattern}, core files go to this program` : `${pattern}, the name of core files`,
            ...(piped ? { remedy: "coredumpctl dump -o core PID, then: sigtrap core core --program PROGRAM" } : {})
          }
        ])
  ]
}

/** Returns the newest debug server of each kind on PATH. */
const serversOn = (place: Place): ReadonlyArray<Adapters.Trials.Server> => {
  const files = (place.environment["PATH"] ?? "")
    .split(delimiter)
    .filter((directory) => isAbsolute(directory) && existsSync(directory))
    .flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)))
  const newest = (kind: Adapters.Trials.Server["kind"], names: RegExp) => {
    const path = files
      .filter((file) => names.test(file))
      .toSorted()
      .at(-1)
    return path === undefined ? [] : [{ kind, path }]
  }
  return [...newest("lldb-server", /\/lldb-server(?:-\d+)?$/), ...newest("gdbserver", /\/gdbserver$/)]
}

const runTrial = Effect.fnUntraced(function* (way: Adapters.Trials.Way, found: Adapters.Adapter, place: Place) {
  const { name, path = "", trials } = found
  const untested: TrialVerdict.TrialVerdict = { way, mode: "untested" }
  if (trials === undefined) return untested
  const context = { name, path, servers: serversOn(place), port: yield* AdapterSockets.freePort }
  const scenario = Adapters.Trials.scenario(trials, way, context)
  if (scenario === undefined) return { ...untested, reason: Adapters.Trials.untested(trials, way, context) }
  const outcome = yield* ScenarioRunner.runText(scenario, "doctor", {
    // The adapter's variable is set, because its file may have another name.
    environment: { ...place.environment, [Settings.adapterVariable(name)]: path },
    // This scenario names the adapter itself, once to write the core file and once to open it.
    ...(way === "core" ? {} : { adapter: name }),
    keep: false
  })
  return TrialVerdict.of(way, outcome, found)
})

const testAdapter = Effect.fnUntraced(function* (found: Adapters.Adapter, place: Place) {
  const adapter = listed(found)
  if (found.path === undefined || found.problem !== undefined) return adapter
  if (found.trials === undefined) {
    const remedy = `set adapters.${found.name}.sample to a program that it can run`
    return { ...adapter, problem: "it was not tested: no program is known for it", remedy }
  }
  // Each takes seconds. This is for a person who waits and does not see the output.
  if (process.stderr.isTTY && !process.stdout.isTTY) process.stderr.write(`testing ${found.name} ${found.path} ...\n`)
  const first = yield* runTrial("launch", found, place)
  // An adapter that cannot launch a program is not tested further.
  const others = first.mode === "ok" ? yield* Effect.forEach(ways.slice(1), (way) => runTrial(way, found, place)) : []
  const tried = [first, ...others]
  const modes = { ...adapter.modes, ...Object.fromEntries(tried.map(({ mode, way }) => [way, mode])) }
  const failed = tried.find(({ problem }) => problem !== undefined)
  const untested = tried.flatMap(({ reason, way }) => (reason === undefined ? [] : [[way, reason] as const]))
  const tested: Adapter = {
    ...adapter,
    modes,
    ...(untested.length === 0 ? {} : { untested: Object.fromEntries(untested) }),
    ...(failed?.problem === undefined
      ? {}
      : { problem: failed.problem, remedy: failed.remedy ?? found.remedy ?? SetupCommand.remedy(found.name) })
  }
  return tested
})

/** Checks whether apps in simulators can be debugged. */
const simulators = (place: Place) =>
  SimulatorCheck.check(place.environment).pipe(
    Effect.map((checks) => ({
      data: { ok: checks.every(({ ok }) => ok), checks },
      lines: [
        "simulators",
        ...checks.map(
          ({ found, name, ok, remedy }) =>
            `  ${ok ? "ok" : "problem"} ${name}: ${found}${remedy === undefined ? "" : `; remedy: ${remedy}`}`
        )
      ]
    })),
    Effect.catch(({ message }) =>
      Effect.succeed({ data: { ok: false, problem: message }, lines: [`simulators  ${message}`] })
    )
  )

/** Runs `doctor`, which succeeds if at least one native debugger can launch a program, or the named adapter can. */
export const doctor: Command = Effect.fnUntraced(function* (argv, given) {
  const words = yield* Effect.fromResult(Arguments.read("doctor", argv))
  const caller = yield* callerOf(given)
  const place = { ...given, environment: caller.environment }
  const { print = () => Effect.void } = place
  const facts = system()
  yield* print(factLines(facts))
  const tested = yield* Effect.forEach(
    yield* selected(words, caller),
    Effect.fnUntraced(function* (found) {
      yield* print(headOf(found))
      const adapter = yield* testAdapter(found, place)
      yield* print(resultOf(adapter))
      return adapter
    })
  )
  const named = words.words[0]
  const simulated = named === undefined ? yield* simulators(place) : undefined
  const data = { adapters: tested, system: facts, ...(simulated === undefined ? {} : { simulators: simulated.data }) }
  const text = written(simulated?.lines ?? [])
  const works = ({ languages, modes }: Adapter) =>
    modes.launch === "ok" && (named !== undefined || languages.includes("C"))
  const isUntested = named !== undefined && tested.every(({ modes }) => modes.launch === "untested")
  return tested.some(works) || isUntested
    ? { text, data }
    : missing(
        data,
        text,
        named === undefined ? "no native debugger works on this machine" : `${named} does not work on this machine`,
        tested[0]?.name
      )
})
