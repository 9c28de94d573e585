/**
 * Tasks of a language's runtime: goroutines, threads of Python, tasks of asyncio. A part of `Backend.Connection`, absent if the
 * debugger cannot list them.
 */
import type { Location, Task } from "@sigtrap/protocol"
import type * as Effect from "effect/Effect"
import type { Failure } from "./ProgramState.ts"

/** One task. `frames` are innermost first, without those of the library in which it waits if `wait` names that. */
export interface RuntimeTask extends Task.TaskId, Pick<Task.TaskGroup, "kind" | "state" | "wait" | "awaits"> {
  readonly frames: ReadonlyArray<Location.Position>
  /** The ids of tasks of the same kind for which the task waits: they hold its lock, or it waits for their end. */
  readonly waits_on?: ReadonlyArray<string>
  /** The system's id of its thread, if its state is unknown and the kernel may know it. */
  readonly os_id?: number
}

/** All tasks. `cut` is true if there may be more. */
export interface RuntimeTasks {
  readonly tasks: ReadonlyArray<RuntimeTask>
  readonly cut?: true
}

/** How tasks are listed. */
export interface Tasks {
  /** True if listing them runs code in the program. It is the debugger's own code, and works while the program runs. */
  readonly runsCode: boolean
  readonly list: Effect.Effect<RuntimeTasks, Failure>
}
