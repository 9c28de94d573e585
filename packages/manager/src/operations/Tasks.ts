/**
 * The handler of `tasks`, and the part of `explain` about tasks: what the tasks of a language's runtime wait for.
 *
 * The debugger says what the runtime knows. Where it knows nothing of a thread, the kernel may know its system call; a futex says
 * nothing, since a thread that waits for the interpreter's lock is in one too.
 */
import { type Effects, Errors, Hint, type Operations, Pattern, type Task } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Permission from "../model/permissions/Permission.ts"
import * as Policy from "../model/permissions/Policy.ts"
import * as RuntimeFrames from "../model/RuntimeFrames.ts"
import * as SystemCalls from "../model/waits/SystemCalls.ts"
import * as TaskCycles from "../model/waits/TaskCycles.ts"
import { Processes } from "../ports/Processes.ts"
import type { RuntimeTask } from "../ports/Tasks.ts"
import type { Session } from "../session/Session.ts"
import type { Reply } from "./Reply.ts"
import * as FileWaits from "./waits/FileWaits.ts"

type Payload = Operations.Payload<"tasks">
type Data = Operations.Data<"tasks">

/** Most tasks that a group names. */
const mostTasks = 20

/** Most frames of a group. */
const mostFrames = 8

/** The order of groups; larger ones first within a state. */
const order: ReadonlyArray<Task.TaskState> = ["waiting", "syscall", "unknown", "runnable", "running"]

/** What a list needs that runs the debugger's code in the program. */
const evaluating: ReadonlyArray<Effects.Use> = [
  { effect: "eval", field: "session", value: "evaluates code of the debugger in the program" }
]

/** Fails unless the caller may have code evaluated in the program. */
const permitEvaluation = Effect.fnUntraced(function* (session: Session, operation: string) {
  yield* Permission.permit(operation, evaluating)
  yield* Policy.check(session.policy, evaluating)
  yield* session.lease.permit
})

/** Returns how the tasks of the program are listed; undefined if they are not. */
export const listOf = (session: Session) => Effect.map(session.connection, ({ tasks: list }) => list)

/** Returns a task with the system call in which its thread is, where the runtime does not know its state. */
const withCall = Effect.fnUntraced(function* (
  task: RuntimeTask,
  pid: number,
  kernel: SystemCalls.Waiting | undefined,
  processes: Processes["Service"]
) {
  if (kernel === undefined || kernel.kind === "futex" || kernel.kind === "unknown") return task
  const file = yield* FileWaits.ofDescriptor(processes, pid, kernel)
  const awaits = file.held === undefined ? file.object : `${file.object}, ${file.held}`
  const known: RuntimeTask = {
    ...task,
    state: "waiting",
    wait: kernel.kind,
    ...(awaits === undefined ? {} : { awaits })
  }
  return known
})

const framesOf = ({ frames }: RuntimeTask) => {
  const user = frames.filter(({ file, function: name = "", module }) =>
    RuntimeFrames.isUserFrame({
      function: name,
      ...(file === undefined ? {} : { file }),
      ...(module === undefined ? {} : { module })
    })
  )
  return (user.length === 0 ? frames : user).slice(0, mostFrames)
}

/** Joins tasks that are in the same state at the same places. */
const grouped = (tasks: ReadonlyArray<RuntimeTask>): ReadonlyArray<Task.TaskGroup> => {
  const groups = new Map<string, Array<RuntimeTask>>()
  for (const task of tasks) {
    const { awaits, kind, state, wait } = task
    // Two functions can be on one line.
    const places = framesOf(task).map(({ file, function: name, line }) => [name, file, line])
    const key = JSON.stringify([kind, state, wait, awaits, places])
    groups.set(key, [...(groups.get(key) ?? []), task])
  }
  return [...groups.values()]
    .flatMap((members): ReadonlyArray<Task.TaskGroup> => {
      const [first] = members
      if (first === undefined) return []
      const { awaits, kind, state, wait } = first
      return [
        {
          count: members.length,
          kind,
          state,
          ...(wait === undefined ? {} : { wait }),
          ...(awaits === undefined ? {} : { awaits }),
          tasks: members.slice(0, mostTasks).map(({ id, name }) => (name === undefined ? { id } : { id, name })),
          frames: framesOf(first)
        }
      ]
    })
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.count - a.count)
}

