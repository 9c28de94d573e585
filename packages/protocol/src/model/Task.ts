/**
 * Units of concurrent work of a language's runtime: goroutines, threads of Python, tasks of asyncio.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Position } from "./Location.ts"

/** The kind of a task. `thread` is a thread of a runtime that has other tasks too. */
export const TaskKind = Schema.Literals(["goroutine", "thread", "asyncio"]).annotate({ identifier: "TaskKind" })
/** The kind of a task. */
export type TaskKind = typeof TaskKind.Type

/** The state of a task. `runnable` waits for a thread only; `syscall` is in a call of the system. */
export const TaskState = Schema.Literals(["running", "runnable", "waiting", "syscall", "unknown"]).annotate({
  identifier: "TaskState"
})
/** The state of a task. */
export type TaskState = typeof TaskState.Type

/** The id that the runtime gives a task, and its name. */
export class TaskId extends Model.of<TaskId>()(
  Schema.Struct({ id: Schema.String, name: Schema.optionalKey(Schema.String) }).annotate({ identifier: "TaskId" })
) {}

/**
 * Tasks with equal stacks in the same state. `wait` is the runtime's word for the wait, such as `chan receive`, or the library function
 * that waits. `awaits` is what is waited for, such as `task "reader"`. Both are absent if unknown. `tasks` names at most 20.
 */
export class TaskGroup extends Model.of<TaskGroup>()(
  Schema.Struct({
    count: Schema.Int,
    kind: TaskKind,
    state: TaskState,
    wait: Schema.optionalKey(Schema.String),
    awaits: Schema.optionalKey(Schema.String),
    tasks: Schema.Array(TaskId),
    frames: Schema.Array(Position)
  }).annotate({ identifier: "TaskGroup" })
) {}
