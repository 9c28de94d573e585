/**
 * Actions that the user presses while an earlier action of this page runs. Steps are queued and run one after the other. Any other
 * action that is pressed twice runs once.
 */
import { effect } from "@preact/signals"
import type { SessionView } from "./SessionView.ts"

/** The actions that step. */
type Step = "next" | "step" | "finish"

/** An action that was begun at a stop, and the steps that were pressed since. */
interface RunningAction {
  readonly id: string
  readonly state: string
  readonly stop: number
  readonly since: number
  readonly steps: Array<Step>
}

/** Time after which a press counts as a new action, in milliseconds. */
const longest = 1000

const all = new WeakMap<SessionView, RunningAction>()

const isStep = (id: string): id is Step => id === "next" || id === "step" || id === "finish"

/** True if an action needs no call now: it repeats the running one, or is a step that was queued behind it. */
export const belongsToLast = (view: SessionView, id: string): boolean => {
  const last = all.get(view)
  const { state, stop } = view.session.snapshot.peek()
  if (last === undefined || stop !== last.stop || Date.now() - last.since > longest) return false
  if (isStep(id) && isStep(last.id)) {
    last.steps.push(id)
    return true
  }
  return id === last.id && state === last.state
}

/** Records that an action begins. Returns the function to call if the action fails; the next press is then a new action. */
export const begin = (view: SessionView, id: string): (() => void) => {
  const { state, stop } = view.session.snapshot.peek()
  const begun = { id, state, stop, since: Date.now(), steps: [] }
  all.set(view, begun)
  return () => void (all.get(view) === begun ? all.delete(view) : undefined)
}

/**
 * Calls `next` with the first queued step when the running step has ended. After a stop for another reason, such as a breakpoint, it
 * drops the queue.
 */
export const follow = (view: SessionView, next: (id: Step) => void): void => {
  const step = all.get(view)
  if (step === undefined || !isStep(step.id)) return
  let isOver = false
  const end = effect(() => {
    const { state, stop, stopped } = view.session.snapshot.value
    if (isOver || (stop === step.stop && (state === "stopped" || state === "running"))) return
    isOver = true
    const [first, ...rest] = step.steps
    const isEnd = stopped?.reason === "step" || stopped?.reason === "finish"
    const isNext = state === "stopped" && stop === step.stop + 1 && isEnd && all.get(view) === step
    queueMicrotask(() => {
      end()
      if (!isNext || first === undefined) return
      next(first)
      all.get(view)?.steps.push(...rest)
    })
  })
}
