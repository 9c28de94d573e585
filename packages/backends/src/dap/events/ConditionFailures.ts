/**
 * Finds in an adapter's output why a condition could not be evaluated. From LLDB 22 on each line of the message is an event.
 *
 * The message can come after the stop, because lldb-dap reads it from a pipe in another thread. A stop at a breakpoint with a condition
 * therefore waits for a mark that is written to the same pipe.
 */
import { Breakpoint as Lldb, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"
import type { CommandLine } from "../../console/Dialect.ts"
import type { StoppedBody } from "../stops/Stops.ts"

/** How long a stop waits for the mark. */
const timeout = "1 second"

/** Matches the marks in an output, each with its line break. */
const marks = /<sigtrap ([0-9]+)>\n?/g

/** The failed conditions of one connection. */
export class ConditionFailures {
  readonly #listener: Backend.Listener
  readonly #ids: BreakpointIds
  /** The breakpoint whose condition failed; the next output has the reason. */
  #failed: number | undefined
  /** The number of the last mark. */
  #last = 0
  readonly #awaited = new Map<number, Deferred.Deferred<void>>()

  constructor(listener: Backend.Listener, ids: BreakpointIds) {
    this.#listener = listener
    this.#ids = ids
  }

  /**
   * Returns a request that ends when the adapter has sent all messages about conditions of the breakpoints of a stop; undefined if they
   * have none. `write` writes a line after those messages.
   */
  before({ description, hitBreakpointIds, text }: StoppedBody, write: CommandLine["writeError"]) {
    const ids = this.#ids.managerIdsOf(hitBreakpointIds, description ?? text)
    if (write === undefined || !ids.some((id) => this.#ids.isConditional(id))) return undefined
    return Effect.suspend(() => {
      const number = ++this.#last
      const received = Deferred.makeUnsafe<void>()
      this.#awaited.set(number, received)
      return write(`<sigtrap ${number}>`).pipe(
        Effect.andThen(Deferred.await(received)),
        Effect.timeout(timeout),
        Effect.ensuring(Effect.sync(() => this.#awaited.delete(number))),
        Effect.ignore
      )
    })
  }

  /** Returns an output without the marks that were written. Any other text stays, such as the same words of a program. */
  withoutMarks(output: string): string {
    return output.replace(marks, (text, number: string) => {
      if (Number(number) > this.#last) return text
      const received = this.#awaited.get(Number(number))
      if (received !== undefined) Deferred.doneUnsafe(received, Exit.void)
      return ""
    })
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
