// Measures how long another client waits for its answers while a debug adapter floods the daemon: row "flood p99".
import { awaitOutput, child, directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { join } from "node:path"
import * as Attack from "../src/poison/Attack.ts"
import * as Floods from "../src/poison/Floods.ts"
import type { Table } from "./Harness.ts"

const quantile = (sorted: ReadonlyArray<number>, q: number) => (sorted[Math.floor((sorted.length - 1) * q)] ?? 0) * 1000

/** Lets each adapter flood once. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    const path = join(root, "run")
    const { args, program } = Attack.daemon
    const env = { SIGTRAP_RUNTIME_DIR: path, SIGTRAP_POISON_ADAPTERS: "1" }
    yield* awaitOutput(yield* child(program, args, env), "listening")
    const socket = join(path, "daemon.sock")
    const rows = []
    for (const { isLater, poison } of Floods.all) {
      const { times } = yield* Effect.promise(() => Attack.send(poison, socket, root, isLater ? 500 : 1))
      const sorted = times.toSorted((a, b) => a - b)
      const [min, median, p90, p99] = [0, 0.5, 0.9, 0.99].map((q) => quantile(sorted, q))
      const name = `flood p99 ${((p99 ?? 0) / 1000).toFixed(0)} ms: ${poison.name}`
      rows.push({ name, min: min ?? 0, median: median ?? 0, p90: p90 ?? 0 })
    }
    return [{ title: "Answers to another client during floods of an adapter", rounds: 1, rows }]
  }).pipe(Effect.scoped, Effect.runPromise)
