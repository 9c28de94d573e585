/**
 * All sessions of one owner: names, selection, limits, endings.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The service (interface for the host; filled in by the manager's author). */
export class Manager extends Context.Service<
  Manager,
  {
    /** How many sessions are alive; an idle daemon exits when there are none. */
    readonly live: Effect.Effect<number>
    /** Ends every session by the ladder. */
    readonly endAll: Effect.Effect<void>
  }
>()("@sigtrap/manager/Manager") {}
