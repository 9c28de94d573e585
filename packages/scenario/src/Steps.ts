/**
 * Runs a step of a scenario: a command line, a shell line, a sleep, or a query of the session.
 */
import { Field } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { json, shell } from "./CommandLines.ts"
import { Commands } from "./Commands.ts"
import * as Expectation from "./Expectation.ts"
import * as Queries from "./Queries.ts"
import * as Scenario from "./Scenario.ts"
import * as Snapshots from "./Snapshots.ts"
import { byteLength, command, part, query, record, type StepResult } from "./StepResult.ts"
import { duration, events, option } from "./Words.ts"
import type { Workspace } from "./Workspace.ts"

type Parameters<Action extends Scenario.Action> = NonNullable<Scenario.Step[Action]>

/** Waits for an event; fails if another one comes. A word that is not an event is a stop reason. */
const wait = Effect.fnUntraced(function* (
  workspace: Workspace,
  parameters: Parameters<"await">,
  stepTimeout: string | undefined
) {
  const timeout = parameters.timeout === undefined ? stepTimeout : duration(parameters.timeout)
  const event = parameters.event === "running" ? "state:running" : parameters.event
  const isCondition = event !== undefined && /^(?:output|breakpoint|state):/.test(event)
  const argv = ["wait", ...option("timeout", timeout), ...option("for", isCondition ? event : undefined)]
  const result = yield* query(workspace, argv, { main: (data) => part(data, "event") })
  const word = parameters.event ?? parameters.reason
  if (result.exit !== 0 || word === undefined || isCondition) return result
  const named = events[word] ?? { event: "stopped", reason: word }
  const given = parameters.reason
  const reason = given !== undefined && events[given]?.event !== "exited" ? given : named.reason
  const actual = part(part(result.value, "data"), "reason")
  const isExpected = named.event === result.main && (reason === undefined || Expectation.same(reason, actual, "reason"))
  if (isExpected) return result
  const expected = [named.event, ...(reason === undefined ? [] : [`by ${reason}`])].join(" ")
  const failed: StepResult = {
    ...result,
    exit: 1,
    text: `expected ${expected}, got ${String(result.main)} ${String(actual ?? "")}\n${result.text}`
  }
  return failed
})

/** Maximum duration of a `sleep`, in milliseconds. */
const longestSleep = 60_000

const sleep = Effect.fnUntraced(function* (parameters: Parameters<"sleep">) {
  const { ms, seconds } = parameters
  const millis = ms ?? (seconds === undefined ? Field.millis(duration(parameters.duration ?? 0)) : seconds * 1000)
  yield* Effect.sleep(Math.min(millis, longestSleep))
  const result: StepResult = { exit: 0, value: { exit: 0, ms: millis }, main: millis, bytes: 0, text: "" }
  return result
})

const shellLine = Effect.fnUntraced(function* (workspace: Workspace, { background, cwd, line }: Parameters<"shell">) {
  const { exit, stderr, stdout } = yield* shell(line, workspace, { background, cwd })
  const text = stdout + stderr
  const result: StepResult = {
    exit,
    value: { exit, exit_code: exit, success: exit === 0, stdout, stderr, text },
    main: stdout,
    other: text,
    bytes: byteLength(stdout),
    text
  }
  return result
})

/** Takes a snapshot, or compares one with another or with the current state. */
const snapshot = Effect.fnUntraced(function* (
  workspace: Workspace,
  step: Scenario.Step,
  snapshots: Snapshots.Snapshots
) {
  const answers = yield* Effect.forEach(Snapshots.queries, (argv) => json(workspace, argv))
  const now = Snapshots.make(answers)
  const { exit, main, text, value } =
    step.diff === undefined ? snapshots.take(step.snapshot?.name, now) : snapshots.diff(step.diff, now)
  const result: StepResult = { exit, main, value: { exit, ...record(value) }, bytes: byteLength(text), text }
  return result
})

const commandLine = Effect.fnUntraced(function* (
  workspace: Workspace,
  parameters: Parameters<"command">,
  timeout: string | undefined
) {
  const { resolve } = yield* Commands
  const argv = Scenario.lineOf(parameters)
  const [first = "", ...rest] = argv
  const waits = timeout !== undefined && resolve(argv)?.takesTimeout === true
  return yield* command(workspace, waits ? [first, ...option("timeout", timeout), ...rest] : argv)
})

/** Runs one step. It never fails: an error is in the exit code and the text of the result. */
export const run = Effect.fnUntraced(function* (
  step: Scenario.Step,
  workspace: Workspace,
  snapshots: Snapshots.Snapshots
) {
  const timeout = step.timeout === undefined ? undefined : duration(step.timeout)
  if (step.shell !== undefined) return yield* shellLine(workspace, step.shell)
  if (step.command !== undefined) return yield* commandLine(workspace, step.command, timeout)
  if (step.evaluate !== undefined) return yield* Queries.evaluate(workspace, step.evaluate)
  if (step.await !== undefined) return yield* wait(workspace, step.await, timeout)
  if (step.inspect_locals !== undefined) return yield* Queries.locals(workspace, step.inspect_locals)
  if (step.inspect_stack !== undefined) return yield* Queries.stack(workspace, step.inspect_stack)
  if (step.inspect_threads !== undefined) return yield* Queries.threads(workspace)
  if (step.inspect_memory !== undefined) return yield* Queries.memory(workspace, step.inspect_memory)
  if (step.check_output !== undefined) return yield* Queries.output(workspace, step.check_output)
  if (step.check_breakpoints !== undefined) return yield* Queries.breakpoints(workspace, step.check_breakpoints)
  if (step.sleep !== undefined) return yield* sleep(step.sleep)
  if (step.snapshot !== undefined || step.diff !== undefined) return yield* snapshot(workspace, step, snapshots)
  return yield* Queries.state(workspace, step.check_state ?? {})
})
