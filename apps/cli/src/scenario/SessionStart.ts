/**
 * How the session of a scenario begins: the command for its target, and where the program stands before the first step. A
 * scenario whose own steps start or attach is left to do so.
 */
import { Platform } from "@sigtrap/host"
import { Effect, Result } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import * as Commands from "../grammar/Commands.ts"
import * as StepVerdict from "./StepVerdict.ts"
import { shell, type World } from "./CommandLines.ts"
import * as FileLookup from "./FileLookup.ts"
import * as Scenario from "./Scenario.ts"

/** Where a scenario is carried out, and where its files may be. */
export interface Ground extends World {
  readonly places: FileLookup.Places
}

/** How a scenario begins. */
interface Beginning {
  /** The command line, or why there can be none. */
  readonly argv: Result.Result<ReadonlyArray<string>, string>
  /** Processes that were there before, or were started to be attached to. */
  readonly pids: ReadonlyArray<number>
}

const locate = (name: string, { directory, places }: Ground) => FileLookup.locate(name, directory, places)

const beginning = new Set(["start", "attach", "core", "connect"])
const placing = new Set(["break", "logpoint", "watch", "catch", "breakpoint load"])
const resuming = new Set(["continue", "run", "next", "step", "finish", "until", "stepi", "nexti"])

const commandOf = (step: Scenario.Step): string | undefined =>
  step.command === undefined ? undefined : Commands.resolve(Scenario.lineOf(step.command))?.command?.name

/** Whether a step does not care if the program stands or runs. */
export const isIndifferent = (step: Scenario.Step): boolean =>
  step.shell !== undefined || step.sleep !== undefined || step.check_breakpoints !== undefined

/** Whether the steps begin the session themselves: before anything is asked of it. */
export const isOwn = (steps: ReadonlyArray<Scenario.Step>): boolean => {
  const first = steps.find((step) => !isIndifferent(step))
  return first !== undefined && beginning.has(commandOf(first) ?? "")
}

const isPlacing = (step: Scenario.Step): boolean => placing.has(commandOf(step) ?? "")

/**
 * Whether the program has to stand still before the first step: breakpoints are to be set before it runs, or the first
 * thing that is done is to go on.
 */
const standsFirst = (steps: ReadonlyArray<Scenario.Step>): boolean => {
  const first = steps.find((step) => !isIndifferent(step))
  return first !== undefined && (isPlacing(first) || resuming.has(commandOf(first) ?? ""))
}

/**
 * The step before which a program that stands for its breakpoints' sake alone is let run: one that waits although nothing
 * let it go on.
 */
export const released = (target: Scenario.Target, steps: ReadonlyArray<Scenario.Step>): number | undefined => {
  const next = steps.findIndex((step) => !isIndifferent(step) && !isPlacing(step))
  const waits = steps[next]?.await !== undefined || commandOf(steps[next] ?? {}) === "wait"
  return target.stop_on_entry !== true && entryOf(target, steps) && waits ? next : undefined
}

const entryOf = (target: Scenario.Target, steps: ReadonlyArray<Scenario.Step>): boolean =>
  target.stop_on_entry === true ||
  (target.break === undefined &&
    target.stop_at_main !== true &&
    (target.mode ?? "launch") === "launch" &&
    standsFirst(steps))

const goingOn = new Set([...resuming, "restart"])
const waiting = ["--no-wait", "--wait", "--timeout", "--for"]

/** `run` of a program that stands for its first step goes on with it. */
const begunAlready = (step: Scenario.Step): Scenario.Step =>
  commandOf(step) === "run" && step.command !== undefined && Scenario.lineOf(step.command).length === 1
    ? { ...step, command: { line: ["continue"] } }
    : step

const asksWhile = ({ await: awaits, check_state: state, command, expect }: Scenario.Step, name: string | undefined) =>
  awaits !== undefined ||
  (command !== undefined && (name === "pause" || name === "wait")) ||
  (state !== undefined && (state.state ?? StepVerdict.named(expect, "state") ?? expect) === "running")

