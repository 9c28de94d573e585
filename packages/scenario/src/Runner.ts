/**
 * Runs scenario files. Each scenario has a temporary directory and a manager of its own. A variable in the environment
 * marks every process that it starts; a process that still runs at the end is killed and fails the scenario.
 */
import { MonotonicTime, Pattern } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Commands } from "./Commands.ts"
import * as Execution from "./Execution.ts"
import * as ExpectationUpdate from "./ExpectationUpdate.ts"
import * as FileLookup from "./FileLookup.ts"
import { Machine } from "./Machine.ts"
import * as Scenario from "./Scenario.ts"
import * as Snapshots from "./Snapshots.ts"
import type * as StepResult from "./StepResult.ts"
import type { Places, Workspace } from "./Workspace.ts"

/** Options of a run. */
export interface Options {
  readonly environment: { readonly [name: string]: string }
  /** Debug adapter for every scenario. */
  readonly adapter?: string
  /** Keep the temporary directory. */
  readonly keep: boolean
  /** The current directory (default: the directory of the file). */
  readonly directory?: string
  /** Replace expected plain values in the file by the observed ones. */
  readonly update?: boolean
}

/** The result of a scenario. */
export interface Outcome {
  readonly file: string
  readonly name: string
  readonly result: "passed" | "failed" | "skipped"
  readonly ms: number
  /** Number of its steps. */
  readonly steps: number
  /** The step that failed. */
  readonly step?: string
  /** The part of the scenario that the failed step belongs to. */
  readonly part?: Execution.Part
  readonly message?: string
  /** The error of the failed step's command. */
  readonly error?: StepResult.CommandError
  /** The programs and adapters in `needs` that the machine lacks, if the scenario was skipped for that reason. */
  readonly lacking?: ReadonlyArray<string>
  /** Text of the failed step, and a report of the session. */
  readonly log?: string
}

/** The parts of an outcome that differ from the defaults. */
type PartialOutcome = Pick<Outcome, "name" | "result"> & Partial<Outcome>

/** The variable that marks the processes of a scenario. */
const variable = "SIGTRAP_SCENARIO"

/** Arguments with which a working tool exits with 0. A tool may be a shim without a toolchain, such as rustup's `rustc`. */
const trials: { readonly [tool: string]: string } = {
  ...Object.fromEntries(["cc", "gcc", "clang", "c++", "g++", "clang++"].map((name) => [name, "--version"])),
  ...Object.fromEntries(["rustc", "cargo", "swift", "swiftc", "python3", "node"].map((name) => [name, "--version"])),
  go: "version"
}

/** Returns the needs of a scenario that the machine lacks: programs on PATH, adapters or the platform, by name. */
const missing = Effect.fnUntraced(function* (needs: ReadonlyArray<string>, environment: Options["environment"]) {
  const machine = yield* Machine
  const path = yield* Path.Path
  const directories = (environment["PATH"] ?? "").split(machine.platform === "win32" ? ";" : ":")
  const isPresent = Effect.fnUntraced(function* (name: string) {
    const files = directories.map((directory) => path.join(directory || ".", name))
    const [file] = yield* Effect.filter(files, FileLookup.exists)
    const trial = trials[name]
    if (file === undefined || trial === undefined) return file !== undefined
    const { exit } = yield* machine.run({ command: [file, trial], directory: path.resolve("/"), environment })
    return exit === 0
  })
  const absent = yield* Effect.filter(needs, (name) => Effect.map(isPresent(name), (present) => !present))
  if (absent.length === 0) return absent
  const adapters = yield* machine.adapters(environment)
  return absent.filter((name) => !adapters.includes(name) && name !== machine.platform)
})

/** Returns why a scenario cannot run on this machine, as fields of its outcome. */
const skipped = Effect.fnUntraced(function* (scenario: Scenario.Scenario, options: Options) {
  const { platform } = yield* Machine
  const { needs = [], platforms } = scenario
  if (platforms !== undefined && !platforms.some((name) => [platform, "any", "all"].includes(name))) {
    return { message: `not for ${platform}` }
  }
  const lacking = yield* missing(needs, options.environment)
  return lacking.length === 0 ? undefined : { message: `needs ${lacking.join(", ")}`, lacking }
})

/**
 * Kills the remaining processes of a scenario. Returns them, except those it attached to, which outlive their session.
 */
