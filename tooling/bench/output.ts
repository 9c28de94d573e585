// Measures the CPU time of the daemon's main thread for pages of output, after a program wrote 10 MB, and how much larger the
// daemon is afterwards.
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { Connection } from "../src/poison/Connection.ts"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import type { Table } from "./Harness.ts"

const rounds = 40

/** Returns the time that the main thread of a process ran, in microseconds (proc(5), schedstat). */
const ran = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000

/** Returns the resident memory of a process in KiB. */
const resident = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

const questions: ReadonlyArray<{ readonly name: string; readonly argv: ReadonlyArray<string> }> = [
  { name: "status", argv: ["status"] },
  { name: "output", argv: ["output"] },
  { name: "output --json", argv: ["output", "--json"] },
  { name: "output --tail 20", argv: ["output", "--tail", "20"] },
  { name: "output in the middle", argv: ["output", "--since", "60+50"] },
  { name: "output before the middle", argv: ["output", "--before", "60+50"] }
]

/** Reads pages of the session `work`. Each is compared with `status`, which the same connection carries. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    RealDaemon.compile(root)
    const { pid, place } = yield* RealDaemon.start(root)
    const connection = new Connection(place.socket)
    const before = resident(pid)
    const rows = yield* Effect.promise(async () => {
      const times = questions.map((): Array<number> => [])
      for (let round = -5; round < rounds; round++) {
        for (const [index, { argv }] of questions.entries()) {
          const from = ran(pid)
          await connection.run([...argv, "--session", "work"], root)
          if (round >= 0) times[index]?.push(ran(pid) - from)
        }
      }
      const floor = times[0]?.toSorted((a, b) => a - b)[rounds / 2] ?? 0
      return questions.map(({ name }, index) => {
        const sorted = times[index]?.toSorted((a, b) => a - b) ?? []
        const [min = 0, median = 0, p90 = 0] = [0, 0.5, 0.9].map((q) => sorted[Math.floor((rounds - 1) * q)])
        return { name, min, median, p90, ...(index === 0 ? {} : { ratio: median / floor }) }
      })
    })
    connection.close()
    process.stdout.write(`resident memory before and after: ${before} KiB, ${resident(pid)} KiB\n`)
    return [{ title: "CPU time of the daemon for a page of 10 MB of output", rounds, rows }]
  }).pipe(Effect.scoped, Effect.runPromise)
