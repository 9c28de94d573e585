// Which tools this machine has. A tool is present when it runs: a file of its name on PATH may be a shim without a toolchain
// behind it, as rustup's `rustc` is. tooling/ready.mjs uses this before any dependency is installed.
import { spawnSync } from "node:child_process"
import { basename } from "node:path"

/** Arguments at which a tool that works exits with 0; `--version` for tools that are not listed. */
const trials = new Map([
  ["dlv", ["version"]],
  ["go", ["version"]],
  ["ps", []],
  ["xcrun", ["simctl", "help"]],
  ["lldb-dap", ["--help"]],
  ["lldb-vscode", ["--help"]]
])

/**
 * Returns whether a program runs in an environment.
 * @type {(program: string, env?: { readonly [name: string]: string | undefined }) => boolean}
 */
export const runs = (program, env = process.env) => {
  const name = basename(program).replace(/-\d+$/, "")
  const args = trials.get(name) ?? ["--version"]
  return spawnSync(program, args, { env: { ...env }, stdio: "ignore", timeout: 20_000 }).status === 0
}
