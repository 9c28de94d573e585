/**
 * Decisions that depend on the order of a scenario's steps: whether a step starts the session, whether the program stops
 * before the first step, and which command does not wait for the next stop.
 */
import { Operation } from "@sigtrap/protocol"
import type { Command, Commands } from "./Commands.ts"
import * as Scenario from "./Scenario.ts"
import * as StepVerdict from "./StepVerdict.ts"

/** Returns the command that begins a line. */
export type Resolve = Commands["Service"]["resolve"]

type Steps = ReadonlyArray<Scenario.Step>

const commandOf = (resolve: Resolve, step: Scenario.Step): Command | undefined =>
  step.command === undefined ? undefined : resolve(Scenario.lineOf(step.command))

const executionOf = (resolve: Resolve, step: Scenario.Step): Operation.Execution => {
  const command = commandOf(resolve, step)
  return command === undefined ? "none" : Operation.meta(command.operation).execution
}

/** Whether a step works the same for a stopped and a running program. */
export const ignoresState = (step: Scenario.Step): boolean =>
  step.shell !== undefined || step.sleep !== undefined || step.check_breakpoints !== undefined

/** Whether the first step that needs a session starts it. */
export const startsSession = (resolve: Resolve, steps: Steps): boolean => {
  const first = steps.find((step) => !ignoresState(step))
  return first !== undefined && executionOf(resolve, first) === "start"
}

const setsBreakpoint = (resolve: Resolve, step: Scenario.Step): boolean => {
  const command = commandOf(resolve, step)
  return command !== undefined && Operation.meta(command.operation).setsBreakpoints
}

/** Whether the program is stopped at its entry: on request, or because the first step sets a breakpoint or resumes. */
export const stopsAtEntry = (resolve: Resolve, target: Scenario.Target, steps: Steps): boolean => {
  if (target.stop_on_entry === true) return true
  if (target.break !== undefined || target.stop_at_main === true || (target.mode ?? "launch") !== "launch") return false
  const first = steps.find((step) => !ignoresState(step))
  return first !== undefined && (setsBreakpoint(resolve, first) || executionOf(resolve, first) === "resume")
}

/**
 * Returns the index of the step before which the program is resumed: the first step that waits, if the program stopped at
 * its entry only so that steps could set breakpoints.
 */
export const resumesBefore = (resolve: Resolve, target: Scenario.Target, steps: Steps): number | undefined => {
  const next = steps.findIndex((step) => !ignoresState(step) && !setsBreakpoint(resolve, step))
  const step = steps[next] ?? {}
  const waits = step.await !== undefined || executionOf(resolve, step) === "wait"
  return target.stop_on_entry !== true && stopsAtEntry(resolve, target, steps) && waits ? next : undefined
}

/** Whether a process is paused when it is attached to, because the first step needs it stopped. */
export const pausesOnAttach = (resolve: Resolve, steps: Steps): boolean => {
  const first = steps.find((step) => !ignoresState(step) && !setsBreakpoint(resolve, step))
  if (first === undefined || first.await !== undefined || first.check_output !== undefined) return false
  if (first.check_state !== undefined) return first.check_state.state === "stopped"
  return (
    first.command === undefined ||
    executionOf(resolve, first) === "resume" ||
    commandOf(resolve, first)?.operation._tag === "backtrace"
  )
}

const waitOptions = ["--no-wait", "--wait", "--timeout", "--for"]

/** Replaces `run` by `continue`, because the program is already started. */
const runAsContinue = (resolve: Resolve, step: Scenario.Step): Scenario.Step =>
  commandOf(resolve, step)?.operation._tag === "run" &&
  step.command !== undefined &&
  Scenario.lineOf(step.command).length === 1
    ? { ...step, command: { line: ["continue"] } }
    : step

/** Whether a step expects a running program or waits for its stop. */
const needsRunning = (resolve: Resolve, step: Scenario.Step): boolean => {
  const execution = executionOf(resolve, step)
  const { check_state: state, expect } = step
  return (
    step.await !== undefined ||
    execution === "pause" ||
    execution === "wait" ||
    (state !== undefined && (state.state ?? StepVerdict.named(expect, "state") ?? expect) === "running")
  )
}

/**
 * Adds `--no-wait` to a step that resumes the program when the next step waits for the stop or expects a running
 * program. A step with an expectation about the stop waits itself.
 */
export const withoutWait = (resolve: Resolve, written: Scenario.Step, rest: Steps): Scenario.Step => {
  const step = runAsContinue(resolve, written)
  const next = rest.find((one) => one.shell === undefined && one.sleep === undefined)
  if (step.command === undefined || next === undefined || !StepVerdict.expectsOutcome(step.expect)) return step
  const execution = executionOf(resolve, step)
  if ((execution !== "resume" && execution !== "restart") || !needsRunning(resolve, next)) return step
  const words = Scenario.lineOf(step.command)
  return words.some((word) => waitOptions.includes(word.split("=")[0] ?? ""))
    ? step
    : { ...step, command: { line: [...words, "--no-wait"] } }
}
