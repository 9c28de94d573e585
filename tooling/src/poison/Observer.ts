/**
 * A client in a process of its own that asks a daemon every few milliseconds, whether or not it answered before. So a daemon
 * that does not answer for a time delays all questions of that time, and work of the attacker delays none.
 */
import { type ChildProcess, fork } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Connection } from "./Connection.ts"

/** Milliseconds between two questions. */
const INTERVAL = 5

/** Questions in flight; the daemon accepts 32 on one connection. */
const MOST = 30

/** What an observer needs: the daemon's socket and pid. */
interface Settings {
  readonly socket: string
  readonly pid: number
}

/** One question. */
export interface Sample {
  /** Milliseconds until the answer. */
  readonly millis: number
  /** Milliseconds of them in which the daemon's main thread ran, and waited for a processor. */
  readonly ran: number
  readonly waited: number
}

/** The questions of an interval. */
export interface Observation {
  readonly samples: ReadonlyArray<Sample>
  /** Questions that were not asked, because too many had no answer. */
  readonly omitted: number
}

const questions: ReadonlyArray<ReadonlyArray<string>> = [["sessions"], ["status", "--session", "work"]]

/** Returns the time that the main thread of a process ran and waited for a processor, in milliseconds (proc(5), schedstat). */
const used = (pid: number): readonly [ran: number, waited: number] => {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")
    return [Number(ran) / 1e6, Number(waited) / 1e6]
  } catch {
    return [0, 0]
  }
}

const observe = ({ pid, socket }: Settings): void => {
  const connection = new Connection(socket)
  let samples: Array<Sample> = []
  let omitted = 0
  let pending = 0
  let asked = 0
  let isEnding = false
  const report = () => {
    isEnding = false
    process.send?.({ samples, omitted } satisfies Observation)
    samples = []
    omitted = 0
  }
  const ask = async () => {
    if (pending >= MOST) {
      omitted += 1
      return
    }
    pending += 1
    const before = performance.now()
    const [ran, waited] = used(pid)
    await connection.run(questions[(asked += 1) % questions.length] ?? [], "/")
    const [ranAfter, waitedAfter] = used(pid)
    samples.push({ millis: performance.now() - before, ran: ranAfter - ran, waited: waitedAfter - waited })
    pending -= 1
    if (pending === 0 && isEnding) report()
  }
  let timer: NodeJS.Timeout | undefined
  process.send?.("ready")
  process.on("message", (message) => {
    if (message === "begin") {
      timer = setInterval(() => void ask(), INTERVAL)
      void ask()
      return
    }
    clearInterval(timer)
    isEnding = true
    if (pending === 0) report()
  })
}

const self = fileURLToPath(import.meta.url)

/** The process that `Observer` starts runs this file with the socket and the pid. */
if (process.argv[1] === self) observe({ socket: process.argv[2] ?? "", pid: Number(process.argv[3]) })

/** An observer of a daemon. */
export class Observer {
  readonly #process: ChildProcess

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  /** Starts the process. */
  static async start({ pid, socket }: Settings): Promise<Observer> {
    const child = fork(self, [socket, String(pid)])
    await new Promise((resolve) => child.once("message", resolve))
    return new Observer(child)
  }

  /** Observes while `work` runs. */
  async during<A>(work: () => Promise<A>): Promise<{ readonly value: A; readonly observation: Observation }> {
    this.#process.send("begin")
    const value = await work()
    const answer = new Promise<Observation>((resolve) => this.#process.once("message", resolve))
    this.#process.send("end")
    return { value, observation: await answer }
  }

  end(): void {
    this.#process.kill()
  }
}
