/**
 * Runs a scenario: every step is a command line like those that people type, against a manager of the scenario's own.
 *
 * Owns a temporary directory and every process that is started; all of them must be gone at the end, and one that is not
 * fails the scenario and is killed. Processes are known by a variable that only this scenario sets.
 */
import { Host, Platform } from "@sigtrap/host"
import type { Client } from "@sigtrap/protocol"
import { Clock, Effect, Predicate, Result } from "effect"
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import * as Commands from "../Commands.ts"
import * as Expect from "./Expect.ts"
import * as Scenario from "./Scenario.ts"
import { carryOut, cli, document, list, part, type Ran, type World } from "./Steps.ts"

/** How scenarios are run. */
export interface Options {
  readonly environment: { readonly [name: string]: string }
  readonly adapter?: string
  /** Leave the temporary directory. */
  readonly keep: boolean
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

/** Whether an expectation names the exit code or the error, so that a failure may be what is expected. */
const judgesExit = (expect: unknown): boolean =>
  Predicate.isReadonlyObject(expect) && ["exit", "code", "ok", "error"].some((key) => Object.hasOwn(expect, key))

/** Whether an expectation is about the part that an action is for, not about named parts of its answer. */
const isPlain = (step: Scenario.Step, ran: Ran): boolean => {
  const { expect } = step
  if (!Predicate.isReadonlyObject(expect)) return true
  const keys = Object.keys(expect)
  if (keys.every((key) => Expect.comparisons.some((name) => name === key))) return true
  if (step.inspect_locals === undefined) return false
  return keys.some((key) => Predicate.isReadonlyObject(ran.main) && Object.hasOwn(ran.main, key)) || !judgesExit(expect)
}

/** What is wrong with a step, or nothing. */
const judged = (step: Scenario.Step, ran: Ran, ms: number): ReadonlyArray<string> => {
  const failed = ran.exit !== 0 && !judgesExit(step.expect)
  const mismatches =
    step.expect === undefined || failed ? [] : Expect.compare(step.expect, isPlain(step, ran) ? ran.main : ran.value)
  return [
    ...(failed ? [`it failed with ${ran.exit}`] : []),
    ...mismatches.map(
      ({ actual, expected, path }) => `${path === "" ? "the answer" : path}: expected ${expected}, got ${actual}`
    ),
    ...(step.budget_bytes !== undefined && ran.bytes > step.budget_bytes
      ? [`${ran.bytes} bytes, more than ${step.budget_bytes}`]
      : []),
    ...(step.max_ms !== undefined && ms > step.max_ms ? [`${Math.round(ms)} ms, longer than ${step.max_ms}`] : [])
  ]
}

const describe = (step: Scenario.Step): string => {
  const action = Scenario.actionOf(step)
  const what = action === undefined ? "" : `${action} ${typeof step[action] === "string" ? step[action] : ""}`.trim()
  return step.name ?? (step.command === undefined ? what : Scenario.words(step.command).join(" "))
}

interface Failed {
  readonly step: string
  readonly message: string
  readonly text: string
}

/** Runs steps until one fails. */
const runSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<Scenario.Step>, world: World, part: string) {
  for (const [index, step] of steps.entries()) {
    const before = yield* Clock.currentTimeMillis
    const ran = yield* carryOut(step, world)
    const wrong = judged(step, ran, (yield* Clock.currentTimeMillis) - before)
    if (wrong.length > 0 && step.allow_failure !== true) {
      const failed: Failed = {
        step: `${part} ${index + 1}: ${describe(step)}`,
        message: wrong.join("; "),
        text: ran.text
      }
      return failed
    }
  }
  return undefined
})

/** The step that starts the program. */
const starting = (target: NonNullable<Scenario.Scenario["target"]>, options: Options): Scenario.Step => {
  const { args = [], env = {}, ...fields } = target
  const adapter = options.adapter === undefined ? {} : { adapter: options.adapter }
  const operation = Commands.find("start")?.operation
  const input = { ...fields, ...adapter, env: Object.entries(env).map(([name, value]) => `${name}=${value}`), args }
  return { name: `start ${target.program}`, command: operation === undefined ? [] : Commands.argvOf(operation, input) }
}

const missing = (needs: ReadonlyArray<string>, path: string): ReadonlyArray<string> =>
  needs.filter(
    (name) =>
      !path.split(delimiter).some((directory) => {
        const names: ReadonlyArray<string> = Result.getOrElse(
          Result.try(() => readdirSync(directory === "" ? "." : directory)),
          () => []
        )
        return names.includes(name)
      })
  )

const inside = Effect.fnUntraced(function* (scenario: Scenario.Scenario, world: World, options: Options) {
  const body = Effect.gen(function* () {
    const early = yield* runSteps(scenario.setup ?? [], world, "setup")
    if (early !== undefined) return early
    const begun = scenario.target === undefined ? [] : [starting(scenario.target, options)]
    return (yield* runSteps(begun, world, "target")) ?? (yield* runSteps(scenario.steps, world, "step"))
  })
  const failed = yield* body
  const report = failed === undefined ? undefined : (yield* cli(world, ["context"])).stdout
  const late = yield* runSteps(scenario.teardown ?? [], world, "teardown")
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
  return first === undefined ? undefined : { ...first, report: report ?? "" }
})

const isolated = <A, E>(effect: Effect.Effect<A, E, Client.Client>) => Effect.provide(effect, Host.layerIsolated)

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
  const read = Scenario.parse(text, { here, work })
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
  const lacking = missing(scenario.needs ?? [], options.environment["PATH"] ?? "")
  if (scenario.platforms !== undefined && !scenario.platforms.some((platform) => platform === platformName)) {
    return yield* done({ name, steps, result: "skipped", message: `not for ${platformName}` })
  }
  if (lacking.length > 0) return yield* done({ name, steps, result: "skipped", message: `needs ${lacking.join(", ")}` })
  const world: World = {
    work,
    directory: work,
    // Programs are known by the variable, debuggers by their temporary directory.
    environment: { ...options.environment, [variable]: work, TMPDIR: work, HOME: work }
  }
  const failed = yield* isolated(inside(scenario, world, options))
  const left = [...new Set([...carrying(`${variable}=${work}`), ...carrying(`TMPDIR=${work}`)])]
  yield* Effect.forEach(
    left,
    (pid) =>
      Effect.sync(() => Result.try(() => process.kill(pid, "SIGKILL"))).pipe(
        Effect.andThen(Platform.awaitExit(pid, 2000))
      ),
    { concurrency: "unbounded", discard: true }
  )
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
  return yield* done({ name, steps, result: "passed" })
})