/**
 * A step that lets the program go on does not wait for the next stop where the step after it does, or is about a program
 * that runs. One that expects something of the stop waits itself.
 */
export const flowing = (written: Scenario.Step, rest: ReadonlyArray<Scenario.Step>): Scenario.Step => {
  const step = begunAlready(written)
  const next = rest.find((one) => one.shell === undefined && one.sleep === undefined)
  if (step.command === undefined || next === undefined || !StepVerdict.expectsOutcome(step.expect)) return step
  if (!goingOn.has(commandOf(step) ?? "") || !asksWhile(next, commandOf(next))) return step
  const words = Scenario.lineOf(step.command)
  return words.some((word) => waiting.includes(word.split("=")[0] ?? ""))
    ? step
    : { ...step, command: { line: [...words, "--no-wait"] } }
}

/** Whether a process that was attached to has to be stopped: the first thing asked of it needs that. */
const pausesFirst = (steps: ReadonlyArray<Scenario.Step>): boolean => {
  const first = steps.find((step) => !isIndifferent(step) && !placing.has(commandOf(step) ?? ""))
  if (first === undefined || first.await !== undefined || first.check_output !== undefined) return false
  if (first.check_state !== undefined) return first.check_state.state === "stopped"
  const command = commandOf(first)
  return first.command === undefined || (command !== undefined && resuming.has(command)) || command === "backtrace"
}

const option = (name: string, value: string | undefined) => (value === undefined ? [] : [`--${name}`, value])

/** The program, which may also be named relative to where it is to run. */
const locateProgram = (program: string, cwd: string | undefined, world: Ground): string => {
  const found = locate(program, world)
  const inside = cwd === undefined ? found : resolve(world.directory, locate(cwd, world), program)
  return existsSync(resolve(world.directory, found)) || !existsSync(inside) ? found : inside
}

const launch = (
  target: Scenario.Target,
  steps: ReadonlyArray<Scenario.Step>,
  world: Ground,
  adapter: string | undefined
) => {
  const { args = [], env = {}, stdin, ...rest } = target
  const given = stdin === undefined || stdin.includes("\n") ? undefined : resolve(world.directory, locate(stdin, world))
  const inline = stdin !== undefined && (given === undefined || !existsSync(given))
  const file = join(world.work, "scenario-stdin")
  if (inline) writeFileSync(file, stdin)
  const program = rest.program === undefined ? undefined : locateProgram(rest.program, rest.cwd, world)
  const entry = entryOf(target, steps)
  const operation = Commands.find("start")?.operation
  const input = {
    program,
    ...(rest.cwd === undefined ? {} : { cwd: locate(rest.cwd, world) }),
    ...(rest.break === undefined ? {} : { break: rest.break }),
    ...(rest.stop_at_main === undefined ? {} : { stop_at_main: rest.stop_at_main }),
    ...(entry ? { stop_on_entry: true } : {}),
    ...(stdin === undefined ? {} : { stdin: inline ? file : given }),
    ...(adapter === undefined ? {} : { adapter }),
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    args
  }
  return operation === undefined ? [] : Commands.argvOf(operation, input)
}

/** How often and how long a file with a pid is looked for, in milliseconds; nothing tells when another program writes it. */
const look = { every: 20, longest: 10_000 } as const

const pidIn = Effect.fnUntraced(function* (file: string, world: Ground) {
  for (let waited = 0; ; waited += look.every) {
    const text = Result.try(() => readFileSync(resolve(world.directory, locate(file, world)), "utf8"))
    const pid = /^\s*(\d+)\s*$/.exec(Result.getOrElse(text, () => ""))?.[1]
    if (pid !== undefined) return Result.succeed(Number(pid))
    if (waited > look.longest) return Result.fail(`no process id came into ${file}`)
    yield* Effect.sleep(look.every)
  }
})

