/**
 * Runs a scenario: every step is a command line like those that people type, against a manager of the scenario's own.
 *
 * Owns a temporary directory and every process that is started; all of them must be gone at the end, and one that is not
 * fails the scenario and is killed. Processes are known by a variable that only this scenario sets.
 */
import { Adapters, Host, Platform } from "@sigtrap/host"
import type { Client } from "@sigtrap/protocol"
import { Clock, Effect, Predicate, Result } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join, resolve } from "node:path"
import * as Commands from "../Commands.ts"
import * as Begin from "./Begin.ts"
import * as Judge from "./Judge.ts"
import { cli, document, type World } from "./Lines.ts"
import * as Scenario from "./Scenario.ts"
import * as Snapshots from "./Snapshots.ts"
import { carryOut, list, part } from "./Steps.ts"
import * as Update from "./Update.ts"

/** How scenarios are run. */
export interface Options {
  readonly environment: { readonly [name: string]: string }
  readonly adapter?: string
  /** Leave the temporary directory. */
  readonly keep: boolean
  /** Where whoever runs it stands. */
  readonly directory?: string
  /** Write what was observed into the file, in place of plain values that were expected. */
  readonly update?: boolean
}

/** What became of a scenario. `log` is what a person wants to see of one that failed. */
export interface Outcome {
  readonly file: string
  readonly name: string
  readonly result: "passed" | "failed" | "skipped"
  readonly ms: number
  readonly steps: number
  readonly step?: string
  readonly message?: string
  readonly log?: string
}

const variable = "SIGTRAP_SCENARIO"

/** The pids of living processes in whose environment this text stands. Elsewhere than on Linux nobody can say. */
const carrying = (text: string): ReadonlyArray<number> => {
  const entries = Result.getOrElse(
    Result.try(() => readdirSync("/proc")),
    () => []
  )
  return entries
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      Result.getOrElse(
        Result.try(() => readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(text)),
        () => false
      )
    )
    .map(Number)
}

const describe = (step: Scenario.Step): string => {
  const action = Scenario.actionOf(step)
  const value = action === undefined ? undefined : step[action]
  const first = Predicate.isReadonlyObject(value) ? Object.values(value).find(Predicate.isString) : undefined
  if (step.name !== undefined) return step.name
  return step.command === undefined
    ? [action, first].filter(Predicate.isNotUndefined).join(" ")
    : Scenario.lineOf(step.command).join(" ")
}

interface Failed {
  readonly step: string
  readonly message: string
  readonly text: string
}

/** What runs a list of steps. */
interface Course {
  readonly world: World
  readonly shots: Snapshots.Snapshots
  readonly options: Options
  readonly target: Scenario.Target | undefined
  /** What was observed instead of what was expected, to be written into the file. */
  readonly observed: Array<Update.Observed>
}

/** A command that is none of ours, where a machine is made ready: a line for the shell. */
const prepared = (step: Scenario.Step, part: string): Scenario.Step => {
  if (part === "steps" || step.command === undefined) return step
  const words = Scenario.lineOf(step.command)
  if (Commands.resolve(words) !== undefined) return step
  const { command, ...rest } = step
  return { ...rest, shell: { line: command.args === undefined ? command.line : words } }
}

/** Runs steps until one fails. */
const runSteps = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Scenario.Step>,
  course: Course,
  part: "setup" | "steps" | "teardown"
) {
  const { observed, options, shots, target, world } = course
  for (const [index, written] of steps.entries()) {
    const step = Begin.completed(prepared(written, part), target, world, options.adapter)
    const before = yield* Clock.currentTimeMillis
    const ran = yield* carryOut(step, world, shots)
    const { mismatches, wrong } = Judge.judge(step, ran, (yield* Clock.currentTimeMillis) - before)
    const updatable = options.update === true && wrong.length === mismatches.length && mismatches.every(Update.isPlain)
    if (updatable) observed.push(...mismatches.flatMap((each) => Update.of(part, index, each)))
    if (wrong.length > 0 && step.allow_failure !== true && !updatable) {
      const failed: Failed = {
        step: `${part === "steps" ? "step" : part} ${index + 1}: ${describe(step)}`,
        message: wrong.join("; "),
        text: ran.text
      }
      return failed
    }
  }
  return undefined
})

/** What a scenario needs and is not here: programs on PATH, or adapters by their names. */
const missing = Effect.fnUntraced(function* (needs: ReadonlyArray<string>, environment: Options["environment"]) {
  const onPath = (name: string) =>
    (environment["PATH"] ?? "")
      .split(delimiter)
      .some((directory) => existsSync(join(directory === "" ? "." : directory, name)))
  const absent = needs.filter((name) => !onPath(name))
  if (absent.length === 0) return absent
  const adapters = yield* Adapters.discover(environment)
  const here = new Set(
    adapters.flatMap(({ name, path, problem }) => (path === undefined || problem !== undefined ? [] : [name]))
  )
  return absent.filter((name) => !here.has(name) && name !== process.platform)
})

