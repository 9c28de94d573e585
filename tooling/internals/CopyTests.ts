/**
 * Runs tests in a copy of the repository. A process in the copy (`TestProcess`) runs them; one that hangs is killed with its
 * children, and the next run gets a new one.
 */
import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"

/** What the process in the copy shall run. */
export interface Request {
  /** The test file, relative to the root of the repository. */
  readonly test: string
  /** Parts of the titles; none: all tests of the file. */
  readonly titles: ReadonlyArray<string>
  /** Sources that have changed since the last run, as absolute paths. */
  readonly changed: ReadonlyArray<string>
}

/** The results of a run: names of the tests that passed and failed, and the text of the failures. */
export interface Results {
  readonly passed: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
  readonly output: string
}

/** Time of a run for each of its titles, in milliseconds; a test that hangs has noticed its mutant. */
const runLimit = 150_000

/** A copy of the repository in which tests run, one request at a time. */
export class CopyTests {
  readonly folder: string
  #process: Promise<ChildProcess> | undefined

  /** `folder` contains the copy. */
  constructor(folder: string) {
    this.folder = folder
  }

  #start(): Promise<ChildProcess> {
    const child = fork(join(this.folder, "tooling/internals/TestProcess.ts"), [], {
      cwd: this.folder,
      execArgv: ["--conditions=@sigtrap/source"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      detached: true,
      env: { ...process.env, NODE_ENV: "test" }
    })
    return new Promise((resolve, reject) => {
      child.once("message", () => resolve(child))
      child.once("exit", (code) => reject(new Error(`the process that runs tests ended with ${code}`)))
    })
  }

  /** Runs tests. Those of a run that takes too long count as failed. */
  async run(request: Request): Promise<Results> {
    this.#process ??= this.#start()
    const child = await this.#process
    return new Promise((resolve) => {
      const answer = (results: Results) => {
        clearTimeout(timer)
        child.removeAllListeners("message")
        child.removeAllListeners("exit")
        resolve(results)
      }
      const lost = (output: string, failed: ReadonlyArray<string>) => {
        this.end()
        answer({ passed: [], failed, output })
      }
      const limit = runLimit * Math.max(1, request.titles.length)
      const timer = setTimeout(() => lost(`no result after ${limit} ms`, request.titles), limit)
      child.once("message", answer)
      child.once("exit", (code) => lost(`the process that runs tests ended with ${code}`, []))
      child.send(request)
    })
  }

  /** Kills the process with its children. */
  end(): void {
    const child = this.#process
    this.#process = undefined
    void child?.then(({ pid }) => {
      if (pid === undefined) return
      try {
        process.kill(-pid, "SIGKILL")
      } catch {
        // It has ended.
      }
    })
  }
}
