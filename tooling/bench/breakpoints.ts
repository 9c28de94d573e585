// 800 breakpoints in one file. The floors are those of lldb-dap alone: `breakpoint set` on LLDB's command line for one, and
// `setBreakpoints` with all of them for those that are set at the same time.
import { Sigtrap } from "@sigtrap/host"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Table } from "./Harness.ts"
import { RawAdapter } from "./RawAdapter.ts"

const count = 800
const rounds = 3
const functions = 40
const linesEach = 20

/** Writes and compiles a program with `count` lines of code. */
const compiled = (folder: string) => {
  const lines = ["static volatile int sink;"]
  const places: Array<number> = []
  for (let index = 0; index < functions; index++) {
    lines.push(`static int work${index}(int a, int b) {`)
    for (let line = 0; line < linesEach; line++) places.push(lines.push(`  sink = a * ${line} + b;`))
    lines.push("  return a + b;", "}")
  }
  const main = lines.push("int main(void) {", "  int total = 0;")
  for (let index = 0; index < functions; index++) lines.push(`  total += work${index}(total, ${index});`)
  lines.push("  return total & 1;", "}")
  const source = join(folder, "many.c")
  const program = join(folder, "many")
  writeFileSync(source, `${lines.join("\n")}\n`)
  const { status } = spawnSync("cc", ["-g", "-O0", source, "-o", program])
  if (status !== 0) throw new Error("a C compiler is needed for this bench")
  return { main, places: places.slice(0, count), program, source }
}

type Program = ReturnType<typeof compiled>

const micros = (since: number) => (performance.now() - since) * 1000

/** The times of lldb-dap alone: all at once, and the first and last 100 of single commands. */
const raw = async ({ main, places, program, source }: Program) => {
  const adapter = new RawAdapter()
  await adapter.launch(program, source, main)
  const since = performance.now()
  await adapter.request("setBreakpoints", { source: { path: source }, breakpoints: places.map((line) => ({ line })) })
  const all = micros(since)
  await adapter.request("setBreakpoints", { source: { path: source }, breakpoints: [] })
  const each: Array<number> = []
  for (const line of places) {
    const start = performance.now()
    await adapter.request("evaluate", { expression: `\`breakpoint set -f ${source} -l ${line}`, context: "repl" })
    each.push(micros(start))
  }
  await adapter.end()
  return { all, each }
}

/** The same of a session. */
const session = ({ main, places, program, source }: Program, backend: "dap" | "lldb-cli", together: boolean) =>
  Effect.gen(function* () {
    const debug = yield* Sigtrap.make({ isolated: true })
    yield* debug.start({ program, break: [`${source}:${main}`], backend })
    const each: Array<number> = []
    const since = performance.now()
    yield* Effect.forEach(
      places,
      (line) =>
        Effect.suspend(() => {
          const start = performance.now()
          return Effect.map(debug.break({ at: `${source}:${line}` }), () => each.push(micros(start)))
        }),
      { concurrency: together ? "unbounded" : 1, discard: true }
    )
    const all = micros(since)
    yield* debug.stop({})
    return { all, each }
  }).pipe(Effect.scoped, Effect.runPromise)

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
const middle = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/**
 * The targets, as multiples of lldb-dap alone: for each of them one by one, and for all at the same time.
 * They are 0.5 ms beside 0.25 ms, and 250 ms beside 108 ms, on the machine where the targets were set.
 */
const targets = { each: 2, together: 2.3 }

/** The most that the last ones may cost, beside the first: means of 100 calls differ by a tenth between rounds. */
const flat = 1.1

const row = (
  name: string,
  values: ReadonlyArray<number>,
  floor?: ReadonlyArray<number>,
  aim: { readonly target?: number; readonly limit?: number } = {}
) => ({
  name,
  min: Math.min(...values),
  median: middle(values),
  p90: Math.max(...values),
  ...(floor === undefined ? {} : { ratio: middle(values) / middle(floor) }),
  ...aim
})

/** Measures breakpoints one by one and at the same time, on both backends, interleaved with the floors. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  try {
    const program = compiled(folder)
    const results: Array<{ readonly [name: string]: { readonly all: number; readonly each: ReadonlyArray<number> } }> =
      []
    for (let round = 0; round < rounds; round++) {
      results.push({
        raw: await raw(program),
        dap: await session(program, "dap", false),
        cli: await session(program, "lldb-cli", false),
        dapTogether: await session(program, "dap", true),
        cliTogether: await session(program, "lldb-cli", true)
      })
    }
    const each = (name: string, from = 0, to = count) =>
      results.map((one) => mean(one[name]?.each.slice(from, to) ?? []))
    const all = (name: string) => results.map((one) => one[name]?.all ?? Number.NaN)
    const first = (name: string) => each(name, 0, 100)
    const last = (name: string) => each(name, count - 100)
    return [
      {
        title: `${count} breakpoints in one file, one by one (mean of each)`,
        rounds,
        rows: [
          row("breakpoint set, in lldb-dap alone", each("raw")),
          row("dap", each("dap"), each("raw"), { target: targets.each }),
          row("lldb-cli", each("cli"), each("raw"), { target: targets.each })
        ]
      },
      {
        title: "The last 100 of them, beside the first 100",
        rounds,
        rows: [
          row("first 100, dap", first("dap")),
          row("last 100, dap", last("dap"), first("dap"), { target: flat }),
          row("first 100, lldb-cli", first("cli")),
          row("last 100, lldb-cli", last("cli"), first("cli"), { target: flat })
        ]
      },
      {
        title: `${count} breakpoints in one file at the same time`,
        rounds,
        rows: [
          row("one setBreakpoints, in lldb-dap alone", all("raw")),
          row("dap, together", all("dapTogether"), all("raw"), { target: targets.together }),
          row("lldb-cli, together", all("cliTogether"), all("raw"), { target: targets.together })
        ]
      }
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
