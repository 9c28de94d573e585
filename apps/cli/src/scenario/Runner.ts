/**
 * Runs a scenario: every step is a command line like those that people type, against a manager of the scenario's own.
 *
 * Owns a temporary directory and every process that is started; all of them must be gone at the end, and one that is not
 * fails the scenario and is killed. Processes are known by a variable that only this scenario sets.
 */
import { Adapters, ClientLayers, Platform } from "@sigtrap/host"
import type { Client } from "@sigtrap/protocol"
import { Clock, Effect, Predicate, Result } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join, resolve } from "node:path"
import * as Commands from "../grammar/Commands.ts"
import * as SessionStart from "./SessionStart.ts"
import * as StepVerdict from "./StepVerdict.ts"
import { cli, document } from "./CommandLines.ts"
import * as FileLookup from "./FileLookup.ts"
import * as Scenario from "./Scenario.ts"
import * as Snapshots from "./Snapshots.ts"
import { carryOut, command, list, part, type Ran } from "./Steps.ts"
import * as ExpectationUpdate from "./ExpectationUpdate.ts"

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
  readonly world: SessionStart.Ground
  readonly shots: Snapshots.Snapshots
  readonly options: Options
  readonly target: Scenario.Target | undefined
  /** What was observed instead of what was expected, to be written into the file. */
  readonly observed: Array<ExpectationUpdate.Observed>
}

/** A command that is none of ours, where a machine is made ready: a line for the shell. */
const prepared = (step: Scenario.Step): Scenario.Step => {
  if (step.command === undefined) return step
  const words = Scenario.lineOf(step.command)
  if (Commands.resolve(words) !== undefined) return step
  const { command, ...rest } = step
  return { ...rest, shell: { line: command.args === undefined ? command.line : words } }
}

const asksOutput = (step: Scenario.Step): boolean =>
  step.check_output !== undefined ||
  (step.command !== undefined && Commands.resolve(Scenario.lineOf(step.command))?.command?.name === "output")

/**
 * Carries out a step and judges it. A program that stands may have written what is still in a buffer of its own, since its
 * output is no terminal: where output is missing, it is asked for that.
 */
const attempted = Effect.fnUntraced(function* (
  step: Scenario.Step,
  { shots, world }: Course,
  refused: Ran | undefined
) {
  const before = yield* Clock.currentTimeMillis
  const once = Effect.fnUntraced(function* (known?: Ran) {
    const ran = known ?? (yield* carryOut(step, world, shots))
    return { ran, ...StepVerdict.judge(step, ran, (yield* Clock.currentTimeMillis) - before) }
  })
  const first = yield* once(refused)
  if (first.wrong.length === 0 || !asksOutput(step)) return first
  const { exit } = yield* command(["eval", "--", "(int)fflush((void *)stdout)"], world)
  return exit === 0 ? yield* once() : first
})

