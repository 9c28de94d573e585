// Measures how long another client waits for its answers while the daemon gets a poison input, or a flood of a debug adapter:
// row "poison p99".
import { awaitOutput, child, directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { join } from "node:path"
import * as Attack from "../src/poison/Attack.ts"
import * as Floods from "../src/poison/Floods.ts"
import * as Poisons from "../src/poison/Poisons.ts"
import type { Table } from "./Harness.ts"

const quantile = (sorted: ReadonlyArray<number>, q: number) => (sorted[Math.floor((sorted.length - 1) * q)] ?? 0) * 1000

/** Asks a daemon during each poison, a number of rounds. */
const tableOf = Effect.fnUntraced(function* (
  title: string,
  rounds: number,
  poisons: ReadonlyArray<{ readonly poison: Poisons.Poison; readonly least: number }>,
  env: Record<string, string>
) {
  const root = yield* directory
  const path = join(root, "run")
  const { args, program } = Attack.daemon
  yield* awaitOutput(yield* child(program, args, { SIGTRAP_RUNTIME_DIR: path, ...env }), "listening")
  const socket = join(path, "daemon.sock")
  if (env["SIGTRAP_POISON_ADAPTERS"] === undefined) yield* Effect.promise(() => Attack.prepare(socket, root))
  const rows = []
  for (const { least, poison } of poisons) {
    const times: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      times.push(...(yield* Effect.promise(() => Attack.send(poison, socket, root, least))).times)
    }
    const sorted = times.toSorted((a, b) => a - b)
    const [min, median, p90, p99] = [0, 0.5, 0.9, 0.99].map((q) => quantile(sorted, q))
    const name = `poison p99 ${((p99 ?? 0) / 1000).toFixed(0)} ms: ${poison.name}`
    rows.push({ name, min: min ?? 0, median: median ?? 0, p90: p90 ?? 0 })
  }
  return { title, rounds, rows }
})

/** Sends each poison ten times, and lets each adapter flood once. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.all([
    tableOf(
      "Answers to another client during poison inputs",
      10,
      Poisons.all.map((poison) => ({ poison, least: 1 })),
      {}
    ),
    tableOf(
      "Answers to another client during floods of an adapter",
      1,
      Floods.all.map(({ isLater, poison }) => ({ poison, least: isLater ? 500 : 1 })),
      { SIGTRAP_POISON_ADAPTERS: "1" }
    )
  ]).pipe(Effect.scoped, Effect.runPromise)
