/**
 * How the session of a scenario begins: the command for its target, where the scenario is at home, and where the program
 * stands before the first step. A scenario whose own steps start or attach is left to do so.
 */
import { Effect, Predicate, Result } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Commands from "../Commands.ts"
import { shell, type World } from "./Lines.ts"
import * as Scenario from "./Scenario.ts"

/** How a scenario begins. */
interface Beginning {
  /** The command line, or why there can be none. */
  readonly argv: Result.Result<ReadonlyArray<string>, string>
  /** The process that was there before, or was started to be attached to. */
  readonly pid?: number
}

const beginning = new Set(["start", "attach", "core", "connect"])
const placing = new Set(["break", "logpoint", "watch", "catch", "breakpoint load"])
const resuming = new Set(["continue", "run", "next", "step", "finish", "until", "stepi", "nexti"])

const commandOf = (step: Scenario.Step): string | undefined =>
  step.command === undefined ? undefined : Commands.resolve(Scenario.lineOf(step.command))?.command?.name

/** Steps that do not care whether the program stands or runs. */
const indifferent = (step: Scenario.Step): boolean =>
  step.shell !== undefined || step.sleep !== undefined || step.check_breakpoints !== undefined

/** Whether the steps begin the session themselves: before anything is asked of it. */
export const isOwn = (steps: ReadonlyArray<Scenario.Step>): boolean => {
  const first = steps.find((step) => !indifferent(step))
  return first !== undefined && beginning.has(commandOf(first) ?? "")
}

/**
 * Whether the program has to stand still before the first step: breakpoints are to be set before it runs, or the first
 * thing that is done is to go on.
 */
const standsFirst = (steps: ReadonlyArray<Scenario.Step>): boolean => {
  const first = steps.find((step) => !indifferent(step))
  const command = first === undefined ? undefined : commandOf(first)
  return command !== undefined && (placing.has(command) || resuming.has(command))
}

/** Whether a process that was attached to has to be stopped: the first thing asked of it needs that. */
const pausesFirst = (steps: ReadonlyArray<Scenario.Step>): boolean => {
  const first = steps.find((step) => !indifferent(step) && !placing.has(commandOf(step) ?? ""))
  if (first === undefined || first.await !== undefined || first.check_output !== undefined) return false
  if (first.check_state !== undefined) return first.check_state.state === "stopped"
  const command = commandOf(first)
  return first.command === undefined || (command !== undefined && resuming.has(command)) || command === "backtrace"
}

/** The words of a scenario that may be files. */
const files = (scenario: Scenario.Scenario): ReadonlyArray<string> => {
  const { program, stdin } = scenario.target ?? {}
  const lines = [...(scenario.setup ?? []), ...scenario.steps].flatMap(({ command, shell: line }) => {
    const said = line?.line ?? command?.line
    return said === undefined ? [] : [Predicate.isString(said) ? said : said.join(" ")]
  })
  const words = lines.flatMap((line) => line.match(/[\w.+/-]+/g) ?? [])
  const relative = words.filter((word) => /[./]/.test(word) && !word.startsWith("/") && !/^\.+$/.test(word))
  return [...relative, ...[program, stdin].filter(Predicate.isNotUndefined)]
}

/**
 * The directory in which a scenario's commands are typed: its temporary one when it says where files are by `${here}` or
 * `${work}`, or names none; otherwise that of its file or of whoever runs it, where more of its files are.
 */
export const home = (
  scenario: Scenario.Scenario,
  text: string,
  { here, invoked, work }: { readonly here: string; readonly invoked: string; readonly work: string }
): string => {
  if (/\$\{(?:here|work)\}/.test(text)) return work
  const names = files(scenario)
  const count = (directory: string) => names.filter((name) => existsSync(resolve(directory, name))).length
  const [ours, theirs] = [count(here), count(invoked)]
  return ours === 0 && theirs === 0 ? work : theirs > ours ? invoked : here
}

const option = (name: string, value: string | undefined) => (value === undefined ? [] : [`--${name}`, value])

