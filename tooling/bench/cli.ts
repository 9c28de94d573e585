// Measures commands as whole processes against the start of the bare runtime: with a running daemon, without one, and those that
// need none. Prints the memory of an idle daemon and the size of the executable.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Candidate, measure, type Table } from "./Harness.ts"
import * as Starts from "./Starts.ts"

const bun = fileURLToPath(new URL("../../node_modules/.bin/bun", import.meta.url))
const bundle = Starts.built("cli/dist/sigtrap.js")
const binary = Starts.built("cli/dist/sigtrap")

/** Commands with an answer that the build computed. */
const fixed = ["--version", "--help", "help start", "schema start", "completion bash"]

/** Runs with a new daemon in a private runtime directory, and stops it afterwards. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const runtime = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  const env = { ...process.env, SIGTRAP_RUNTIME_DIR: runtime, XDG_CACHE_HOME: runtime }
  const node = (...words: ReadonlyArray<string>) => Starts.run(process.execPath, words, env)
  const command =
    (...words: ReadonlyArray<string>) =>
    () =>
      void node(bundle, ...words)
  const nodeFloor: Candidate = { name: "node -e 0", run: () => void node("-e", "0") }
  const floor = nodeFloor.name
  const fixedRows = fixed.map((line) => ({
    name: `sigtrap ${line}`,
    run: command(...line.split(" ")),
    floor,
    target: 1.3
  }))
  const compiled: ReadonlyArray<Candidate> = existsSync(binary)
    ? [
        { name: "bun -e 0", run: () => void Starts.run(bun, ["-e", "0"], env) },
        {
          name: "sigtrap status (executable)",
          run: () => void Starts.run(binary, ["status"], env),
          floor: "bun -e 0",
          target: 1.7
        },
        {
          name: "sigtrap help start (executable)",
          run: () => void Starts.run(binary, ["help", "start"], env),
          floor: "bun -e 0"
        }
      ]
    : []
  /** Ends the daemon at once: its orderly end is no part of the next sample. */
  const kill = () => {
    const { pid }: { readonly pid: number } = JSON.parse(readFileSync(join(runtime, "daemon.json"), "utf8"))
    process.kill(pid, "SIGKILL")
  }
  try {
    // The first daemon leaves its compiled code for the others.
    node(bundle, "daemon", "start")
    node(bundle, "status")
    const memory = Starts.megabytes(JSON.parse(readFileSync(join(runtime, "daemon.json"), "utf8")).pid)
    const size = existsSync(binary) ? `; executable ${Math.round(statSync(binary).size / 1e6)} MB` : ""
    const title = `One command, with a running daemon (idle daemon ${memory} MB, aim ≤ 85${size})`
    const status: Candidate = { name: "sigtrap status", run: command("status"), floor, target: 1.15 }
    const warm = await measure(title, [nodeFloor, status, ...fixedRows, ...compiled], { rounds: 40 })
    node(bundle, "daemon", "stop")
    const cold = await measure(
      "One command that starts the daemon",
      [
        nodeFloor,
        {
          name: "sigtrap status",
          run: () => {
            node(bundle, "status")
            kill()
          },
          floor,
          target: 6
        }
      ],
      { rounds: 15, warmup: 2 }
    )
    return [warm, cold]
  } finally {
    spawnSync(process.execPath, [bundle, "daemon", "stop", "--force"], { env, timeout: 30_000 })
    rmSync(runtime, { recursive: true, force: true })
  }
}