/** Begins the session; the process that it is about, where that was there before. */
const begin = Effect.fnUntraced(function* (scenario: Scenario.Scenario, { options, target, world }: Course) {
  if (target === undefined || Begin.isOwn(scenario.steps)) return { failed: undefined, pid: undefined }
  const { argv, pid } = yield* Begin.begin(target, scenario.steps, world, options.adapter)
  const name = `target: ${target.program ?? target.name ?? target.pid_file ?? target.pid ?? ""}`
  if (Result.isFailure(argv)) return { failed: { step: name, message: argv.failure, text: "" }, pid }
  const { exit, stderr, stdout } = yield* cli(world, argv.success)
  // A program that runs on until something is done to it is a beginning, too.
  const fine = exit === 0 || (exit === 5 && target.mode === "attach")
  return { failed: fine ? undefined : { step: name, message: `it failed with ${exit}`, text: stdout + stderr }, pid }
})

const inside = Effect.fnUntraced(function* (scenario: Scenario.Scenario, course: Course) {
  const { world } = course
  const early = yield* runSteps(scenario.setup ?? [], course, "setup")
  const begun = early === undefined ? yield* begin(scenario, course) : { failed: early, pid: undefined }
  const failed = begun.failed ?? (yield* runSteps(scenario.steps, course, "steps"))
  const report = failed === undefined ? undefined : (yield* cli(world, ["context"])).stdout
  const late = yield* runSteps(scenario.teardown ?? [], course, "teardown")
  const live = (yield* document(world, ["sessions"])).doc["data"]
  const left = list(part(live, "sessions")).filter((one) =>
    ["starting", "running", "stopped"].includes(String(part(one, "state")))
  )
  yield* cli(world, ["stop", "--all", "--if-exists"])
  const session: Failed | undefined =
    left.length === 0
      ? undefined
      : {
          step: "end",
          message: `the session ${left.map((one) => String(part(one, "name"))).join(", ")} is left over; end it with a step 'command: stop'`,
          text: ""
        }
  const first = failed ?? late ?? session
  return { failed: first === undefined ? undefined : { ...first, report: report ?? "" }, pid: begun.pid }
})

const isolated = <A, E>(effect: Effect.Effect<A, E, Client.Client>) => Effect.provide(effect, Host.layerIsolated)

const kill = (pid: number) =>
  Effect.sync(() => Result.try(() => process.kill(pid, "SIGKILL"))).pipe(Effect.andThen(Platform.awaitExit(pid, 2000)))

/** Runs one file. It never fails: what goes wrong is an outcome. */
export const run = (file: string, options: Options) =>
  Effect.suspend(() => {
    const text = Result.try(() => readFileSync(file, "utf8"))
    return runText(
      Result.getOrElse(text, () => ""),
      file,
      options
    )
  })

/** Runs the text of a scenario; `file` is the place that it is meant to stand in. */
export const runText = Effect.fnUntraced(function* (text: string, file: string, options: Options) {
  const before = yield* Clock.currentTimeMillis
  const work = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-scenario-")))
  const here = dirname(resolve(file))
  const read = Scenario.parse(text, { here, work }, basename(file).replace(/\.\w+$/, ""))
  const done = Effect.fnUntraced(function* (rest: Pick<Outcome, "name" | "result"> & Partial<Outcome>) {
    if (!options.keep) rmSync(work, { recursive: true, force: true })
    const ms = Math.round((yield* Clock.currentTimeMillis) - before)
    const outcome: Outcome = { file, ms, steps: 0, ...rest }
    return outcome
  })
  if (Result.isFailure(read)) {
    return yield* done({ name: file, result: "failed", message: read.failure.join("; ") })
  }
  const scenario = read.success
  const { name } = scenario
  const steps = scenario.steps.length
  const platformName = process.platform
  const lacking = yield* missing(scenario.needs ?? [], options.environment)
  if (
    scenario.platforms !== undefined &&
    !scenario.platforms.some((platform) => [platformName, "any", "all"].includes(platform))
  ) {
    return yield* done({ name, steps, result: "skipped", message: `not for ${platformName}` })
  }
  if (lacking.length > 0) return yield* done({ name, steps, result: "skipped", message: `needs ${lacking.join(", ")}` })
  const directory = Begin.home(scenario, text, { here, invoked: options.directory ?? here, work })
  // Programs are known by the variable, debuggers by their temporary directory.
  const mine = { ...options.environment, [variable]: work, TMPDIR: work }
  const world: World = { work, directory, environment: { ...mine, HOME: work }, shell: mine }
  const course: Course = { world, shots: new Snapshots.Snapshots(), options, target: scenario.target, observed: [] }
  const { failed, pid } = yield* isolated(inside(scenario, course))
  const carried = () => [...new Set([...carrying(`${variable}=${work}`), ...carrying(`TMPDIR=${work}`)])]
  // The process that was attached to lives on after it was let go; one that was started here for that is ours to end.
  if (pid !== undefined && carried().includes(pid)) yield* kill(pid)
  const left = carried()
  yield* Effect.forEach(left, kill, { concurrency: "unbounded", discard: true })
  if (failed !== undefined) {
    const { message, report, step, text } = failed
    return yield* done({ name, steps, result: "failed", step, message, log: [text, report].filter(Boolean).join("\n") })
  }
  if (left.length > 0) {
    return yield* done({
      name,
      steps,
      result: "failed",
      step: "end",
      message: `processes were left over: ${left.join(", ")}`
    })
  }
  if (course.observed.length > 0) {
    yield* Effect.sync(() => writeFileSync(file, Update.write(text, course.observed)))
    return yield* done({
      name,
      steps,
      result: "passed",
      message: `${course.observed.length} expectations were written anew`
    })
  }
  return yield* done({ name, steps, result: "passed" })
})
