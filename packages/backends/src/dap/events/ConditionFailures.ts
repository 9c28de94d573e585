/**
 * Finds in an adapter's output why a condition could not be evaluated. From LLDB 22 on each line of the message is an event.
 */
import { Breakpoint as Lldb, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"

/** The failed conditions of one connection. */
export class ConditionFailures {
  readonly #listener: Backend.Listener
  readonly #ids: BreakpointIds
  /** The breakpoint whose condition failed; the next output has the reason. */
  #failed: number | undefined

  constructor(listener: Backend.Listener, ids: BreakpointIds) {
    this.#listener = listener
    this.#ids = ids
  }

  /** Reports a failure if an output announces or explains one. */
  read(output: string): void {
    const failed = Lldb.conditionError(output)
    const id = failed === undefined ? undefined : this.#ids.managerIdOf(failed.id)
    if (failed !== undefined && id !== undefined) {
      if (failed.problem === "") this.#failed = id
      else this.#listener.conditionFailed?.(id, Parse.expressionProblem(failed.problem))
    } else if (this.#failed !== undefined && output.startsWith("error: ")) {
      this.#listener.conditionFailed?.(this.#failed, Parse.expressionProblem(output))
      this.#failed = undefined
    }
  }

  /** Reports an announced failure without its reason; called at the stop. */
  flush(): void {
    if (this.#failed !== undefined) this.#listener.conditionFailed?.(this.#failed, "")
    this.#failed = undefined
  }
}
