// `npm run bench` runs all benches but `peers`, `npm run bench -- cli codec` some. Prints tables, and writes them with the facts of
// the machine to .artifacts/bench.json. `--report` writes docs/performance.md too, from all results that file has. No test asserts
// a time.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Breakpoints from "./breakpoints.ts"
import * as Cli from "./cli.ts"
import * as Codec from "./codec.ts"
import * as Debuggers from "./debuggers.ts"
import * as Floods from "./floods.ts"
import * as Forced from "./forced.ts"
import * as Hunts from "./hunts.ts"
import { markdown, onBusyMachine, type Table } from "./Harness.ts"
import * as Launches from "./launches.ts"
import * as Machine from "./Machine.ts"
import * as Maps from "./maps.ts"
import * as Mcp from "./mcp.ts"
import * as Memory from "./memory.ts"
import * as Observers from "./observers.ts"
import * as OneShot from "./oneshot.ts"
import * as Output from "./output.ts"
import * as Page from "./page.ts"
import * as Peers from "./peers.ts"
import * as Poison from "./poison.ts"
import * as Recording from "./recording.ts"
import * as Report from "./Report.ts"
import * as Requests from "./requests.ts"
import * as Scale from "./scale.ts"
import * as Steps from "./steps.ts"
import * as Surfaces from "./surfaces.ts"

const benches: Readonly<Record<string, () => Promise<ReadonlyArray<Table>>>> = {
  cli: Cli.run,
  mcp: Mcp.run,
  surfaces: Surfaces.run,
  output: Output.run,
  launches: Launches.run,
  oneshot: OneShot.run,
  hunts: Hunts.run,
  breakpoints: Breakpoints.run,
  recording: Recording.run,
  steps: Steps.run,
  debuggers: Debuggers.run,
  requests: Requests.run,
  codec: Codec.run,
  scale: Scale.run,
  maps: Maps.run,
  memory: Memory.run,
  observers: Observers.run,
  floods: Floods.run,
  forced: Forced.run,
  page: Page.run,
  poison: Poison.run
}

/** Benches that run only if they are named: they download. */
const named: typeof benches = { peers: Peers.run }

const words = process.argv.slice(2)
const chosen = words.filter((word) => !word.startsWith("-"))
const selected = chosen.length > 0 ? chosen : words.includes("--report=only") ? [] : Object.keys(benches)
const find = (name: string) => benches[name] ?? named[name]
const unknown = selected.filter((name) => find(name) === undefined)
if (unknown.length > 0) {
  const known = Object.keys({ ...benches, ...named }).join(", ")
  process.stderr.write(`unknown bench: ${unknown.join(", ")}; known: ${known}\n`)
  process.exit(2)
}

const artifacts = fileURLToPath(new URL("../../.artifacts", import.meta.url))
const file = join(artifacts, "bench.json")
mkdirSync(artifacts, { recursive: true })
const earlier = existsSync(file) ? Report.read(readFileSync(file, "utf8")) : {}
const results: Record<string, Report.Result> = { ...earlier }
for (const name of selected) {
  const machine = Machine.facts()
  const measured = (await find(name)?.()) ?? []
  // More runnable processes than one for each processor, and another one, are those of other programs.
  const isBusy = Math.max(machine.load, loadavg()[0] ?? 0) > cpus().length + 1
  const tables = isBusy ? measured.map(onBusyMachine) : measured
  results[name] = { machine, tables }
  for (const table of tables) process.stdout.write(`${markdown(table)}\n`)
  writeFileSync(file, `${JSON.stringify({ results }, undefined, 2)}\n`)
}
if (words.some((word) => word.startsWith("--report"))) {
  const order = Object.keys({ ...benches, ...named })
  writeFileSync(fileURLToPath(new URL("../../docs/performance.md", import.meta.url)), Report.page(results, order))
}
