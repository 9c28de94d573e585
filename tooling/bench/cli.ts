// Measures one command, `sigtrap status` with a running daemon, against the start of the bare runtime.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Candidate, measure, type Table } from "./Harness.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const bun = join(root, "node_modules/.bin/bun")
const bundle = join(root, "apps/cli/dist/sigtrap.js")
const binary = join(root, "apps/cli/dist/sigtrap")

/** Runs with a new daemon in a private runtime directory, and stops it afterwards. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const runtime = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  const env = { ...process.env, SIGTRAP_RUNTIME_DIR: runtime }
  const spawn = (file: string, ...args: ReadonlyArray<string>) => {
    const { status, stderr, error } = spawnSync(file, args, { env, encoding: "utf8", timeout: 30_000 })
    if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status ?? error?.message}: ${stderr}`)
  }
  const status =
    (file: string, ...args: ReadonlyArray<string>) =>
    () =>
      spawn(file, ...args, "status")
  const candidates: Array<Candidate> = [
    { name: "node -e 0", run: () => spawn(process.execPath, "-e", "0") },
    { name: "sigtrap status (Node bundle)", run: status(process.execPath, bundle), floor: "node -e 0", target: 1.25 }
  ]
  if (existsSync(binary)) {
    candidates.push(
      { name: "bun -e 0", run: () => spawn(bun, "-e", "0") },
      { name: "sigtrap status (binary)", run: status(binary), floor: "bun -e 0", target: 2 }
    )
  }
  try {
    spawn(process.execPath, bundle, "daemon", "start")
    return [await measure("One command, with a warm daemon", candidates, { rounds: 60 })]
  } finally {
    spawnSync(process.execPath, [bundle, "daemon", "stop"], { env, timeout: 30_000 })
    rmSync(runtime, { recursive: true, force: true })
  }
}
