// Measures commands as whole processes, timed from outside Node, against the start of the bare runtime: with a running daemon,
// without one, and those that need none.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Table } from "./Harness.ts"
import * as ProcessTimer from "./ProcessTimer.ts"
import * as Starts from "./Starts.ts"

const bun = fileURLToPath(new URL("../../node_modules/.bin/bun", import.meta.url))
const bundle = Starts.built("cli/dist/sigtrap.js")
const binary = Starts.built("cli/dist/sigtrap")

/** Commands with an answer that the build computed. */
const fixed = ["--version", "--help", "help start", "schema start", "completion bash"]

/** Runs with a new daemon in a private runtime directory, and stops it afterwards. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const runtime = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  const timer = ProcessTimer.make()
  const env = { ...process.env, SIGTRAP_RUNTIME_DIR: runtime, XDG_CACHE_HOME: runtime }
  const node = (...words: ReadonlyArray<string>) => Starts.run(process.execPath, words, env)
  const nodeFloor: ProcessTimer.Command = { name: "node -e 0", argv: [process.execPath, "-e", "0"], env }
  const floor = nodeFloor.name
  const command = (line: string, target: number): ProcessTimer.Command => ({
    name: `sigtrap ${line}`,
    argv: [process.execPath, bundle, ...line.split(" ")],
    env,
    floor,
    target
  })
  const compiled: ReadonlyArray<ProcessTimer.Command> = existsSync(binary)
    ? [
        { name: "bun -e 0", argv: [realpathSync(bun), "-e", "0"], env },
        { name: "sigtrap status (executable)", argv: [binary, "status"], env, floor: "bun -e 0", target: 1.7 },
        { name: "sigtrap help start (executable)", argv: [binary, "help", "start"], env, floor: "bun -e 0" }
      ]
    : []
  const pid = (): number => JSON.parse(readFileSync(join(runtime, "daemon.json"), "utf8")).pid
  /** Ends the daemon at once, so that the next sample does not contain its orderly end. */
  const kill = () => {
    if (existsSync(join(runtime, "daemon.json"))) process.kill(pid(), "SIGKILL")
  }
  try {
    const idle = () => {
      node(bundle, "daemon", "start")
      node(bundle, "status")
      return Starts.megabytes(pid())
    }
    // The first daemon compiles its code, which it leaves for the others when it ends, and keeps memory that this took.
    const first = idle()
    node(bundle, "daemon", "stop")
    const memory = idle()
    const size = existsSync(binary) ? `; executable ${Math.round(statSync(binary).size / 1e6)} MB` : ""
    const title = `One command, with a running daemon (idle daemon ${memory} MB, aim ≤ 85; the first one of a version ${first} MB${size})`
    const warm = ProcessTimer.measure(
      timer,
      title,
      [nodeFloor, command("status", 1.15), ...fixed.map((line) => command(line, 1.3)), ...compiled],
      { rounds: 40 }
    )
    node(bundle, "daemon", "stop")
    const cold = ProcessTimer.measure(
      timer,
      "One command that starts the daemon",
      [nodeFloor, { ...command("status", 6), before: kill }],
      { rounds: 15, warmup: 2 }
    )
    return [warm, cold]
  } finally {
    timer.close()
    spawnSync(process.execPath, [bundle, "daemon", "stop", "--force"], { env, timeout: 30_000 })
    rmSync(runtime, { recursive: true, force: true })
  }
}
