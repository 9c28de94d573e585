/**
 * Runs the steps of a scenario in its workspace, against its own manager: setup, the target's session, steps, teardown.
 * Stops at the first step that fails, and ends every remaining session.
 */
import { MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as CommandLines from "./CommandLines.ts"
import { Commands } from "./Commands.ts"
import * as ExpectationUpdate from "./ExpectationUpdate.ts"
import * as Scenario from "./Scenario.ts"
import * as SessionStart from "./SessionStart.ts"
import type * as Snapshots from "./Snapshots.ts"
import * as StepOrder from "./StepOrder.ts"
import { command, type CommandError, errorOf, list, part, type StepResult } from "./StepResult.ts"
import * as Steps from "./Steps.ts"
import * as StepVerdict from "./StepVerdict.ts"
import type { Workspace } from "./Workspace.ts"

/** Settings and state shared by the steps of one scenario. */
export interface Context {
  readonly workspace: Workspace
  readonly snapshots: Snapshots.Snapshots
  readonly target: Scenario.Target | undefined
  /** The adapter that the caller named. */
  readonly adapter: string | undefined
  /** True to collect observed values where a plain value was expected, instead of failing. */
  readonly update: boolean
  /** The observed values, which are written into the file. */
  readonly observed: Array<ExpectationUpdate.Observed>
}

/** A step that failed. */
interface Failure {
  readonly part: Part
  readonly step: string
  readonly message: string
  readonly text: string
  /** The error of its command. */
  readonly error?: CommandError | undefined
}

/** The result of all steps. */
interface Execution {
  /** The first failure, with a report of the session after it. */
  readonly failed: (Failure & { readonly report: string }) | undefined
  /** Processes that the session attached to; they outlive it. */
  readonly pids: ReadonlyArray<number>
}

/** The part of a scenario that a failed step belongs to. `end` is the check for sessions and processes that remain. */
export type Part = "setup" | "target" | "steps" | "teardown" | "end"

/** Returns a step's name, or its action with its first text. */
const describe = (step: Scenario.Step): string => {
  const action = Scenario.actionOf(step)
  const value = action === undefined ? undefined : step[action]
  const first = Predicate.isReadonlyObject(value) ? Object.values(value).find(Predicate.isString) : undefined
  if (step.name !== undefined) return step.name
  return step.command === undefined
    ? [action, first].filter(Predicate.isNotUndefined).join(" ")
    : Scenario.lineOf(step.command).join(" ")
}

/** Turns a command of another program into a shell line, in setup and teardown. */
const asShell = (resolve: StepOrder.Resolve, step: Scenario.Step): Scenario.Step => {
  if (step.command === undefined) return step
  const words = Scenario.lineOf(step.command)
  if (resolve(words) !== undefined) return step
  const { command, ...rest } = step
  return { ...rest, shell: { line: command.args === undefined ? command.line : words } }
}

const readsOutput = (resolve: StepOrder.Resolve, step: Scenario.Step): boolean =>
  step.check_output !== undefined ||
  (step.command !== undefined && resolve(Scenario.lineOf(step.command))?.operation._tag === "output")

/**
 * Runs a step and judges its result. If output is missing, the program flushes its buffers and the step runs again: its
 * output is a pipe, so a stopped program may still buffer some.
 */
const runStep = Effect.fnUntraced(function* (
  step: Scenario.Step,
  { snapshots, workspace }: Context,
  known: StepResult | undefined
) {
  const { resolve } = yield* Commands
  const before = yield* MonotonicTime.now
  const once = Effect.fnUntraced(function* (result?: StepResult) {
    const ran = result ?? (yield* Steps.run(step, workspace, snapshots))
    return { result: ran, ...StepVerdict.judge(step, ran, (yield* MonotonicTime.now) - before) }
  })
  const first = yield* once(known)
  if (first.wrong.length === 0 || !readsOutput(resolve, step)) return first
  const { exit } = yield* command(workspace, ["eval", "--", "(int)fflush((void *)stdout)"])
  return exit === 0 ? yield* once() : first
})

/** Runs steps until one fails. `refused` is the failed start of the session, if the first step expects that failure. */
const runSteps = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Scenario.Step>,
  context: Context,
  part: Exclude<Part, "target" | "end">,
  refused?: StepResult
) {
  const { resolve } = yield* Commands
  const { adapter, observed, target, update, workspace } = context
  const first = steps.findIndex((step) => !StepOrder.ignoresState(step))
  const hasTarget = target !== undefined && part === "steps" && !StepOrder.startsSession(resolve, steps)
  const resumed = hasTarget ? StepOrder.resumesBefore(resolve, target, steps) : undefined
  for (const [index, written] of steps.entries()) {
    const ordered =
      part === "steps" ? StepOrder.withoutWait(resolve, written, steps.slice(index + 1)) : asShell(resolve, written)
    const step = yield* SessionStart.withProgram(ordered, target, workspace, adapter)
    if (index === resumed) yield* command(workspace, ["continue", "--no-wait"])
    const { mismatches, result, wrong } = yield* runStep(step, context, index === first ? refused : undefined)
    const isUpdate = update && wrong.length === mismatches.length && mismatches.every(ExpectationUpdate.isPlain)
    if (isUpdate) observed.push(...mismatches.flatMap((each) => ExpectationUpdate.of(part, index, each)))
    if (wrong.length > 0 && step.allow_failure !== true && !isUpdate) {
      const failure: Failure = {
        part,
        step: `${part === "steps" ? "step" : part} ${index + 1}: ${describe(step)}`,
        message: wrong.join("; "),
        text: result.text,
        error: errorOf(result)
      }
      return failure
    }
  }
  return undefined
})

