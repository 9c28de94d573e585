/**
 * Tasks of a language's runtime as text: one line for each group.
 */
import type { Operations, Task } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Frames from "./Frames.ts"
import * as View from "./View.ts"

/** Most tasks that a line names. */
const mostNames = 3

const states: { readonly [state in Task.TaskState]: string } = {
  running: "running",
  runnable: "ready to run",
  waiting: "waits",
  syscall: "in a system call",
  unknown: "waits or runs (unknown)"
}

const nouns: { readonly [kind in Task.TaskKind]: string } = {
  goroutine: "goroutine",
  thread: "thread",
  asyncio: "asyncio task"
}

const named = ({ id, name }: Task.TaskId): string => name ?? id

/** `5 goroutines 18 19 20 …`. */
const who = ({ count, kind, tasks }: Task.TaskGroup): string => {
  const names = tasks.slice(0, mostNames).map(named).join(" ")
  return count === 1 ? `${nouns[kind]} ${names}` : `${count} ${nouns[kind]}s ${names}${count > mostNames ? " …" : ""}`
}

const what = ({ awaits, state, wait }: Task.TaskGroup): string => {
  const parts = [wait, awaits].filter((part) => part !== undefined)
  return parts.length === 0 ? states[state] : `${states[state]}: ${parts.join(", ")}`
}

/** Renders one group. */
export const group = (view: View.View, one: Task.TaskGroup): ReadonlyArray<Doc.Line> => {
  const [frame, ...callers] = one.frames
  const chain = callers.map(({ function: name = "??" }) => View.functionName(view, name)).join(" < ")
  return [
    Doc.line(
      `  ${Doc.cut(who(one), 80)} `,
      ...(frame === undefined ? [] : Frames.at(view, frame)),
      chain === "" ? "" : Doc.span(` < ${Doc.cut(chain, 120)}`, "dim"),
      ` ${Doc.cut(what(one), 160)}`
    )
  ]
}

/** Renders the answer of `tasks`. */
export const render = (view: View.View, { cut, groups, total }: Operations.Data<"tasks">): Doc.Doc =>
  Doc.concat(
    Doc.lines(
      Doc.line(
        Doc.span(
          `${total} ${total === 1 ? "task" : "tasks"}${cut === true ? ", and perhaps more that the debugger does not list" : ""}`,
          "heading"
        )
      )
    ),
    Doc.list(
      groups.map((one) => group(view, one)),
      () => View.again(view, "tasks", {})
    )
  )
