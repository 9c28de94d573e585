// Measures how long another client waits for its answers while the daemon gets a poison input: row "poison p99".
import { awaitOutput, child, directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { join } from "node:path"
import * as Attack from "../src/poison/Attack.ts"
import * as Poisons from "../src/poison/Poisons.ts"
import type { Table } from "./Harness.ts"

const quantile = (sorted: ReadonlyArray<number>, q: number) => (sorted[Math.floor((sorted.length - 1) * q)] ?? 0) * 1000

/** Sends each poison ten times. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    const path = join(root, "run")
    const { args, program } = Attack.daemon
    yield* awaitOutput(yield* child(program, args, { SIGTRAP_RUNTIME_DIR: path }), "listening")
    const socket = join(path, "daemon.sock")
    yield* Effect.promise(() => Attack.prepare(socket, root))
    const rounds = 10
    const rows = []
    for (const poison of Poisons.all) {
      const times: Array<number> = []
      for (let round = 0; round < rounds; round++) {
        times.push(...(yield* Effect.promise(() => Attack.send(poison, socket, root))).times)
      }
      const sorted = times.toSorted((a, b) => a - b)
      const [min, median, p90, p99] = [0, 0.5, 0.9, 0.99].map((q) => quantile(sorted, q))
      const name = `poison p99 ${((p99 ?? 0) / 1000).toFixed(0)} ms: ${poison.name}`
      rows.push({ name, min: min ?? 0, median: median ?? 0, p90: p90 ?? 0 })
    }
    return [{ title: "Answers to another client during poison inputs", rounds, rows }]
  }).pipe(Effect.scoped, Effect.runPromise)
