/**
 * Actions that the user presses while an earlier action of this page runs. Steps are queued and run one after the other. Any other
 * action that is pressed twice runs once.
 */
import { effect } from "@preact/signals"
import type { Snapshot } from "../../connection/Answers.ts"
import type { SessionView } from "../SessionView.ts"
import { stoppedWords } from "../words/StopWords.ts"

/** What the queue needs of a view. */
type Viewed = Pick<SessionView, "session">

/** The actions that step. */
type Step = "next" | "step" | "finish"

/** An action that was begun at a stop, and the steps that were pressed since. */
interface RunningAction {
  readonly id: string
  readonly state: string
  readonly stop: number
  /** When its call was answered, in milliseconds since 1970; undefined while it is not. */
  answered: number | undefined
  readonly steps: Array<Step>
}

/** Time after the answer of an action after which a press counts as a new action, in milliseconds. */
const longest = 1000

const all = new WeakMap<Viewed, RunningAction>()

const isStep = (id: string): id is Step => id === "next" || id === "step" || id === "finish"

/** Returns the action that was begun at this stop, while presses belong to it. */
const runningAction = (view: Viewed): RunningAction | undefined => {
  const last = all.get(view)
  if (last === undefined || view.session.snapshot.peek().stop !== last.stop) return undefined
  return last.answered !== undefined && Date.now() - last.answered > longest ? undefined : last
}

/** True while a step runs. A key that is held down makes the next one when it has ended. */
export const isStepping = (view: Viewed): boolean => isStep(runningAction(view)?.id ?? "")

/** True if an action needs no call now: it repeats the running one, or is a step that was queued behind it. */
export const belongsToLast = (view: Viewed, id: string): boolean => {
  const last = runningAction(view)
  if (last === undefined) return false
  if (isStep(id) && isStep(last.id)) {
    last.steps.push(id)
    return true
  }
  return id === last.id && view.session.snapshot.peek().state === last.state
}

/** Records that an action begins. Returns the function to call with its result. After a failure, the next press is a new action. */
export const begin = (view: Viewed, id: string): ((isDone: boolean) => void) => {
  const { state, stop } = view.session.snapshot.peek()
  const begun: RunningAction = { id, state, stop, answered: undefined, steps: [] }
  all.set(view, begun)
  return (isDone) => {
    begun.answered = Date.now()
    if (!isDone && all.get(view) === begun) all.delete(view)
  }
}

/** True for a stop at the end of a step. */
const isEndOfStep = (stopped: Snapshot["stopped"]): boolean =>
  stopped?.reason === "step" || stopped?.reason === "finish"

/**
 * Returns why queued steps are not made, and their number: `Stopped at breakpoint 2. 1 more step was not made.` After another step, or
 * while the program runs, another client or page has resumed it.
 */
export const droppedWords = ({ state, stopped }: Pick<Snapshot, "state" | "stopped">, count: number): string => {
  const isResumed = state === "running" || (state === "stopped" && isEndOfStep(stopped))
  const reason = isResumed
    ? "The program was resumed meanwhile"
    : state === "stopped" && stopped !== undefined
      ? stoppedWords(stopped)
      : "The session has ended"
  return `${reason}. ${count === 1 ? "1 more step was" : `${count} more steps were`} not made.`
}

/**
 * Calls `next` with the first queued step when the running step has ended. After a stop for another reason, such as a breakpoint, it
 * drops the queue and calls `drop` with the reason, if there was a step in it.
 */
export const follow = (view: Viewed, next: (id: Step) => void, drop: (words: string) => void): void => {
  const step = all.get(view)
  if (step === undefined || !isStep(step.id)) return
  let isOver = false
  const end = effect(() => {
    const snapshot = view.session.snapshot.value
    const { state, stop, stopped } = snapshot
    if (isOver || (stop === step.stop && (state === "stopped" || state === "running"))) return
    isOver = true
    const [first, ...rest] = step.steps
    const isNext = state === "stopped" && stop === step.stop + 1 && isEndOfStep(stopped) && all.get(view) === step
    queueMicrotask(() => {
      end()
      if (first === undefined) return
      if (!isNext) return drop(droppedWords(snapshot, rest.length + 1))
      next(first)
      all.get(view)?.steps.push(...rest)
    })
  })
}
