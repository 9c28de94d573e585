/**
 * The requests that one call sends to debuggers: which wait for an answer, and which were left unanswered.
 *
 * The time limit of a request counts once in a call, not once for each request: after a debugger has left a request unanswered, other
 * requests of the call get what is left of that limit, at least `least`, and requests of the same name fail at once. Otherwise a
 * debugger that never answers would hold a call for the limit of each of its requests.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as MonotonicTime from "../MonotonicTime.ts"

/** The shortest limit of a request that comes after an unanswered one, in milliseconds. */
const least = 1000

/** What one debugger has left unanswered in a call. */
interface Silence {
  /** Names of the requests. */
  readonly names: Set<string>
  /** Time that the call has waited for them, in milliseconds. */
  lost: number
  /** When the last one reached its limit (`MonotonicTime`). */
  at: number
}

/** The requests of one call. */
export interface CallRequests {
  /** Names of the requests that wait for an answer, oldest first, and requests of others whose answers the call awaits. */
  readonly waiting: Map<symbol, string | CallRequests>
  /** What each debugger has left unanswered, by its connection. */
  readonly silences: WeakMap<object, Silence>
}

/** The requests of the running call. Absent for work without a call. */
export const Current = Context.Reference<CallRequests | undefined>("@sigtrap/protocol/CallRequests", {
  defaultValue: () => undefined
})

/** Makes the requests of a call. Those of a call inside of another one wait in both. */
export const make = (outer: CallRequests | undefined): CallRequests => ({
  waiting: outer?.waiting ?? new Map(),
  silences: new WeakMap()
})

/** Returns the name of the request that has waited longest. */
export const longest = (requests: CallRequests | undefined): string | undefined => {
  for (const one of requests?.waiting.values() ?? []) {
    const name = typeof one === "string" ? one : longest(one)
    if (name !== undefined) return name
  }
  return undefined
}

/** A kind of request to one debugger. */
export interface Kind<E> {
  readonly connection: object
  readonly name: string
  /** The time limit of each request, in milliseconds. */
  readonly millis: number
  /** True if an error says that the limit has passed. */
  readonly isLate: (error: E) => boolean
  /** Returns that error. */
  readonly late: (millis: number) => E
}

/** Runs a request within the limit that its call has left. */
export const limited = <A, E, R>(
  { connection, isLate, late, millis, name }: Kind<E>,
  request: (millis: number) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.all([Current, MonotonicTime.now]), ([call, started]) => {
    if (call === undefined) return request(millis)
    const known = call.silences.get(connection)
    const silence = known !== undefined && started - known.at < millis ? known : undefined
    if (silence?.names.has(name) === true) return Effect.fail(late(millis))
    const limit = silence === undefined ? millis : Math.min(millis, Math.max(least, millis - silence.lost))
    const expired = Effect.map(MonotonicTime.now, (at) => {
      const names = new Set(silence?.names).add(name)
      call.silences.set(connection, { names, lost: (silence?.lost ?? 0) + limit, at })
    })
    return during(
      call,
      name,
      Effect.tapError(request(limit), (error) => (isLate(error) ? expired : Effect.void))
    )
  })

/** Runs a request that has a time limit of its own, or awaits requests of others. */
export const noted = <A, E, R>(name: string | CallRequests, request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Current, (call) => (call === undefined ? request : during(call, name, request)))

const during = <A, E, R>({ waiting }: CallRequests, name: string | CallRequests, request: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const id = Symbol("request")
    waiting.set(id, name)
    return Effect.ensuring(
      request,
      Effect.sync(() => waiting.delete(id))
    )
  })
