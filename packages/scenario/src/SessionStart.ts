/**
 * Starts the session of a scenario: makes the command line for its target, and starts or finds the process that it
 * attaches to.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { shell } from "./CommandLines.ts"
import { Commands } from "./Commands.ts"
import * as FileLookup from "./FileLookup.ts"
import { Machine } from "./Machine.ts"
import * as Scenario from "./Scenario.ts"
import * as StepOrder from "./StepOrder.ts"
import type { Workspace } from "./Workspace.ts"

/** A session to start. */
interface Start {
  /** The command line, or why the target cannot be started. */
  readonly argv: Result.Result<ReadonlyArray<string>, string>
  /** Processes that the session attaches to; they outlive it. */
  readonly pids: ReadonlyArray<number>
}

type Steps = ReadonlyArray<Scenario.Step>

const failure = (problem: string): Start => ({ argv: Result.fail(problem), pids: [] })

const command = (argv: ReadonlyArray<string>, pids: ReadonlyArray<number> = []): Start => ({
  argv: Result.succeed(argv),
  pids
})

const locate = (name: string, { directory, places }: Workspace) => FileLookup.locate(name, directory, places)

const option = (name: string, value: string | undefined) => (value === undefined ? [] : [`--${name}`, value])

/** Finds the target's program, whose path may also be relative to the target's `cwd`. */
const locateProgram = Effect.fnUntraced(function* (program: string, cwd: string | undefined, workspace: Workspace) {
  const path = yield* Path.Path
  const found = yield* locate(program, workspace)
  if (cwd === undefined || (yield* FileLookup.exists(path.resolve(workspace.directory, found)))) return found
  const inside = path.resolve(workspace.directory, yield* locate(cwd, workspace), program)
  return (yield* FileLookup.exists(inside)) ? inside : found
})

/** Returns the file for the program's input: an existing one, or a new one with the text of the scenario. */
const inputFile = Effect.fnUntraced(function* (stdin: string, workspace: Workspace) {
  const path = yield* Path.Path
  const files = yield* FileSystem.FileSystem
  if (!stdin.includes("\n")) {
    const given = path.resolve(workspace.directory, yield* locate(stdin, workspace))
    if (yield* FileLookup.exists(given)) return given
  }
  const file = path.join(workspace.places.work, "scenario-stdin")
  yield* Effect.orDie(files.writeFileString(file, stdin))
  return file
})

const launch = Effect.fnUntraced(function* (
  target: Scenario.Target,
  steps: Steps,
  workspace: Workspace,
  adapter: string | undefined
) {
  const commands = yield* Commands
  const { args = [], env = {}, stdin, ...rest } = target
  const program = rest.program === undefined ? undefined : yield* locateProgram(rest.program, rest.cwd, workspace)
  return commands.argvOf("start", {
    program,
    ...(rest.cwd === undefined ? {} : { cwd: yield* locate(rest.cwd, workspace) }),
    ...(rest.break === undefined ? {} : { break: rest.break }),
    ...(rest.stop_at_main === undefined ? {} : { stop_at_main: rest.stop_at_main }),
    ...(StepOrder.stopsAtEntry(commands.resolve, target, steps) ? { stop_on_entry: true } : {}),
    ...(stdin === undefined ? {} : { stdin: yield* inputFile(stdin, workspace) }),
    ...(adapter === undefined ? {} : { adapter }),
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    args
  })
})

/** Interval and limit of reading a file until it holds a process id, in milliseconds. */
const polling = { every: 20, longest: 10_000 } as const

const readPid = Effect.fnUntraced(function* (name: string, workspace: Workspace) {
  const path = yield* Path.Path
  const machine = yield* Machine
  for (let waited = 0; ; waited += polling.every) {
    const file = path.resolve(workspace.directory, yield* locate(name, workspace))
    const text = yield* Effect.orElseSucceed(machine.read(file), () => "")
    const pid = /^\s*(\d+)\s*$/.exec(text)?.[1]
    if (pid !== undefined) return Result.succeed(Number(pid))
    if (waited > polling.longest) return Result.fail(`${name} had no process id within ${polling.longest / 1000} s`)
    yield* Effect.sleep(polling.every)
  }
})

