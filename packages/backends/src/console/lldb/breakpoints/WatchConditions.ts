/**
 * Lets LLDB evaluate the conditions of watchpoints while the program continues, because a stop for each write is three times slower.
 * During a step each write stops the program: LLDB 19 loses a step that ends at a write at which it does not stop.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../../BreakpointIds.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly watchIds: BreakpointIds
}

/** The conditions of one connection. */
export interface WatchConditions {
  /** Sets the watchpoints whose conditions count from the next resume on. */
  readonly set: (watchpoints: ReadonlyArray<Backend.BreakpointRequest>) => void
  /** Tells LLDB which conditions it evaluates. Run before each resume; sends nothing if that is as before. */
  readonly resuming: (how: Backend.Resume) => Effect.Effect<void>
}

const none = "[]"

/** Makes the conditions of one connection. */
export const make = ({ command, watchIds }: Options): WatchConditions => {
  let wanted = none
  let sent = none
  return {
    set: (watchpoints) => {
      wanted = JSON.stringify(
        watchpoints.flatMap(({ condition, id }) =>
          condition === undefined ? [] : watchIds.allOf(id).map((number) => [number, condition])
        )
      )
    },
    resuming: (how) =>
      Effect.suspend(() => {
        const next = how === "continue" ? wanted : none
        if (next === sent) return Effect.void
        sent = next
        return Effect.ignore(command(`sigtrap-watch-conditions ${next}`))
      })
  }
}
