/**
 * Starts daemons until one listens. Plain code without Effect, since the thin client uses it too; the callers connect and
 * wait between two attempts.
 */
import * as DaemonLauncher from "./Launcher.ts"
import type { Place } from "../../runtime/RuntimePath.ts"

/** How long a daemon may take to listen, in milliseconds. */
const LIMIT = 5000

/**
 * The start of a daemon. A new daemon exits with 0 if another holds the lock; that one may be shutting down, so a daemon
 * is started again.
 */
export class Startup {
  readonly #command: DaemonLauncher.Command
  readonly #place: Place
  readonly #deadline = performance.now() + LIMIT
  #ended: number | string | undefined = 0

  constructor(command: DaemonLauncher.Command, place: Place) {
    this.#command = command
    this.#place = place
  }

  /** Starts a daemon unless one is starting. Returns why none will listen; absent while one may. */
  next(): string | undefined {
    if (this.#ended !== undefined && this.#ended !== 0) return this.#failed(`ended with ${this.#ended}`)
    if (performance.now() > this.#deadline) return this.#failed(`did not listen within ${LIMIT / 1000} s`)
    if (this.#ended === undefined) return undefined
    this.#ended = undefined
    try {
      void DaemonLauncher.start(this.#command, this.#place).ended.then((how) => {
        this.#ended = how
      })
      return undefined
    } catch (error) {
      return `a daemon cannot be started: ${String(error)}`
    }
  }

  #failed(how: string): string {
    return `a daemon was started and ${how}${DaemonLauncher.logTail(this.#place.log)}`
  }
}
