/**
 * One daemon of a soak with its folders, clients and faults. Arenas run side by side: in one the daemon lives through
 * the whole soak, so that its memory can be measured; in the others it is killed, stopped, and loses disk and clock.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Clients from "./Clients.ts"
import { Clock } from "./Clock.ts"
import * as Heap from "./Heap.ts"
import * as Machine from "./Machine.ts"

/** Size of the file system of a runtime directory that can be filled, in bytes. */
const diskBytes = 4 * 1024 * 1024

/** How an arena is made. */
interface Options {
  readonly folder: string
  /** True if disk and clock of the daemon can be changed. */
  readonly unsafe: boolean
}

/** A daemon with its folders. */
export class Arena implements Clients.Place {
  readonly folder: string
  readonly directory: string
  readonly runtime: string
  readonly environment: { readonly [name: string]: string }
  /** True if the runtime directory is on a file system of its own. */
  readonly canFillDisk: boolean
  /** The wall clock of the arena's processes, if it can be moved. */
  readonly clock: Clock | undefined
  /** True if the daemon may be killed. */
  readonly isUnsafe: boolean
  /** Counts faults that affect all sessions of the arena. */
  epoch = 0
  /** True from the end of a daemon until the next one listens. */
  isDown = false
  /** Faults that no other fault of the arena may overlap wait for each other. */
  #exclusive: Promise<void> = Promise.resolve()

  constructor({ folder, unsafe }: Options) {
    this.folder = folder
    this.isUnsafe = unsafe
    this.directory = join(folder, "work")
    this.runtime = join(folder, "run")
    for (const path of [folder, this.directory, this.runtime, join(folder, "home"), join(folder, "tmp")]) {
      mkdirSync(path, { recursive: true, mode: 0o700 })
    }
    this.canFillDisk =
      unsafe &&
      spawnSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes},mode=0700`, "sigtrap-soak", this.runtime]).status ===
        0
    this.clock = unsafe ? Clock.make(folder) : undefined
    this.environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      SIGTRAP_RUNTIME_DIR: this.runtime,
      LLVM_DISABLE_SYMBOLIZATION: "1",
      ...(unsafe ? {} : Heap.environment),
      ...this.clock?.environment
    }
  }

  /** Runs work that no other exclusive work of this arena overlaps. */
  async alone(work: () => Promise<void>): Promise<void> {
    const before = this.#exclusive
    let done = () => {}
    this.#exclusive = new Promise((resolve) => (done = resolve))
    await before
    try {
      await work()
    } finally {
      done()
    }
  }

  /** Returns whether the daemon has a record of a session on disk. */
  isRecorded(session: string): boolean {
    return existsSync(join(this.runtime, "sessions", `${session}.json`))
  }

  /** The file of the daemon's log. */
  get log(): string {
    return join(this.runtime, "daemon.log")
  }

  /** The last lines of the daemon's log. */
  logTail(): string {
    return existsSync(this.log) ? readFileSync(this.log, "utf8").trimEnd().split("\n").slice(-3).join(" | ") : "no log"
  }

  /** The pid of the daemon that holds the lock; nothing if none runs. */
  daemon(): number | undefined {
    const isDaemon = (pid: number) => Machine.commandLine(pid).includes("\0daemon\0run\0")
    if (this.#daemon !== undefined && isDaemon(this.#daemon)) return this.#daemon
    this.#daemon = Machine.carrying(`=${this.runtime}\0`).find(({ pid }) => isDaemon(pid))?.pid
    return this.#daemon
  }
  #daemon: number | undefined

  /** Runs a command about the daemon. */
  #daemonCommand(word: "start" | "stop"): Promise<void> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [Clients.programs.cli, "daemon", word], {
        env: this.environment,
        cwd: this.directory,
        stdio: "ignore"
      })
      child.once("exit", () => resolve())
    })
  }

  /** Starts the daemon and returns how long that took, in milliseconds. */
  async startDaemon(): Promise<number> {
    await this.clock?.ready()
    const from = performance.now()
    await this.#daemonCommand("start")
    this.epoch++
    this.isDown = false
    return performance.now() - from
  }

  /** Stops the daemon. */
  stopDaemon(): Promise<void> {
    return this.#daemonCommand("stop")
  }

  /** Fills the file system of the runtime directory. */
  fillDisk(): void {
    const { bavail, bsize } = statfsSync(this.runtime)
    const piece = Buffer.alloc(bsize)
    const pieces = Array.from({ length: Number(bavail) }, () => piece)
    try {
      writeFileSync(join(this.runtime, "filler"), Buffer.concat(pieces), { mode: 0o600 })
    } catch {
      // The file system is full, which is what the fault is.
    }
  }

  /** Makes space again. */
  emptyDisk(): void {
    rmSync(join(this.runtime, "filler"), { force: true })
  }

  /** Returns files that no session owns: in the home and temporary folders, and records and pipes of sessions. */
  leftFiles(): ReadonlyArray<string> {
    const below = (path: string) =>
      existsSync(path) ? readdirSync(path, { recursive: true }).map((name) => join(path, String(name))) : []
    // The thin client keeps its compiled code in the user's cache.
    const cache = join(this.folder, "home/.cache")
    return [
      ...below(join(this.folder, "home")).filter((path) => !path.startsWith(cache)),
      ...below(join(this.folder, "tmp")),
      ...below(join(this.runtime, "sessions")),
      ...below(join(this.runtime, "streams"))
    ]
  }
}
