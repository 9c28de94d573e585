/**
 * Waits for the process of a simulator app. The simulator has no event for it, so its list is polled.
 */
import { Errors, MonotonicTime, type Simulator } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Simulators } from "../ports/Simulators.ts"

/** Time between two polls, in milliseconds. */
const pollInterval = 250

/** Waits at most `millis` milliseconds for the app `bundle`; returns its pid. */
export const wait = Effect.fnUntraced(function* (
  simulators: Simulators,
  device: Simulator.Device,
  bundle: string,
  millis: number
) {
  const since = yield* MonotonicTime.now
  for (;;) {
    const pid = yield* simulators.pid(device.udid, bundle)
    if (pid !== undefined) return pid
    const left = since + millis - (yield* MonotonicTime.now)
    if (left <= 0)
      return yield* new Errors.WaitTimeout({ waited_ms: Math.round(millis), output_bytes: 0, awaited: bundle })
    yield* Effect.sleep(Math.min(pollInterval, left))
  }
})
