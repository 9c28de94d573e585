/**
 * The supervisor: a thread of the daemon with its own socket, which answers while the main thread is held by a computation.
 * A daemon runs without it where the thread cannot be started; a client then ends a held daemon itself.
 *
 * The main thread stores its time twice a second. The supervisor lives as long as the process, so that it also answers while
 * the daemon shuts down.
 */
import * as Effect from "effect/Effect"
import { existsSync, lstatSync, rmSync } from "node:fs"
import { Worker } from "node:worker_threads"
import type { Settings } from "./SupervisorProtocol.ts"

/** Time between two stored times, in milliseconds. */
const BEAT = 500

/** Limits of the thread's heap, in MiB. It needs about 3. */
const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }

const isSocket = (path: string): boolean => {
  try {
    return lstatSync(path).isSocket()
  } catch {
    return false
  }
}

const start = (module: string, settings: Omit<Settings, "beat">, interval: number) => {
  const beat = new SharedArrayBuffer(8)
  const time = new BigInt64Array(beat)
  const store = () => {
    Atomics.store(time, 0, process.hrtime.bigint())
    Atomics.notify(time, 0)
  }
  store()
  const timer = setInterval(store, interval)
  const worker = new Worker(module, { workerData: { ...settings, beat }, resourceLimits, env: {} })
  // The thread compares its clock with this one when it starts.
  worker.on("message", store)
  timer.unref()
  worker.unref()
  return { timer, worker }
}

/**
 * Starts the supervisor; `module` is the path of `SupervisorThread`, `interval` the time between two stored times. The end of the scope
 * removes its socket and leaves the thread to the end of the process.
 */
export const run = (module: string | undefined, settings: Omit<Settings, "beat">, interval = BEAT) =>
  module === undefined || !existsSync(module)
    ? Effect.logInfo("no supervisor: its module is not installed")
    : Effect.acquireRelease(
        Effect.try(() => start(module, settings, interval)).pipe(
          Effect.tap(({ worker }) =>
            Effect.map(Effect.context<never>(), (context) => {
              worker.on("error", (error: unknown) =>
                Effect.runForkWith(context)(Effect.logWarning(`the supervisor ended: ${String(error)}`))
              )
            })
          ),
          Effect.catch((error) => Effect.logWarning(`no supervisor: ${String(error.cause)}`))
        ),
        (started) =>
          Effect.sync(() => {
            if (started !== undefined && isSocket(settings.supervisor)) rmSync(settings.supervisor, { force: true })
          })
      ).pipe(Effect.asVoid)
