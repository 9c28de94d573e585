// Steps of one driver, alone and with 20 observers over HTTP, in pairs: an observer may cost the driver at most a tenth of a
// step. Every observer must see every stop, in order.
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Connection } from "../src/poison/Connection.ts"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import type { Table } from "./Harness.ts"

const rounds = 5
const steps = 200
const observers = 20

const loop = `int main(void) {
  volatile unsigned n = 0;
  for (;;) {
    n += 1;
    n ^= 3;
  }
}
`

/** Steps the program; returns the time of one step in microseconds, and the numbers of its stops. */
const drive = async (connection: Connection, folder: string) => {
  const stops: Array<number> = []
  const start = performance.now()
  for (let step = 0; step < steps; step++) {
    const { text } = await connection.run(["--json", "--session", "work", "next"], folder)
    stops.push(JSON.parse(text).stop)
  }
  return { micros: ((performance.now() - start) * 1000) / steps, stops }
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Checks what the observers saw; each line names a difference. */
const differences = (seen: ReadonlyArray<ReadonlyArray<number>>, stops: ReadonlyArray<number>) =>
  seen.flatMap((own, index) => {
    const missing = stops.filter((stop) => !own.includes(stop)).length
    const isOrdered = own.every((stop, at) => at === 0 || stop >= (own[at - 1] ?? 0))
    return missing === 0 && isOrdered ? [] : [`observer ${index}: ${missing} stops missing, in order: ${isOrdered}`]
  })

/** Measures rounds of steps, alone and observed. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const folder = yield* directory
    writeFileSync(join(folder, "loop.c"), loop)
    RealDaemon.compile(folder, join(folder, "loop.c"))
    const { place } = yield* RealDaemon.start(folder, "main")
    const connection = new Connection(place.socket)
    const served = RealDaemon.serve(folder)
    const watching = fork(
      fileURLToPath(new URL("ObserverProcess.ts", import.meta.url)),
      [served.url, served.token_file, String(observers)],
      { execArgv: process.execArgv }
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => watching.kill()))
    const told = (message: "open" | "close") => {
      const answer = once(watching, "message")
      watching.send(message)
      return answer
    }
    const alone: Array<number> = []
    const observed: Array<number> = []
    yield* Effect.promise(async () => {
      await drive(connection, folder)
      for (let round = 0; round < rounds; round++) {
        alone.push((await drive(connection, folder)).micros)
        await told("open")
        const { micros, stops } = await drive(connection, folder)
        observed.push(micros)
        // Events are gathered for some milliseconds before they are sent.
        await new Promise((resolve) => setTimeout(resolve, 200))
        const [seen] = await told("close")
        for (const text of differences(seen, stops)) process.stdout.write(`${text}\n`)
      }
    })
    connection.close()
    const row = (name: string, times: ReadonlyArray<number>) => ({
      name,
      min: Math.min(...times),
      median: median(times),
      p90: Math.max(...times)
    })
    const table: Table = {
      title: `One step of a driver, ${rounds} rounds of ${steps} steps`,
      rounds,
      rows: [
        row("alone", alone),
        {
          ...row(`with ${observers} observers`, observed),
          ratio: median(observed.map((micros, index) => micros / (alone[index] ?? micros))),
          target: 1.1
        }
      ]
    }
    return [table]
  }).pipe(Effect.scoped, Effect.runPromise)
