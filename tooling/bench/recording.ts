// Values at each pass of a place: messages of logpoints and records of traces, in time for one pass. They are compared with the manager,
// which writes each message after a stop.
import { Sigtrap } from "@sigtrap/host"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Table } from "./Harness.ts"

const rounds = 3

/** The targets in microseconds: five times the 110 passes a second (dap) and 75 (lldb-cli) that the manager once wrote. */
const limits: { readonly [backend: string]: number } = { dap: 1_000_000 / 550, "lldb-cli": 1_000_000 / 375 }

/** Passes of one sample of the manager, and of the others. */
const passes = { slow: 60, fast: 600 }

const source = `#include <stdio.h>
#include <stdlib.h>
static int work(int i, long total) {
  return i + (int)total % 7;
}
int main(int argc, char **argv) {
  long total = 0;
  int rounds = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i < rounds; i++) total += work(i, total);
  printf("%ld\\n", total);
  return 0;
}
`

type Backend = "dap" | "lldb-cli"
type How = "by the manager" | "by a script" | "by the adapter"

/** Returns the microseconds of one pass. */
const message = (program: string, at: string, backend: Backend, how: How) =>
  Effect.gen(function* () {
    const count = how === "by the manager" ? passes.slow : passes.fast
    const debug = yield* Sigtrap.make({ isolated: true })
    yield* debug.start({ program, args: [`${count}`], break: ["main"], backend })
    // The manager writes all messages of a logpoint with such a count.
    const hits = how === "by the manager" ? { hits: `<${count + 1}` } : {}
    yield* debug.logpoint({ at, message: "i={i} total={total}", max: count, ...hits })
    const since = performance.now()
    yield* debug.continue({ timeout: "60s" })
    const micros = ((performance.now() - since) * 1000) / count
    yield* debug.stop({})
    return micros
  }).pipe(Effect.scoped, Effect.runPromise)

const record = (program: string, at: string, backend: Backend, engine: "script" | "adapter") =>
  Effect.gen(function* () {
    const count = engine === "adapter" ? passes.slow : passes.fast
    const debug = yield* Sigtrap.make({ isolated: true })
    yield* debug.start({ program, args: [`${count}`], break: ["main"], backend })
    const since = performance.now()
    yield* debug.trace({ specs: [`${at} :: {i} {total}`], max: 10_000, for: "60s", engine })
    const micros = ((performance.now() - since) * 1000) / count
    yield* debug.stop({})
    return micros
  }).pipe(Effect.scoped, Effect.runPromise)

const middle = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Measures each way on both backends, interleaved. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  try {
    const [file, program] = [join(folder, "passes.c"), join(folder, "passes")]
    writeFileSync(file, source)
    if (spawnSync("cc", ["-g", "-O0", file, "-o", program]).status !== 0) throw new Error("a C compiler is needed")
    const line = `${file}:4`
    const ways: ReadonlyArray<readonly [string, () => Promise<number>, string | undefined]> = [
      ["dap: logpoint by the manager", () => message(program, "work", "dap", "by the manager"), undefined],
      ["dap: logpoint on a function", () => message(program, "work", "dap", "by a script"), "dap"],
      ["dap: logpoint on a line", () => message(program, line, "dap", "by the adapter"), "dap"],
      ["dap: trace", () => record(program, line, "dap", "script"), "dap"],
      ["lldb-cli: logpoint by the manager", () => message(program, line, "lldb-cli", "by the manager"), undefined],
      ["lldb-cli: logpoint", () => message(program, line, "lldb-cli", "by a script"), "lldb-cli"],
      ["lldb-cli: trace", () => record(program, line, "lldb-cli", "script"), "lldb-cli"]
    ]
    const samples = new Map<string, Array<number>>(ways.map(([name]) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, measure] of ways) samples.get(name)?.push(await measure())
    }
    const rows = ways.map(([name, , backend]) => {
      const values = samples.get(name) ?? []
      const floor = samples.get(`${backend}: logpoint by the manager`)
      return {
        name,
        min: Math.min(...values),
        median: middle(values),
        p90: Math.max(...values),
        ...(floor === undefined ? {} : { ratio: middle(values) / middle(floor), limit: limits[backend ?? ""] ?? 0 })
      }
    })
    const perSecond = (name: string) => Math.round(1_000_000 / middle(samples.get(name) ?? []))
    const notes = ways.map(([name]) => `${name}: ${perSecond(name)} passes a second.`)
    return [{ title: "Values of two variables at each pass of a place (time for one pass)", rounds, rows, notes }]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
