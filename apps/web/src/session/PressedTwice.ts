/**
 * What is pressed while the page's own action is under way. Steps follow each other, as often as they were pressed; another action that
 * was pressed twice acts once.
 */
import { effect } from "@preact/signals"
import type { SessionView } from "./SessionView.ts"

/** The actions that step. */
type Step = "next" | "step" | "finish"

/** An action that was begun at a stop, and the steps that were pressed since. */
interface UnderWay {
  readonly id: string
  readonly state: string
  readonly stop: number
  readonly since: number
  readonly steps: Array<Step>
}

/** Longest time in milliseconds in which a press belongs to the one before. */
const longest = 1000

const all = new WeakMap<SessionView, UnderWay>()

const isStep = (id: string): id is Step => id === "next" || id === "step" || id === "finish"

/** True if an action needs no call: it repeats the one that is under way, or is a step that follows it. */
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

/** Notes that an action begins. Returns a function that is called if it was not possible: what is pressed then is another one. */
export const begin = (view: SessionView, id: string): (() => void) => {
  const { state, stop } = view.session.snapshot.peek()
  const begun = { id, state, stop, since: Date.now(), steps: [] }
  all.set(view, begun)
  return () => void (all.get(view) === begun ? all.delete(view) : undefined)
}

/**
 * Calls `next` with the step that was pressed while another one was under way, once that has ended. A stop for another reason, such as at a
 * breakpoint, is left for the user to look at.
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