/** The target's session. */
interface Session {
  readonly failed?: Failure | undefined
  /** The failed start, if the first step expects it. */
  readonly refused?: StepResult | undefined
  /** True if it was attached to a process. */
  readonly attached?: boolean
  readonly pids: ReadonlyArray<number>
}

/** Exit code of a command whose wait ended before the program stopped. */
const STILL_RUNNING = 5

/** Starts the session of the target. */
const start = Effect.fnUntraced(function* (scenario: Scenario.Scenario, { adapter, target, workspace }: Context) {
  const { resolve } = yield* Commands
  const none: Session = { pids: [] }
  if (target === undefined || StepOrder.startsSession(resolve, scenario.steps)) return none
  const { argv, pids } = yield* SessionStart.prepare(target, scenario.steps, workspace, adapter)
  const step = `target: ${target.program ?? target.name ?? target.pid_file ?? target.pid ?? ""}`
  if (Result.isFailure(argv)) {
    const impossible: Session = { failed: { part: "target", step, message: argv.failure, text: "" }, pids }
    return impossible
  }
  const result = yield* command(workspace, argv.success)
  if (result.exit === 0 || (result.exit === STILL_RUNNING && target.mode === "attach")) {
    const pid = part(result.value, "pid")
    const attached = argv.success[0] === "attach"
    const session: Session = { attached, pids: attached && typeof pid === "number" ? [...pids, pid] : pids }
    return session
  }
  const first = scenario.steps.find((one) => !StepOrder.ignoresState(one))
  const failed: Session =
    first !== undefined && StepVerdict.expectsFailure(first)
      ? { refused: result, pids }
      : {
          failed: {
            part: "target",
            step,
            message: `it failed with exit code ${result.exit}`,
            text: result.text,
            error: errorOf(result)
          },
          pids
        }
  return failed
})

/** Ends the remaining sessions. Returns a failure if any remain, except the session attached to the target's process. */
const end = Effect.fnUntraced(function* (workspace: Workspace, attached: boolean) {
  const answer = yield* CommandLines.json(workspace, ["sessions"])
  const left = list(part(answer.document["data"], "sessions")).filter((one) =>
    ["starting", "running", "stopped"].includes(String(part(one, "state")))
  )
  yield* CommandLines.run(workspace, ["stop", "--all", "--if-exists"])
  if (left.length === 0 || (attached && left.length === 1)) return undefined
  const names = left.map((one) => String(part(one, "name"))).join(", ")
  const failure: Failure = {
    part: "end",
    step: "end",
    message: `the session ${names} still exists; end it with a step 'command: stop'`,
    text: ""
  }
  return failure
})

/** Runs a scenario. */
export const run = Effect.fnUntraced(function* (scenario: Scenario.Scenario, context: Context) {
  const { workspace } = context
  const early = yield* runSteps(scenario.setup ?? [], context, "setup")
  const session: Session = early === undefined ? yield* start(scenario, context) : { failed: early, pids: [] }
  const failed = session.failed ?? (yield* runSteps(scenario.steps, context, "steps", session.refused))
  const report = failed === undefined ? undefined : (yield* CommandLines.run(workspace, ["context"])).stdout
  const late = yield* runSteps(scenario.teardown ?? [], context, "teardown")
  const left = yield* end(workspace, session.attached === true)
  const first = failed ?? late ?? left
  const execution: Execution = {
    failed: first === undefined ? undefined : { ...first, report: report ?? "" },
    pids: session.pids
  }
  return execution
})