/** Returns the tasks of a program in groups. `operation` is the one that needs them. */
export const groupsOf = Effect.fnUntraced(function* (session: Session, operation: "tasks" | "explain") {
  const { adapter, tasks } = yield* session.connection
  if (tasks === undefined) {
    return yield* new Errors.Unsupported({
      what: "listing tasks; only the debuggers of Go and Python can",
      by: adapter.name,
      remedies: [Hint.call("threads", {})]
    })
  }
  if (tasks.runsCode) yield* permitEvaluation(session, operation)
  const view = tasks.runsCode ? undefined : yield* session.view
  const found = yield* tasks.list
  if (view !== undefined) yield* view.check
  const processes = yield* Processes
  const { pid } = session.log.snapshot
  const isLocal = pid !== undefined && session.launch.existing?.kind !== "remote"
  const asked = isLocal && found.tasks.some(({ os_id: id }) => id !== undefined)
  const kernel = new Map(
    (asked && processes.threads !== undefined ? yield* processes.threads(pid) : []).map((one) => [one.id, one])
  )
  const arch = processes.machine?.arch ?? ""
  // A running thread may have left the call meanwhile: its call counts only if its stack is the same before and after.
  const after = asked ? yield* tasks.list : found
  const stacks = new Map(after.tasks.map((task) => [task.id, JSON.stringify(task.frames)]))
  const known = yield* Effect.forEach(found.tasks, (task) => {
    const isSame = stacks.get(task.id) === JSON.stringify(task.frames)
    const thread = task.os_id === undefined || !isSame ? undefined : kernel.get(task.os_id)
    return thread?.isKnown === true && pid !== undefined
      ? withCall(task, pid, SystemCalls.waitOf(thread, arch), processes)
      : Effect.succeed(task)
  })
  const masked = grouped(known).map((group) => ({
    ...group,
    ...(group.awaits === undefined ? {} : { awaits: session.secrets.inText(group.awaits) }),
    tasks: group.tasks.map(({ id, name }) => (name === undefined ? { id } : { id, name: session.secrets.inText(name) }))
  }))
  const cycles = TaskCycles.of(known).map((cycle) => session.secrets.inText(TaskCycles.textOf(cycle)))
  return { groups: masked, cycles, total: known.length, ...(found.cut === true ? { cut: found.cut } : {}) }
})

const nouns: { readonly [kind in Task.TaskKind]: string } = {
  goroutine: "goroutine",
  thread: "thread",
  asyncio: "asyncio task"
}

/** Returns how many tasks of each kind there are: `5 threads and 9 asyncio tasks`. */
const counted = (groups: ReadonlyArray<Task.TaskGroup>): string => {
  const counts = new Map<Task.TaskKind, number>()
  for (const { count, kind } of groups) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return Array.from(counts, ([kind, count]) => `${count} ${nouns[kind]}${count === 1 ? "" : "s"}`).join(" and ")
}

/** Returns a sentence about all tasks, and the clauses about those that wait for each other. */
export const summaryOf = (groups: ReadonlyArray<Task.TaskGroup>, cycles: ReadonlyArray<string>): string => {
  const all = counted(groups)
  const sum = (state: Task.TaskState) =>
    groups.filter((group) => group.state === state).reduce((total, { count }) => total + count, 0)
  const parts = (
    [
      ["waiting", "wait"],
      ["syscall", "in a system call"],
      ["runnable", "ready to run"],
      ["running", "running"],
      ["unknown", "unknown"]
    ] as const
  )
    .map(([state, word]) => [sum(state), word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
  return [...cycles, `${all}: ${parts.join(", ")}`].join("; ")
}

const badPattern = ({ problem }: Pattern.Invalid) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.call("tasks", {})] })

/** Handles `tasks`. */
export const tasks = Effect.fnUntraced(function* (session: Session, payload: Payload) {
  const { cycles: _, groups, ...rest } = yield* groupsOf(session, "tasks")
  const { match } = payload
  const pattern = match === undefined ? undefined : yield* Effect.mapError(Pattern.compile(match), badPattern)
  const matching =
    pattern === undefined
      ? groups
      : yield* Effect.mapError(
          Pattern.filter(pattern, groups, ({ awaits = "", frames, tasks: ids, wait = "" }) => [
            wait,
            awaits,
            ...ids.flatMap(({ name }) => (name === undefined ? [] : [name])),
            ...frames.map(({ function: name = "" }) => name)
          ]),
          badPattern
        )
  const shown = matching.slice(0, payload.limit)
  const data: Data = { groups: shown, ...rest }
  const reply: Reply<Data> = {
    data,
    truncated:
      shown.length === matching.length
        ? []
        : [
            {
              path: "data.groups",
              shown: shown.length,
              total: matching.length,
              hints: [Hint.again("tasks", { limit: Math.min(1000, payload.limit * 2) })]
            }
          ]
  }
  return reply
})
