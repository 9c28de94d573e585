/**
 * Stops that can have another reason than the debugger reports, because a breakpoint was changed while the program ran.
 *
 * LLDB writes and removes the trap instruction of a breakpoint at another moment than its record. A thread that reaches it in between
 * is reported with SIGTRAP, with SIGSTOP of the debug server, or at a removed breakpoint. Debug adapters set a condition after the
 * breakpoint (`SourceBreakpoint::SetBreakpoint` of lldb-dap), so the first hit can come without it.
 */
import type { Event } from "@sigtrap/protocol"
import type { Registry } from "../../breakpoints/Registry.ts"

type Stopped = Extract<Event.Event, { readonly _tag: "Stopped" }>

/** The changes of one session since its program was resumed. */
export class BreakpointChanges {
  readonly #breakpoints: Registry
  /** The last number of a breakpoint when the program was resumed. */
  #last = 0

  constructor(breakpoints: Registry) {
    this.#breakpoints = breakpoints
  }

  /** Called before the program is started or resumed. */
  resumed(): void {
    this.#last = this.#breakpoints.last()
  }

  /** True if the debugger may have stopped at a breakpoint before it had its condition, because the program ran when it was set. */
  isLate(id: number): boolean {
    return id > this.#last
  }

  /** True if a change may have caused a stop: by a signal, or at breakpoints that were removed. */
  mayCause({ breakpoints: ids, reason, signal }: Stopped): boolean {
    return ids.length === 0
      ? reason === "signal" && (signal === "SIGTRAP" || signal === "SIGSTOP")
      : reason === "breakpoint" && ids.every(this.#breakpoints.isRemoved)
  }

  /** True if a stop may not be what the debugger reports, also because another thread is at a breakpoint whose condition is false. */
  mayExplain(event: Stopped): boolean {
    const isConditional = () =>
      this.#breakpoints.list().some(({ condition, enabled }) => enabled && condition !== undefined)
    return this.mayCause(event) || isConditional()
  }
}