const attach = Effect.fnUntraced(function* (
  target: Scenario.Target,
  steps: ReadonlyArray<Scenario.Step>,
  world: Ground,
  adapter: string | undefined
) {
  const pause = target.pause ?? target.stop_on_entry ?? pausesFirst(steps)
  const more = [
    ...(pause ? ["--pause"] : []),
    ...(target.break ?? []).flatMap((spec) => ["--break", spec]),
    ...option("adapter", adapter)
  ]
  const byPid = (pid: number, ...wrapping: ReadonlyArray<number>): Beginning => ({
    argv: Result.succeed(["attach", String(pid), ...more]),
    pids: [pid, ...wrapping]
  })
  const failed = (problem: string): Beginning => ({ argv: Result.fail(problem), pids: [] })
  if (target.pid !== undefined) return byPid(target.pid)
  if (target.pid_file !== undefined) {
    const found = yield* pidIn(target.pid_file, world)
    if (Result.isFailure(found)) return failed(found.failure)
    // A shell knows the pid of what it started: of `timeout 30 app`, for one, which is not the program.
    const pid = yield* Platform.running(found.success, basename(target.program ?? ""))
    return pid === found.success ? byPid(pid) : byPid(pid, found.success)
  }
  if (target.name !== undefined) {
    const wait = target.wait === true ? ["--wait"] : []
    const named: Beginning = { argv: Result.succeed(["attach", "--name", target.name, ...wait, ...more]), pids: [] }
    return named
  }
  if (target.program === undefined) return failed("a target to attach to has a pid, pid_file, name or program")
  const program = resolve(world.directory, locateProgram(target.program, target.cwd, world))
  const line = [program, ...(target.args ?? [])]
  const surroundings = { ...world, shell: { ...world.shell, ...target.env } }
  const cwd = target.cwd === undefined ? undefined : locate(target.cwd, world)
  const { exit, pid, stderr } = yield* shell(line, surroundings, { background: true, cwd })
  return exit === 0 ? byPid(pid) : failed(stderr.trim())
})

/** The command line that begins the session. */
export const begin = Effect.fnUntraced(function* (
  target: Scenario.Target,
  steps: ReadonlyArray<Scenario.Step>,
  world: Ground,
  chosen: string | undefined
) {
  const adapter = chosen ?? target.adapter
  const existing =
    target.pid !== undefined ||
    target.pid_file !== undefined ||
    (target.name !== undefined && target.program === undefined)
  const mode =
    target.mode ??
    (target.core !== undefined ? "core" : target.address !== undefined ? "connect" : existing ? "attach" : "launch")
  switch (mode) {
    case "attach":
      return yield* attach(target, steps, world, adapter)
    case "core":
    case "connect": {
      const what = mode === "core" ? target.core && locate(target.core, world) : target.address
      const program = target.program === undefined ? undefined : locate(target.program, world)
      const begun: Beginning = {
        argv:
          what === undefined
            ? Result.fail(`a target of mode ${mode} has ${mode === "core" ? "a core" : "an address"}`)
            : Result.succeed([mode, what, ...option("program", program), ...option("adapter", adapter)]),
        pids: []
      }
      return begun
    }
    case "launch": {
      const begun: Beginning = {
        argv:
          target.program === undefined
            ? Result.fail("the target has no program")
            : Result.succeed(launch(target, steps, world, adapter)),
        pids: []
      }
      return begun
    }
  }
})

/** A starting command of a step without a program gets the target's. */
export const completed = (
  step: Scenario.Step,
  target: Scenario.Target | undefined,
  world: Ground,
  adapter: string | undefined
): Scenario.Step => {
  if (step.command === undefined || target?.program === undefined || commandOf(step) !== "start") return step
  const words = Scenario.lineOf(step.command)
  const named = words.slice(1).some((word) => !word.startsWith("-"))
  return named ? step : { ...step, command: { line: [...launch(target, [], world, adapter), ...words.slice(1)] } }
}
