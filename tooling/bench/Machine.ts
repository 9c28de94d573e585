// The facts of the machine of a measurement.
import { spawnSync } from "node:child_process"
import { cpus, loadavg, release, totalmem } from "node:os"

/** The facts of a machine at a time. */
export interface Facts {
  /** When, as an ISO date with minutes. */
  readonly time: string
  readonly commit: string
  readonly system: string
  readonly processors: string
  readonly memory: string
  readonly node: string
  readonly debuggers: string
  /** The mean number of runnable processes in the last minute, when the bench began. */
  readonly load: number
}

const firstLine = (program: string, ...args: ReadonlyArray<string>): string =>
  (spawnSync(program, args, { encoding: "utf8" }).stdout ?? "").split("\n")[0]?.trim() ?? ""

/** Returns the facts of this machine. */
export const facts = (): Facts => {
  const [processor] = cpus()
  const debuggers = [
    firstLine("lldb-dap", "--version") || firstLine("lldb", "--version"),
    firstLine("gdb", "--version")
  ]
  return {
    time: new Date().toISOString().slice(0, 16),
    commit: firstLine("git", "rev-parse", "--short", "HEAD"),
    system: `${process.platform} ${process.arch}, kernel ${release().split("-")[0]}`,
    processors: `${cpus().length} × ${processor?.model.trim() ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 1024 ** 3)} GiB`,
    node: process.version,
    debuggers: debuggers.filter((one) => one !== "").join("; "),
    load: loadavg()[0] ?? 0
  }
}