/** Runs steps until one fails. `refused` is what came of beginning the session, where that is what the first step is about. */
const runSteps = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Scenario.Step>,
  course: Course,
  part: "setup" | "steps" | "teardown",
  refused?: Ran
) {
  const { observed, options, target, world } = course
  const first = steps.findIndex((step) => !SessionStart.isIndifferent(step))
  const began = target !== undefined && part === "steps" && !SessionStart.isOwn(steps)
  const released = began ? SessionStart.released(target, steps) : undefined
  for (const [index, written] of steps.entries()) {
    const flowing = part === "steps" ? SessionStart.flowing(written, steps.slice(index + 1)) : prepared(written)
    const step = SessionStart.completed(flowing, target, world, options.adapter)
    if (index === released) yield* command(["continue", "--no-wait"], world)
    const { mismatches, ran, wrong } = yield* attempted(step, course, index === first ? refused : undefined)
    const updatable =
      options.update === true && wrong.length === mismatches.length && mismatches.every(ExpectationUpdate.isPlain)
    if (updatable) observed.push(...mismatches.flatMap((each) => ExpectationUpdate.of(part, index, each)))
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

/** How the session began. */
interface Begun {
  readonly failed?: Failed | undefined
  /** What was answered, where a failure is what the first step expects. */
  readonly refused?: Ran | undefined
  /** Whether it took hold of a process, which is there without it. */
  readonly attached?: boolean
  /** Processes that are about the target and were there before. */
  readonly pids: ReadonlyArray<number>
}

/** Begins the session. */
const begin = Effect.fnUntraced(function* (scenario: Scenario.Scenario, { options, target, world }: Course) {
  const none: Begun = { pids: [] }
  if (target === undefined || SessionStart.isOwn(scenario.steps)) return none
  const { argv, pids } = yield* SessionStart.begin(target, scenario.steps, world, options.adapter)
  const step = `target: ${target.program ?? target.name ?? target.pid_file ?? target.pid ?? ""}`
  if (Result.isFailure(argv)) {
    const impossible: Begun = { failed: { step, message: argv.failure, text: "" }, pids }
    return impossible
  }
  const ran = yield* command(argv.success, world)
  // A program that runs on until something is done to it is a beginning, too.
  if (ran.exit === 0 || (ran.exit === 5 && target.mode === "attach")) {
    const pid = part(ran.value, "pid")
    const attached = argv.success[0] === "attach"
    const holding: Begun = { attached, pids: attached && typeof pid === "number" ? [...pids, pid] : pids }
    return holding
  }
  const first = scenario.steps.find((one) => !SessionStart.isIndifferent(one))
  const begun: Begun =
    first !== undefined && StepVerdict.expectsFailure(first)
      ? { refused: ran, pids }
      : { failed: { step, message: `it failed with ${ran.exit}`, text: ran.text }, pids }
  return begun
})

const inside = Effect.fnUntraced(function* (scenario: Scenario.Scenario, course: Course) {
  const { world } = course
  const early = yield* runSteps(scenario.setup ?? [], course, "setup")
  const begun: Begun = early === undefined ? yield* begin(scenario, course) : { failed: early, pids: [] }
  const failed = begun.failed ?? (yield* runSteps(scenario.steps, course, "steps", begun.refused))
  const report = failed === undefined ? undefined : (yield* cli(world, ["context"])).stdout
  const late = yield* runSteps(scenario.teardown ?? [], course, "teardown")
  const live = (yield* document(world, ["sessions"])).doc["data"]
  const left = list(part(live, "sessions")).filter((one) =>
    ["starting", "running", "stopped"].includes(String(part(one, "state")))
  )
  // A process that the target was attached to goes on as it was before: to let it go is the end of the scenario.
  const letGo = begun.attached === true && left.length === 1
  yield* cli(world, ["stop", "--all", "--if-exists"])
  const session: Failed | undefined =
    left.length === 0 || letGo
      ? undefined
      : {
          step: "end",
          message: `the session ${left.map((one) => String(part(one, "name"))).join(", ")} is left over; end it with a step 'command: stop'`,
          text: ""
        }
  const first = failed ?? late ?? session
  return { failed: first === undefined ? undefined : { ...first, report: report ?? "" }, pids: begun.pids }
})

const isolated = <A, E>(effect: Effect.Effect<A, E, Client.Client>) =>
  Effect.provide(effect, ClientLayers.layerIsolated)

const kill = (pid: number) =>
  Effect.sync(() => Result.try(() => process.kill(pid, "SIGKILL"))).pipe(Effect.andThen(Platform.awaitExit(pid, 2000)))

/** Runs a scenario of a file, the first where no other is asked for. It never fails: what goes wrong is an outcome. */
export const run = (file: string, options: Options, index = 0) =>
  Effect.suspend(() => {
    const text = Result.try(() => readFileSync(file, "utf8"))
    return runText(
      Result.getOrElse(text, () => ""),
      file,
      options,
      index
    )
  })

/** Runs a scenario of a text; `file` is the place that it is meant to stand in. */
export const runText = Effect.fnUntraced(function* (text: string, file: string, options: Options, index = 0) {
  const before = yield* Clock.currentTimeMillis
  const work = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-scenario-")))
  const here = dirname(resolve(file))
  const written = Scenario.parseAll(text, { here, work }, basename(file).replace(/\.\w+$/, ""))[index]
  const done = Effect.fnUntraced(function* (rest: Pick<Outcome, "name" | "result"> & Partial<Outcome>) {
    if (!options.keep) rmSync(work, { recursive: true, force: true })
    const ms = Math.round((yield* Clock.currentTimeMillis) - before)
    const outcome: Outcome = { file, ms, steps: 0, ...rest }
    return outcome
  })
  if (written === undefined || Result.isFailure(written.read)) {
    const problems =
      written === undefined
        ? ["no such scenario"]
        : written.read.pipe(
            Result.flip,
            Result.getOrElse(() => [])
          )
    return yield* done({ name: file, result: "failed", message: problems.join("; ") })
  }
  const scenario = written.read.success
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
  const places: FileLookup.Places = { here, invoked: options.directory ?? here, work }
  const directory = FileLookup.home(scenario, text, places)
  // Programs are known by the variable, debuggers by their temporary directory.
  const mine = { ...options.environment, [variable]: work, TMPDIR: work }
  const world: SessionStart.Ground = { work, directory, environment: { ...mine, HOME: work }, shell: mine, places }
  const course: Course = { world, shots: new Snapshots.Snapshots(), options, target: scenario.target, observed: [] }
  const { failed, pids } = yield* isolated(inside(scenario, course))
  const carried = () => [...new Set([...carrying(`${variable}=${work}`), ...carrying(`TMPDIR=${work}`)])]
  // The process that was attached to lives on after it was let go; one that was started here for that is ours to end.
  const ours = carried()
  yield* Effect.forEach(
    pids.filter((pid) => ours.includes(pid)),
    kill,
    { discard: true }
  )
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
    yield* Effect.sync(() => writeFileSync(file, ExpectationUpdate.write(text, course.observed, written)))
    return yield* done({
      name,
      steps,
      result: "passed",
      message: `${course.observed.length} expectations were written anew`
    })
  }
  return yield* done({ name, steps, result: "passed" })
})
