/**
 * Adds the breakpoints of several callers at once. While one edit is in progress, requests wait, and the next edit carries
 * all of them: the first that waits carries it out, and the others wait for it. Each caller still gets its own answer and causes the
 * event of its own breakpoint.
 */
import type { Breakpoint } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { placeKey, type Request } from "../model/BreakpointPlace.ts"
import type { Created, Edits } from "./Edits.ts"
import type { Entries } from "./Entries.ts"

/** Dependencies of joint edits. */
export interface Options<E> {
  readonly entries: Entries
  readonly edits: Edits
  /** Returns the highest number so far. */
  readonly last: () => number
  /** Counts numbers that were used. */
  readonly used: (count: number) => void
  /** Adds a breakpoint, or updates the one at its place, within an edit. */
  readonly alone: (request: Request) => Effect.Effect<Breakpoint.Breakpoint, E>
  /** Runs one edit at a time, which an interruption does not end. */
  readonly oneAtATime: <A, F>(edit: Effect.Effect<A, F>) => Effect.Effect<A, F>
  /** Records an edit when it ends. Fails if breakpoints must not be edited now. */
  readonly recorded: <A, F>(edit: Effect.Effect<A, F>) => Effect.Effect<A, E | F>
}

/** A request that waits. */
interface Waiting {
  readonly request: Request
  /** True after a joint edit failed: which of its requests the debugger refused is not known. */
  isAlone: boolean
  created?: Created
  /** Done when the breakpoint was added, or when this request carries out the next edit. */
  readonly turn: Deferred.Deferred<void>
}

/** Makes the function that adds a breakpoint, together with those that wait. */
export const make = <E>({ alone, edits, entries, last, oneAtATime, recorded, used }: Options<E>) => {
  const waiting = new Set<Waiting>()

  /** Returns the waiting requests at places of their own that have no breakpoint yet. */
  const joinable = (): ReadonlyArray<Waiting> => {
    const first = new Map<string, Waiting>()
    for (const one of waiting) {
      const { forUntil, place } = one.request
      const key = placeKey(place)
      if (one.isAlone || forUntil === true || first.has(key) || entries.requestedAt(place).length > 0) continue
      first.set(key, one)
    }
    return [...first.values()]
  }

  const announce = ({ entry, refused }: Created) => {
    const now = entries.get(entry.id)
    if (refused === undefined && now !== undefined && !now.announced) edits.announceNew(now)
  }

  const answer = Effect.fnUntraced(function* (created: Created) {
    if (created.refused !== undefined) return yield* Effect.fail(yield* created.refused)
    announce(created)
    return entries.get(created.entry.id)?.model ?? created.entry.model
  })

  const addWaiting = Effect.fnUntraced(function* (own: Waiting) {
    const joint = joinable()
    if (joint.length > 1 && joint.includes(own)) {
      const made = yield* Effect.result(
        edits.createEach(
          last() + 1,
          joint.map(({ request }) => request)
        )
      )
      if (Result.isSuccess(made)) {
        used(joint.length)
        for (const [index, one] of joint.entries()) {
          const created = made.success[index]
          if (created === undefined) continue
          one.created = created
          waiting.delete(one)
          if (one !== own) Deferred.doneUnsafe(one.turn, Effect.void)
        }
      } else for (const one of joint) one.isAlone = true
    }
    if (own.created !== undefined) return yield* answer(own.created)
    waiting.delete(own)
    return yield* alone(own.request)
  })

  /** The request that carries out the next edit, for all that wait. */
  let leading: Waiting | undefined

  /** Lets the next request that waits carry out an edit. */
  const passOn = () => {
    const [next] = waiting
    leading = next
    if (next !== undefined) Deferred.doneUnsafe(next.turn, Effect.void)
  }

  type Restore = <A, F>(effect: Effect.Effect<A, F>) => Effect.Effect<A, F>

  /** Carries out an edit in its turn. */
  const lead = (own: Waiting, restore: Restore) =>
    Effect.suspend(() => recorded(addWaiting(own))).pipe(
      oneAtATime,
      restore,
      Effect.ensuring(
        Effect.sync(() => {
          waiting.delete(own)
          passOn()
        })
      )
    )

  /** Waits until an edit of another request has added the breakpoint, or for the own turn. */
  const follow = (own: Waiting, restore: Restore) =>
    restore(Deferred.await(own.turn)).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          waiting.delete(own)
          if (own.created !== undefined) announce(own.created)
          else if (leading === own) passOn()
        })
      ),
      Effect.andThen(
        Effect.suspend(() => {
          if (own.created === undefined) return lead(own, restore)
          announce(own.created)
          return restore(answer(own.created))
        })
      )
    )

  return (request: Request) =>
    Effect.uninterruptibleMask((restore) => {
      const own: Waiting = { request, isAlone: false, turn: Deferred.makeUnsafe() }
      waiting.add(own)
      if (leading !== undefined) return follow(own, restore)
      leading = own
      return lead(own, restore)
    })
}
