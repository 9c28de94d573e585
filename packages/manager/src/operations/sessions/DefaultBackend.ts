/**
 * The backend of calls that name none.
 */
import type { Settings } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Caller } from "../../simulator/Defaults.ts"
import type { Services } from "../../simulator/Target.ts"

/** The backend that a call which starts a session names. */
export interface BackendChoice extends Caller {
  readonly backend?: string | undefined
  readonly settings?: Settings.Values
}

/** Returns the payload with the default backend if it names none. Other settings stay. */
export const withDefaultBackend = <P extends BackendChoice>({ defaults }: Services, payload: P): Effect.Effect<P> =>
  defaults.show(payload).pipe(
    Effect.map(({ values }) => {
      const backend = values.find(({ key }) => key === "backend")
      if (backend === undefined || payload.backend !== undefined) return payload
      return { ...payload, settings: { ...payload.settings, "defaults.backend": backend.value } }
    }),
    // An unreadable defaults file is reported by the `defaults` operations.
    Effect.orElseSucceed(() => payload)
  )
