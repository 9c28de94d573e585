/**
 * The removal of the runtime directory. Without it no client can reach the daemon, and `daemon stop` does not find its lock.
 *
 * The kernel reports changes of the directory (inotify, kqueue), so nothing polls. If the directory cannot be watched, its removal is
 * not noticed, and the idle timeout applies.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { watch } from "node:fs"
import { access } from "node:fs/promises"

/** Returns true if nothing has this path. */
const isAbsent = (path: string) =>
  Effect.promise(() =>
    access(path).then(
      () => false,
      () => true
    )
  )

/** Completes when this directory has been removed; never completes if it cannot be watched. */
export const awaitRemoval = Effect.fnUntraced(function* (directory: string) {
  const changes = yield* Queue.sliding<true>(1)
  const changed = () => void Queue.offerUnsafe(changes, true)
  const watcher = yield* Effect.option(
    Effect.acquireRelease(
      Effect.try(() => watch(directory, { persistent: false })),
      (opened) => Effect.sync(() => opened.close())
    )
  )
  if (watcher._tag === "None") return yield* Effect.never
  watcher.value.on("error", changed)
  watcher.value.on("change", (kind) => {
    if (kind === "rename") changed()
  })
  while (!(yield* isAbsent(directory))) yield* Queue.take(changes)
}, Effect.scoped)
