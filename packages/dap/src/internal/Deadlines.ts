/**
 * The deadlines of one connection, watched by one fiber, which ends with the scope.
 *
 * One fiber per request would double the cost of a request. The watcher sleeps until the earliest deadline it has seen;
 * most requests are answered long before, so it wakes about once per timeout rather than once per request. Time is the
 * monotonic clock. If the watcher wakes late, the whole process was paused (SIGSTOP, a sleeping machine): every deadline
 * moves by that time plus one second, so that responses that wait in the pipe are read before their requests time out.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** If the watcher wakes later than this, in milliseconds, the process was paused. */
const pause = 250

/** Additional time after a pause, in milliseconds, to read what arrived during it. */
const grace = 1_000

/** The deadlines of one connection. */
export interface Deadlines {
  /** Calls `expire` with `key` after `millis` milliseconds, unless the deadline is removed before. */
  readonly add: (key: number, millis: number) => void
  /** Removes a deadline. */
  readonly remove: (key: number) => void
}

/** Starts the watcher, which calls `expire` once for each deadline that passes. */
export const make = Effect.fnUntraced(function* (expire: (key: number) => void) {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const due = new Map<number, number>()
  const earlier = Latch.makeUnsafe()
  let wakeAt = Infinity

  const expireDue = () => {
    const at = now()
    for (const [key, deadline] of due) {
      if (deadline > at) continue
      due.delete(key)
      expire(key)
    }
  }

  const shift = (late: number) => {
    if (late <= pause) return false
    for (const [key, deadline] of due) due.set(key, deadline + late + grace)
    return true
  }

  const watch = Effect.suspend(() => {
    earlier.closeUnsafe()
    wakeAt = Infinity
    for (const deadline of due.values()) wakeAt = Math.min(wakeAt, deadline)
    const planned = wakeAt
    if (planned === Infinity) return earlier.await
    const wait = planned - now()
    if (wait <= 0) return Effect.sync(expireDue)
    const sleep = Effect.map(clock.sleep(Duration.millis(wait)), () => {
      if (!shift(now() - planned)) expireDue()
    })
    return Effect.raceFirst(sleep, earlier.await)
  })

  yield* Effect.forkScoped(Effect.forever(watch))

  const deadlines: Deadlines = {
    add: (key, millis) => {
      if (!Number.isFinite(millis)) return
      const at = now() + millis
      due.set(key, at)
      if (at < wakeAt) {
        wakeAt = at
        earlier.openUnsafe()
      }
    },
    remove: (key) => {
      due.delete(key)
    }
  }
  return deadlines
})
