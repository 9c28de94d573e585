/**
 * Checks the debugger's report that the program has ended, before it is believed. A debugger whose server was killed reports an
 * end although the program lives.
 *
 * The report waits for the exit of the process, and later events wait behind it. A process that still exists after the timeout
 * makes the session lost, with the reason. On Linux a process that has exited is seen at once, so that nothing waits.
 */
import type { Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OwnedProcesses } from "../OwnedProcesses.ts"

/** Time in which a program that has ended must be gone, in milliseconds. A large one takes a while. */
const exitTimeout = 2000

/** Dependencies of the check. */
export interface Options {
  readonly ownership: Pick<OwnedProcesses, "survivor">
  /** Closed with the debugger. */
  readonly scope: Scope.Scope
  /** Receives the events in order. */
  readonly emit: (event: Event.Event) => void
}

/** Makes the receiver of a debugger's events. It is called synchronously. */
export const make = Effect.fnUntraced(function* ({ emit, ownership, scope }: Options) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let held: Array<Event.Event> | undefined

  const settle = (exited: Event.Event, survivor: number | undefined) => {
    const later = held ?? []
    held = undefined
    if (survivor === undefined) emit(exited)
    else {
      const reason = `the debugger reported that the program ended, but process ${survivor} still exists`
      emit({ _tag: "Lost", reason })
    }
    for (const event of later) emit(event)
  }

  return (event: Event.Event): void => {
    if (held !== undefined) held.push(event)
    else if (event._tag !== "Exited") emit(event)
    else {
      held = []
      const check = Effect.map(ownership.survivor(exitTimeout), (survivor) => settle(event, survivor))
      run(Effect.forkIn(check, scope, { startImmediately: true }))
    }
  }
})