const attach = Effect.fnUntraced(function* (
  target: Scenario.Target,
  steps: Steps,
  workspace: Workspace,
  adapter: string | undefined
) {
  const { resolve } = yield* Commands
  const machine = yield* Machine
  const path = yield* Path.Path
  const pause = target.pause ?? target.stop_on_entry ?? StepOrder.pausesOnAttach(resolve, steps)
  const options = [
    ...(pause ? ["--pause"] : []),
    ...(target.break ?? []).flatMap((spec) => ["--break", spec]),
    ...option("adapter", adapter)
  ]
  const byPid = (pid: number, ...others: ReadonlyArray<number>) =>
    command(["attach", String(pid), ...options], [pid, ...others])
  if (target.pid !== undefined) return byPid(target.pid)
  if (target.pid_file !== undefined) {
    const found = yield* readPid(target.pid_file, workspace)
    if (Result.isFailure(found)) return failure(found.failure)
    // The file may hold the process id of a wrapper such as `timeout 30 app`.
    const pid = yield* machine.running(found.success, path.basename(target.program ?? ""))
    return pid === found.success ? byPid(pid) : byPid(pid, found.success)
  }
  if (target.name !== undefined) {
    return command(["attach", "--name", target.name, ...(target.wait === true ? ["--wait"] : []), ...options])
  }
  if (target.program === undefined) return failure("a target to attach to has a pid, pid_file, name or program")
  const program = path.resolve(workspace.directory, yield* locateProgram(target.program, target.cwd, workspace))
  const cwd = target.cwd === undefined ? undefined : yield* locate(target.cwd, workspace)
  const { exit, pid, stderr } = yield* shell([program, ...(target.args ?? [])], workspace, {
    background: true,
    cwd,
    ...(target.env === undefined ? {} : { environment: target.env })
  })
  return exit === 0 ? byPid(pid) : failure(stderr.trim())
})

const modeOf = (target: Scenario.Target): NonNullable<Scenario.Target["mode"]> => {
  if (target.mode !== undefined) return target.mode
  if (target.core !== undefined) return "core"
  if (target.address !== undefined) return "connect"
  const hasPid = target.pid !== undefined || target.pid_file !== undefined
  return hasPid || (target.name !== undefined && target.program === undefined) ? "attach" : "launch"
}

/** Returns the command line that starts the session. `chosen` is the adapter that the caller named. */
export const prepare = Effect.fnUntraced(function* (
  target: Scenario.Target,
  steps: Steps,
  workspace: Workspace,
  chosen: string | undefined
) {
  const adapter = chosen ?? target.adapter
  const mode = modeOf(target)
  switch (mode) {
    case "attach":
      return yield* attach(target, steps, workspace, adapter)
    case "core":
    case "connect": {
      const what = mode === "core" ? target.core && (yield* locate(target.core, workspace)) : target.address
      if (what === undefined)
        return failure(`a target of mode ${mode} has ${mode === "core" ? "a core" : "an address"}`)
      const program = target.program === undefined ? undefined : yield* locate(target.program, workspace)
      return command([mode, what, ...option("program", program), ...option("adapter", adapter)])
    }
    case "launch":
      return target.program === undefined
        ? failure("the target has no program")
        : command(yield* launch(target, steps, workspace, adapter))
  }
})

/** Adds the target to a step whose `start` names no program. */
export const withProgram = Effect.fnUntraced(function* (
  step: Scenario.Step,
  target: Scenario.Target | undefined,
  workspace: Workspace,
  adapter: string | undefined
) {
  const { resolve } = yield* Commands
  if (step.command === undefined || target?.program === undefined) return step
  const words = Scenario.lineOf(step.command)
  const isNamed = words.slice(1).some((word) => !word.startsWith("-"))
  if (resolve(words)?.operation._tag !== "start" || isNamed) return step
  const completed: Scenario.Step = {
    ...step,
    command: { line: [...(yield* launch(target, [], workspace, adapter)), ...words.slice(1)] }
  }
  return completed
})
