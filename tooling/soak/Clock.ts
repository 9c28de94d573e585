/**
 * The wall clock of the processes of an arena, which libfaketime moves. Their monotonic clock does not change.
 *
 * libfaketime makes shared objects named by pid. A process that is killed leaves them, and a later process with the same pid
 * then ends before its main function. So one process that is not killed makes them, and all others use these.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { until } from "./Timeouts.ts"

const libraries = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map(
  (folder) => `/usr/lib/${folder}/faketime/libfaketime.so.1`
)

/** Returns the file of libfaketime; `undefined` if it is absent. */
const library = () => libraries.find((path) => existsSync(path))

/** A wall clock that can be moved. */
export class Clock {
  readonly #file: string
  readonly #holder: ChildProcess
  /** What processes with this clock need. */
  readonly environment: { readonly [name: string]: string }

  private constructor(folder: string, preload: string) {
    this.#file = join(folder, "clock")
    // It ends with this process, whose end closes its input.
    this.#holder = spawn("/bin/cat", [], {
      env: { LD_PRELOAD: preload, FAKETIME: "+0" },
      stdio: ["pipe", "ignore", "ignore"]
    })
    this.#holder.unref()
    this.environment = {
      LD_PRELOAD: preload,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_SHARED: `/faketime_sem_${this.#holder.pid} /faketime_shm_${this.#holder.pid}`
    }
    this.step(0)
  }

  /** Makes a clock with a file in a folder; `undefined` without libfaketime. */
  static make(folder: string): Clock | undefined {
    const preload = library()
    return preload === undefined ? undefined : new Clock(folder, preload)
  }

  /** Waits until processes can use the clock. */
  async ready(): Promise<void> {
    const made = () => existsSync(`/dev/shm/sem.faketime_sem_${this.#holder.pid}`)
    if (!(await until(5000, made))) throw new Error("libfaketime made no shared objects")
  }

  /** Moves the clock to this many milliseconds from that of the machine. A reader sees the old or the new time. */
  step(millis: number): void {
    const seconds = Math.round(millis / 1000)
    writeFileSync(`${this.#file}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`)
    renameSync(`${this.#file}.new`, this.#file)
  }
}
