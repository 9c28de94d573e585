// Output after a program has written a million lines: the time of a page and what it leaves in memory; and how long another client
// waits for its answers while the program writes, and while one client reads everything that is kept.
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Heap from "../soak/Heap.ts"
import { Connection } from "../src/poison/Connection.ts"
import { Observer, type Sample } from "../src/poison/Observer.ts"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import { latencies, type Row, rowOf, type Table } from "./Harness.ts"

const program = `#include <stdio.h>
void done(void) {}
int main(void) {
  for (int i = 0; i < 1000000; i++) printf("%07d a line of sixty bytes that the program writes, again\\n", i);
  fflush(stdout);
  done();
  return 0;
}
`

const questions: ReadonlyArray<{ readonly name: string; readonly argv: ReadonlyArray<string> }> = [
  { name: "output", argv: ["output"] },
  { name: "output --json", argv: ["output", "--json"] },
  { name: "output --tail 20", argv: ["output", "--tail", "20"] },
  { name: "events", argv: ["events"] },
  { name: "events --json --limit 100", argv: ["events", "--json", "--limit", "100"] }
]

/** Times of reading everything that is kept. */
const readings = 5

/** The aim for the client that only asks, in milliseconds. */
const patience = 20

/** Returns rows of the answers that another client got. */
const rowsOf = (what: string, samples: ReadonlyArray<Sample>): ReadonlyArray<Row> => {
  const row = (name: string, values: ReadonlyArray<number>, more: Partial<Row> = {}) => {
    const micros = values.map((value) => value * 1000)
    const p99 = micros.toSorted((a, b) => a - b)[Math.floor((micros.length - 1) * 0.99)] ?? Number.NaN
    return rowOf(name, micros, { p99, ...more })
  }
  return [
    row(
      `status of another client ${what}`,
      samples.map(({ millis }) => millis),
      { limit99: patience * 1000 }
    ),
    row(
      `— of it, the daemon ran ${what}`,
      samples.map(({ ran }) => ran)
    )
  ]
}

/** Reads all pages from the oldest one. */
const readAll = async (connection: Connection, folder: string): Promise<number> => {
  let bytes = 0
  for (let since: string | undefined = "0"; since !== undefined;) {
    const { text } = await connection.run(
      ["output", "--json", "--budget", "0", "--limit", "1048576", "--since", since, "--session", "work"],
      folder
    )
    const { data } = JSON.parse(text)
    bytes += data.text.length
    since = data.truncated === true ? `${data.next}+${data.next_offset ?? 0}` : undefined
  }
  return bytes
}

/** Measures a session whose program writes 60 MB, of which 10 MB are kept. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    writeFileSync(join(root, "lines.c"), program)
    RealDaemon.compile(root, join(root, "lines.c"))
    process.env["NODE_OPTIONS"] = Heap.environment.NODE_OPTIONS
    const { pid, place } = yield* RealDaemon.start(root, "main").pipe(
      Effect.ensuring(Effect.sync(() => delete process.env["NODE_OPTIONS"]))
    )
    const observer = yield* Effect.acquireRelease(
      Effect.promise(() => Observer.start({ socket: place.socket, pid })),
      (one) => Effect.sync(() => one.end())
    )
    return yield* Effect.promise(async () => {
      const connection = new Connection(place.socket)
      const ask = async (...argv: ReadonlyArray<string>) => {
        const { text } = await connection.run([...argv, "--session", "work"], root)
        if (text === "") throw new Error(`${argv.join(" ")} has no answer`)
      }
      await ask("break", "done")
      const quiet = await observer.during(() => new Promise<void>((resolve) => setTimeout(resolve, 1500)))
      const flood = await observer.during(() => ask("continue", "--timeout", "60s"))
      const heap = await Heap.Heap.open(pid, place.log)
      const before = (await heap.inUse()) ?? Number.NaN
      const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
      const [first] = [resident()]
      const pages = await latencies(
        "Output of 1,000,000 lines, 10 MB kept",
        [
          { name: "status", run: () => ask("status") },
          ...questions.map(({ argv, name }) => ({ name, run: () => ask(...argv), limit: 5000 }))
        ],
        { calls: 5, rounds: 12, warmup: 4 }
      )
      const kept = ((await heap.inUse()) ?? Number.NaN) - before
      let bytes = 0
      const reading = await observer.during(async () => {
        for (let time = 0; time < readings; time++) bytes += await readAll(connection, root)
      })
      const keptAll = ((await heap.inUse()) ?? Number.NaN) - before
      connection.close()
      const MB = 1024 * 1024
      return [
        {
          ...pages,
          rows: [
            ...pages.rows,
            rowOf("memory kept after these pages, after a collection", [Math.max(0, kept / MB)], {
              unit: "MB",
              limit: 1
            }),
            rowOf("memory kept after everything was read", [Math.max(0, keptAll / MB)], { unit: "MB", limit: 1 })
          ],
          notes: [
            `Resident memory of the daemon after the flood: ${first?.toFixed(0)} MB, at the end: ${resident().toFixed(0)} MB.`
          ]
        },
        {
          title: `Answers to another client, every 5 ms; ${(bytes / MB / readings).toFixed(1)} MB are read ${readings} times`,
          rounds: quiet.observation.samples.length,
          rows: [
            ...rowsOf("in an idle daemon", quiet.observation.samples),
            ...rowsOf("during the flood", flood.observation.samples),
            ...rowsOf("while one reads everything", reading.observation.samples)
          ],
          notes: ["“The daemon ran” is the time of its main thread, without waiting for a processor of a busy machine."]
        }
      ]
    })
  }).pipe(Effect.scoped, Effect.runPromise)
