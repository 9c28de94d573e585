/**
 * Finds the tasks of a language's runtime that wait for each other.
 */
import type { RuntimeTask } from "../../ports/Tasks.ts"

/** The name of a task in a sentence. */
const label = ({ id, name }: RuntimeTask): string => (name === undefined ? id : JSON.stringify(name))

const nouns: { readonly [kind in RuntimeTask["kind"]]: string } = {
  goroutine: "goroutine",
  thread: "thread",
  asyncio: "asyncio task"
}

/** Returns the tasks of a cycle that begins at a task, each of which waits for the next one; undefined if there is none. */
const cycleFrom = (
  start: RuntimeTask,
  waitedFor: (task: RuntimeTask) => ReadonlyArray<RuntimeTask>
): ReadonlyArray<RuntimeTask> | undefined => {
  const seen = new Set<RuntimeTask>()
  const search = (path: ReadonlyArray<RuntimeTask>): ReadonlyArray<RuntimeTask> | undefined => {
    const last = path.at(-1)
    if (last === undefined || seen.has(last)) return undefined
    seen.add(last)
    for (const next of waitedFor(last)) {
      const found = next === start ? path : search([...path, next])
      if (found !== undefined) return found
    }
    return undefined
  }
  return search([start])
}

/** Returns the cycles of waiting tasks. A task is in one of them only. */
export const of = (tasks: ReadonlyArray<RuntimeTask>): ReadonlyArray<ReadonlyArray<RuntimeTask>> => {
  const waiting = tasks.filter(({ state, waits_on: on = [] }) => state === "waiting" && on.length > 0)
  const byId = new Map(waiting.map((task) => [`${task.kind} ${task.id}`, task]))
  const waitedFor = ({ kind, waits_on: on = [] }: RuntimeTask) =>
    on.flatMap((id) => {
      const task = byId.get(`${kind} ${id}`)
      return task === undefined ? [] : [task]
    })
  const cycles: Array<ReadonlyArray<RuntimeTask>> = []
  for (const task of waiting) {
    if (cycles.some((cycle) => cycle.includes(task))) continue
    const cycle = cycleFrom(task, waitedFor)
    if (cycle !== undefined) cycles.push(cycle)
  }
  return cycles
}

/** Returns a clause about a cycle: `threads "a" and "b" wait for each other`. */
export const textOf = (cycle: ReadonlyArray<RuntimeTask>): string => {
  const [first, ...others] = cycle
  if (first === undefined) return ""
  const noun = nouns[first.kind]
  return others.length === 0
    ? `${noun} ${label(first)} waits for itself`
    : `${noun}s ${cycle
        .map(label)
        .join(", ")
        .replace(/, ([^,]*)$/, " and $1")} wait for each other`
}
