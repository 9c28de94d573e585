/**
 * Configurations that were resolved before, for callers that ask at each call.
 *
 * A configuration is used again while its files are unchanged: each is looked at once more, and neither read nor parsed.
 * Files that changed shortly before they were read are read again, because a second change in the same tick of the file
 * system's clock would show the same time. So a changed configuration is never missed. Whether the files are local, so that looking
 * at them does not wait, is asked when they are read, at least once a second.
 */
import { type Errors, MonotonicTime, Operation, Payload, type Settings } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Config from "./Config.ts"
import * as ConfigFileState from "./ConfigFileState.ts"

/** Most configurations that are kept; the oldest is dropped first. */
const maxKept = 64

/** Time after which the owners of the folders are read again, and all files, in milliseconds. */
const lifetime = 1000

/** Age from which the time of a file shows each later change, in milliseconds. That of a file system has ticks of 10 ms. */
const settled = 100

/** Time in which all files must be looked at, in milliseconds; after it they are read, which has a deadline of its own. */
const patience = 1000

/** A configuration, and the state of its files when they were read. */
interface Kept {
  readonly read: number
  readonly state: string | undefined
  /** True if looking at the files does not wait. */
  readonly isLocal: boolean
  readonly exit: Exit.Exit<Config.Resolved, Errors.InvalidConfig>
}

const kept = new Map<string, Kept>()

/** Returns what a configuration depends on besides files. */
const keyOf = (place: Config.Place): string => JSON.stringify([place.directory, place.file, place.environment])

const keep = (key: string, one: Kept): void => {
  kept.delete(key)
  kept.set(key, one)
  for (const [oldest] of kept) if (kept.size > maxKept) kept.delete(oldest)
}

const areLocal = (place: Config.Place) =>
  Effect.timeoutOrElse(ConfigFileState.areLocal(place), { duration: patience, orElse: () => Effect.succeed(false) })

/** Resolves a configuration and keeps it. `state` is that of its files before they are read. */
const read = Effect.fnUntraced(function* (place: Config.Place, key: string, state: ConfigFileState.State | undefined) {
  const begun = yield* MonotonicTime.now
  const isSettled = state !== undefined && state.changed < (yield* Clock.currentTimeMillis) - settled
  const [exit, isLocal] = yield* Effect.all([Effect.exit(Config.resolve(place)), areLocal(place)], {
    concurrency: "unbounded"
  })
  keep(key, { read: begun, state: isSettled ? state.text : undefined, isLocal, exit })
  return yield* exit
})

/** Resolves the configuration of a caller. Unchanged files are not read again. */
export const resolve = Effect.fnUntraced(function* (
  place: Config.Place
): Effect.fn.Return<Config.Resolved, Errors.InvalidConfig> {
  const key = keyOf(place)
  const before = kept.get(key)
  const isLocal = before !== undefined && before.isLocal && (yield* MonotonicTime.now) - before.read < lifetime
  const state = isLocal
    ? ConfigFileState.lookNow(place)
    : yield* Effect.timeoutOrElse(ConfigFileState.look(place), {
        duration: patience,
        orElse: () => Effect.succeed(undefined)
      })
  const known = kept.get(key)
  const isFresh = known !== undefined && (yield* MonotonicTime.now) - known.read < lifetime
  return isFresh && known.state !== undefined && known.state === state?.text
    ? yield* known.exit
    : yield* read(place, key, state)
})

/** True if a call of an operation depends on values of the configuration. */
const usesValues = (operation: Operation.Any): boolean =>
  Object.keys(Operation.meta(operation).settings).length > 0 || Payload.hasField(operation, "settings")

/**
 * Returns the values that the calls of one caller use. For an operation that uses none, a configuration that was resolved
 * within a second is good enough: only a mistake in it matters to that call.
 */
export const valuesFor = (
  place: Config.Place
): ((operation: Operation.Any) => Effect.Effect<Settings.Values, Errors.InvalidConfig>) => {
  const key = keyOf(place)
  const checked = Effect.map(resolve(place), ({ values }) => values)
  return (operation) => {
    if (usesValues(operation)) return checked
    return Effect.flatMap(MonotonicTime.now, (now) => {
      const known = kept.get(key)
      return known !== undefined && now - known.read < lifetime
        ? Effect.map(known.exit, ({ values }) => values)
        : checked
    })
  }
}