const launch = (
  target: Scenario.Target,
  steps: ReadonlyArray<Scenario.Step>,
  world: World,
  adapter: string | undefined
) => {
  const { args = [], env = {}, stdin, stop_on_entry, ...rest } = target
  const inline = stdin !== undefined && (stdin.includes("\n") || !existsSync(resolve(world.directory, stdin)))
  const file = join(world.work, "scenario-stdin")
  if (inline) writeFileSync(file, stdin)
  const entry = stop_on_entry ?? (target.break === undefined && target.stop_at_main !== true && standsFirst(steps))
  const operation = Commands.find("start")?.operation
  const input = {
    program: rest.program,
    ...(rest.cwd === undefined ? {} : { cwd: rest.cwd }),
    ...(rest.break === undefined ? {} : { break: rest.break }),
    ...(rest.stop_at_main === undefined ? {} : { stop_at_main: rest.stop_at_main }),
    ...(entry ? { stop_on_entry: true } : {}),
    ...(stdin === undefined ? {} : { stdin: inline ? file : stdin }),
    ...(adapter === undefined ? {} : { adapter }),
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    args
  }
  return operation === undefined ? [] : Commands.argvOf(operation, input)
}

/** How often and how long a file with a pid is looked for, in milliseconds; nothing tells when another program writes it. */
const look = { every: 20, longest: 10_000 } as const

const pidIn = Effect.fnUntraced(function* (file: string, world: World) {
  for (let waited = 0; ; waited += look.every) {
    const text = Result.try(() => readFileSync(resolve(world.directory, file), "utf8"))
    const pid = /^\s*(\d+)\s*$/.exec(Result.getOrElse(text, () => ""))?.[1]
    if (pid !== undefined) return Result.succeed(Number(pid))
    if (waited > look.longest) return Result.fail(`no process id came into ${file}`)
    yield* Effect.sleep(look.every)
  }
})

const attach = Effect.fnUntraced(function* (
  target: Scenario.Target,
  steps: ReadonlyArray<Scenario.Step>,
  world: World,
  adapter: string | undefined
) {
  const pause = target.pause ?? target.stop_on_entry ?? pausesFirst(steps)
  const more = [
    ...(pause ? ["--pause"] : []),
    ...(target.break ?? []).flatMap((spec) => ["--break", spec]),
    ...option("adapter", adapter)
  ]
  const byPid = (pid: number): Beginning => ({ argv: Result.succeed(["attach", String(pid), ...more]), pid })
  if (target.pid !== undefined) return byPid(target.pid)
  if (target.pid_file !== undefined) {
    const found = yield* pidIn(target.pid_file, world)
    return Result.match(found, {
      onFailure: (problem): Beginning => ({ argv: Result.fail(problem) }),
      onSuccess: byPid
    })
  }
  if (target.name !== undefined) {
    const wait = target.wait === true ? ["--wait"] : []
    const named: Beginning = { argv: Result.succeed(["attach", "--name", target.name, ...wait, ...more]) }
    return named
  }
  if (target.program === undefined) {
    const none: Beginning = { argv: Result.fail("a target to attach to has a pid, pid_file, name or program") }
    return none
  }
  const program = resolve(world.directory, target.cwd ?? "", target.program)
  const line = [program, ...(target.args ?? [])]
  const surroundings = { ...world, shell: { ...world.shell, ...target.env } }
  const { exit, pid, stderr } = yield* shell(line, surroundings, { background: true, cwd: target.cwd })
  const started: Beginning = exit === 0 ? byPid(pid) : { argv: Result.fail(stderr.trim()) }
  return started
})

/** The command line that begins the session. */
export const begin = Effect.fnUntraced(function* (
  target: Scenario.Target,
  steps: ReadonlyArray<Scenario.Step>,
  world: World,
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
      const what = mode === "core" ? target.core : target.address
      const begun: Beginning = {
        argv:
          what === undefined
            ? Result.fail(`a target of mode ${mode} has ${mode === "core" ? "a core" : "an address"}`)
            : Result.succeed([mode, what, ...option("program", target.program), ...option("adapter", adapter)])
      }
      return begun
    }
    case "launch": {
      const begun: Beginning = {
        argv:
          target.program === undefined
            ? Result.fail("the target has no program")
            : Result.succeed(launch(target, steps, world, adapter))
      }
      return begun
    }
  }
})

/** A starting command of a step without a program gets the target's. */
export const completed = (
  step: Scenario.Step,
  target: Scenario.Target | undefined,
  world: World,
  adapter: string | undefined
): Scenario.Step => {
  if (step.command === undefined || target?.program === undefined || commandOf(step) !== "start") return step
  const words = Scenario.lineOf(step.command)
  const named = words.slice(1).some((word) => !word.startsWith("-"))
  return named ? step : { ...step, command: { line: [...launch(target, [], world, adapter), ...words.slice(1)] } }
}
