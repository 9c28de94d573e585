/**
 * The deadlines of one connection, watched by one fiber.
 *
 * A fiber for each request would double what a request costs. The watcher sleeps until the earliest deadline it has
 * seen; most requests are answered long before, so it wakes about once in a timeout and not once a request. Time is
 * the monotonic clock. When the watcher itself wakes late, the whole process was paused (a stopped process, a sleeping
 * machine): every deadline moves by as much and a second more, so that what waits in the pipe is read before anybody is
 * told that nothing came. The watcher ends with the scope.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** Waking later than this many milliseconds means that the process was paused. */
const pause = 250

/** What is given, in milliseconds, to read what came during a pause. */
const grace = 1_000

/** The deadlines of one connection. */
interface Deadlines {
  /** Has `expire` called with `key` after so many milliseconds, unless it is removed before. */
  readonly add: (key: number, millis: number) => void
  /** Forgets a deadline. */
  readonly remove: (key: number) => void
}

/** Starts the watcher; `expire` is called once for each deadline that passes. */
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
