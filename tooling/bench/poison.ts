// Measures how long another client waits for its answers while a daemon with a session of lldb-dap gets a poison input: once,
// and many times at once. The other client asks every 5 ms. The variable
// POISON is a regular expression that chooses poisons by name.
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { copyFileSync, mkdtempSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import * as Attack from "../src/poison/Attack.ts"
import { Connection } from "../src/poison/Connection.ts"
import { Observer, type Sample } from "../src/poison/Observer.ts"
import * as Poisons from "../src/poison/Poisons.ts"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import type { Table } from "./Harness.ts"

/** Copies of a command line that are sent at once: the limit of one connection. And of bytes, each on its own connection. */
const COPIES = { argv: 32, bytes: 4 }

const quantile = (sorted: ReadonlyArray<number>, q: number) => sorted[Math.floor((sorted.length - 1) * q)] ?? 0

const longest = (samples: ReadonlyArray<Sample>): Sample =>
  samples.reduce((most, one) => (one.millis > most.millis ? one : most), { millis: 0, ran: 0, waited: 0 })

const text = (samples: ReadonlyArray<Sample>, omitted: number) => {
  const sorted = samples.map(({ millis }) => millis).toSorted((a, b) => a - b)
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(sorted, q).toFixed(0).padStart(4))
  const { ran, waited } = longest(samples)
  const counts = `${String(samples.length).padStart(4)} answers${omitted > 0 ? `, ${omitted} omitted` : ""}`
  return `${p50} ${p99} ${max}  (ran ${ran.toFixed(0)}, waited ${waited.toFixed(0)}; ${counts})`
}

/** Ends the sessions that a poison has started. */
const clean = async (socket: string, folder: string) => {
  const connection = new Connection(socket)
  const listed = await connection.run(["sessions", "--json"], folder)
  const names = [...listed.text.matchAll(/"name":"(poison-[^"]*)"/g)].map(([, name = ""]) => name)
  for (const name of new Set(names)) await connection.run(["stop", "--session", name], folder)
  connection.close()
}

/** Prints p50, p99 and the maximum of the other client for each poison, in milliseconds. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    RealDaemon.compile(root)
    const { pid, place } = yield* RealDaemon.start(root)
    const { socket } = place
    const observer = yield* Effect.acquireRelease(
      Effect.promise(() => Observer.start({ socket, pid })),
      (one) => Effect.sync(() => one.end())
    )
    yield* Effect.promise(async () => {
      const wait = () => new Promise<readonly string[]>((resolve) => setTimeout(() => resolve(["-"]), 1000))
      const quiet = await observer.during(wait)
      process.stdout.write(`quiet: ${text(quiet.observation.samples, quiet.observation.omitted)}\n`)
      const chosen = new RegExp(process.env["POISON"] ?? "")
      for (const poison of Poisons.all.filter(({ name }) => chosen.test(name))) {
        const folder = mkdtempSync(join(root, "poison-"))
        copyFileSync(join(root, "app"), join(folder, "app"))
        poison.files?.(folder)
        const before = performance.now()
        const one = await observer.during(() => Attack.sendMany(poison, socket, folder, 1))
        const took = performance.now() - before
        await clean(socket, root)
        const [code = ""] = one.value
        process.stdout.write(
          `${poison.name}: ${code} in ${took.toFixed(0)} ms, load ${loadavg()[0]?.toFixed(1)}\n   one  ${text(one.observation.samples, one.observation.omitted)}\n`
        )
        const copies = "argv" in poison ? (code === "ok" && poison.argv[0] === "start" ? 0 : COPIES.argv) : COPIES.bytes
        if (copies === 0) continue
        const all = await observer.during(() => Attack.sendMany(poison, socket, folder, copies))
        process.stdout.write(
          `   many ${text(all.observation.samples, all.observation.omitted)} ${[...new Set(all.value)].join()}\n`
        )
        await clean(socket, root)
      }
    })
    return []
  }).pipe(Effect.scoped, Effect.runPromise)
