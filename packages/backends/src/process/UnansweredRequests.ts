/**
 * Reports that a debugger does not answer: a request waits, and the debugger has sent no message for `after` milliseconds. The next
 * message of the debugger, of any kind, ends that state.
 *
 * One fiber waits while requests wait; it ends with the scope.
 */
import { type Event, MonotonicTime } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"

/** Time without a message after which a debugger counts as not responding, in milliseconds. */
const after = 5000

/** The requests of one debugger that wait for an answer. */
export interface UnansweredRequests {
  /** Runs a request. `name` is that of the debugger. */
  readonly during: <A, E, R>(name: string, request: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Notes a message of the debugger. */
  readonly heard: () => void
}

/** Makes the record of one connection. `emit` gets `Unanswered` and `Answered`, in turn. */
export const make: (emit: (event: Event.Event) => void) => Effect.Effect<UnansweredRequests, never, Scope.Scope> =
  Effect.fnUntraced(function* (emit) {
    const clock = yield* Clock.Clock
    const waiting = new Map<number, { readonly name: string; readonly since: number }>()
    const wake = yield* Latch.make(false)
    let count = 0
    let heardAt = 0
    let reported = false

    /** Returns the request that waits longest, and since when nothing was heard. */
    const longest = () => {
      const [first] = waiting.values()
      return first === undefined ? undefined : { name: first.name, since: Math.max(first.since, heardAt) }
    }

    const watch = Effect.gen(function* () {
      yield* wake.await
      const first = longest()
      if (first === undefined || reported) return yield* wake.close
      const silence = MonotonicTime.read(clock) - first.since
      if (silence < after) return yield* Effect.sleep(after - silence)
      reported = true
      emit({ _tag: "Unanswered", request: first.name, millis: Math.round(silence) })
    })
    yield* Effect.forkScoped(Effect.forever(watch))

    return {
      during: (name, request) =>
        Effect.suspend(() => {
          const id = (count += 1)
          waiting.set(id, { name, since: MonotonicTime.read(clock) })
          wake.openUnsafe()
          return Effect.ensuring(
            request,
            Effect.sync(() => waiting.delete(id))
          )
        }),
      heard: () => {
        heardAt = MonotonicTime.read(clock)
        if (!reported) return
        reported = false
        emit({ _tag: "Answered" })
        wake.openUnsafe()
      }
    }
  })
