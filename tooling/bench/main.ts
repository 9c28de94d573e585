// `npm run bench` runs all benches, `npm run bench -- cli codec` some. Prints tables, and writes them with the facts of the
// machine to .artifacts/bench.json. No test asserts a time.
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Breakpoints from "./breakpoints.ts"
import * as Cli from "./cli.ts"
import * as Codec from "./codec.ts"
import * as Debuggers from "./debuggers.ts"
import * as Floods from "./floods.ts"
import * as Forced from "./forced.ts"
import { markdown, type Table } from "./Harness.ts"
import * as Mcp from "./mcp.ts"
import * as Observers from "./observers.ts"
import * as Output from "./output.ts"
import * as Page from "./page.ts"
import * as Poison from "./poison.ts"
import * as Requests from "./requests.ts"
import * as Steps from "./steps.ts"

const benches: Readonly<Record<string, () => Promise<ReadonlyArray<Table>>>> = {
  breakpoints: Breakpoints.run,
  cli: Cli.run,
  codec: Codec.run,
  debuggers: Debuggers.run,
  floods: Floods.run,
  forced: Forced.run,
  mcp: Mcp.run,
  observers: Observers.run,
  output: Output.run,
  page: Page.run,
  poison: Poison.run,
  requests: Requests.run,
  steps: Steps.run
}

const selected = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benches)
const unknown = selected.filter((name) => benches[name] === undefined)
if (unknown.length > 0) {
  process.stderr.write(`unknown bench: ${unknown.join(", ")}; known: ${Object.keys(benches).join(", ")}\n`)
  process.exit(2)
}

const machine = { platform: process.platform, arch: process.arch, node: process.version, cpus: cpus().length }
const results: Record<string, ReadonlyArray<Table>> = {}
for (const name of selected) {
  const tables = (await benches[name]?.()) ?? []
  results[name] = tables
  for (const table of tables) process.stdout.write(`${markdown(table)}\n`)
}

const artifacts = fileURLToPath(new URL("../../.artifacts", import.meta.url))
mkdirSync(artifacts, { recursive: true })
writeFileSync(join(artifacts, "bench.json"), `${JSON.stringify({ machine, results }, undefined, 2)}\n`)
