/**
 * The messages of logpoints that a debug adapter writes itself (DAP `logMessage`). The debugger may say at a placement that it cannot
 * compile an expression of one there. The manager writes such a message.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as LogMessages from "./LogMessages.ts"

type Requests = ReadonlyArray<Backend.BreakpointRequest>

/** The messages of one connection. */
export class AdapterMessages {
  /** The messages that the debugger cannot write at their places, by the number of the breakpoint. */
  readonly #unwritable = new Map<number, string>()

  /** Returns the field of a breakpoint in a request. */
  fieldOf({ id, log }: Backend.BreakpointRequest): { readonly logMessage?: string } {
    return log === undefined || this.#unwritable.get(id) === log ? {} : { logMessage: `${LogMessages.mark(id)}${log}` }
  }

  /**
   * Sends a list by `place`. If the adapter got a message that it cannot write, the list is sent again: without these breakpoints, since
   * lldb-dap keeps a message that the next list does not have, and then with them, without their messages.
   */
  placed<E>(
    sent: Requests,
    place: (list: Requests) => Effect.Effect<ReadonlyArray<Backend.Placement>, E>
  ): Effect.Effect<ReadonlyArray<Backend.Placement>, E> {
    return Effect.flatMap(place(sent), (first) => {
      const unable = new Set(
        first.flatMap(({ id, unsupported }) => (unsupported?.includes("log") === true ? [id] : []))
      )
      const refused = new Set<number>()
      for (const one of sent) {
        if (one.log === undefined || !unable.has(one.id) || this.fieldOf(one).logMessage === undefined) continue
        this.#unwritable.set(one.id, one.log)
        refused.add(one.id)
      }
      if (refused.size === 0) return Effect.succeed(first)
      return Effect.andThen(place(sent.filter(({ id }) => !refused.has(id))), place(sent))
    })
  }
}