const killLeftovers = Effect.fnUntraced(function* (work: string, attached: ReadonlyArray<number>) {
  const machine = yield* Machine
  // Programs have the variable in their environment, debuggers have TMPDIR.
  const marked = machine.withEnvironment([`${variable}=${work}`, `TMPDIR=${work}`])
  const started = yield* marked
  yield* Effect.forEach(
    attached.filter((pid) => started.includes(pid)),
    machine.kill,
    { discard: true }
  )
  const left = yield* marked
  yield* Effect.forEach(left, machine.kill, { concurrency: "unbounded", discard: true })
  return left
})

/** Runs a scenario that was read, in a workspace. */
const runScenario = Effect.fnUntraced(function* (
  scenario: Scenario.Scenario,
  text: string,
  places: Places,
  options: Options
) {
  const { work } = places
  const { manager } = yield* Commands
  const environment = { ...options.environment, [variable]: work, TMPDIR: work }
  const workspace: Workspace = {
    places,
    directory: yield* FileLookup.home(scenario, text, places),
    environment: { ...environment, HOME: work },
    shellEnvironment: environment
  }
  const context: Execution.Context = {
    workspace,
    snapshots: new Snapshots.Snapshots(),
    target: scenario.target,
    adapter: options.adapter,
    update: options.update === true,
    observed: []
  }
  const { failed, pids } = yield* Effect.provide(Execution.run(scenario, context), manager)
  const left = yield* killLeftovers(work, pids)
  return { failed, left, observed: context.observed }
})

const passed = (observed: number): Partial<Outcome> =>
  observed === 0 ? {} : { message: `${observed} expectations were updated` }

/** Runs one scenario of a text. `file` is the path for messages and relative paths. */
const inDirectory = Effect.fnUntraced(function* (
  text: string,
  file: string,
  options: Options,
  index: number,
  work: string
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const here = path.dirname(path.resolve(file))
  const written = Scenario.parseAll(text, { here, work }, path.basename(file).replace(/\.\w+$/, ""))[index]
  const outcome = (partial: PartialOutcome) => partial
  if (written === undefined) return outcome({ name: file, result: "failed", message: "no such scenario" })
  if (Result.isFailure(written.read)) {
    return outcome({ name: file, result: "failed", message: written.read.failure.join("; ") })
  }
  const scenario = written.read.success
  const named = { name: scenario.name, steps: scenario.steps.length }
  const reason = yield* skipped(scenario, options)
  if (reason !== undefined) return outcome({ ...named, result: "skipped", ...reason })
  const places: Places = { here, invoked: options.directory ?? here, work }
  const { failed, left, observed } = yield* runScenario(scenario, text, places, options)
  if (failed !== undefined) {
    const { error, message, part, report, step } = failed
    const log = [failed.text, report].filter(Boolean).join("\n")
    return outcome({ ...named, result: "failed", step, part, message, ...(error === undefined ? {} : { error }), log })
  }
  if (left.length > 0) {
    return outcome({
      ...named,
      result: "failed",
      step: "end",
      part: "end",
      message: `processes still ran at the end: ${left.join(", ")}`
    })
  }
  if (observed.length > 0) {
    yield* Effect.orDie(files.writeFileString(file, ExpectationUpdate.write(text, observed, written)))
  }
  return outcome({ ...named, result: "passed", ...passed(observed.length) })
})

/** Runs one scenario of a text, the first by default. `file` is the path for messages and relative paths. It never fails. */
export const runText = Effect.fnUntraced(function* (text: string, file: string, options: Options, index = 0) {
  yield* Pattern.load
  const files = yield* FileSystem.FileSystem
  const before = yield* MonotonicTime.now
  const work = yield* files
    .makeTempDirectory({ prefix: "sigtrap-scenario-" })
    .pipe(Effect.flatMap(files.realPath), Effect.orDie)
  const rest = yield* inDirectory(text, file, options, index, work)
  if (!options.keep) yield* Effect.ignore(files.remove(work, { recursive: true, force: true }))
  const ms = Math.round((yield* MonotonicTime.now) - before)
  const outcome: Outcome = { file, ms, steps: 0, ...rest }
  return outcome
})

/** Runs one scenario of a file, the first by default. It never fails: an error is an outcome. */
export const run = Effect.fn("Runner.run")(function* (file: string, options: Options, index = 0) {
  const machine = yield* Machine
  const text = yield* Effect.result(machine.read(file))
  if (Result.isSuccess(text)) return yield* runText(text.success, file, options, index)
  const outcome: Outcome = { file, ms: 0, steps: 0, name: file, result: "failed", message: text.failure }
  return outcome
})
