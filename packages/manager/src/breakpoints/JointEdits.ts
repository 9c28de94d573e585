/**
 * Adds the breakpoints of several callers at once. While one edit is in progress, requests wait, and the next edit carries
 * all of them. Each caller still gets its own answer and causes the event of its own breakpoint.
 */
import type { Breakpoint } from "@sigtrap/protocol"
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
        }
      } else for (const one of joint) one.isAlone = true
    }
    if (own.created !== undefined) return yield* answer(own.created)
    waiting.delete(own)
    return yield* alone(own.request)
  })

  return (request: Request) =>
    Effect.suspend(() => {
      const own: Waiting = { request, isAlone: false }
      waiting.add(own)
      return Effect.suspend(() => (own.created === undefined ? recorded(addWaiting(own)) : answer(own.created))).pipe(
        oneAtATime,
        Effect.onError(() =>
          Effect.sync(() => {
            waiting.delete(own)
            if (own.created !== undefined) announce(own.created)
          })
        )
      )
    })
}
