/**
 * The command that a client's settings have for this server. A path inside the cache of a package runner (npx, bunx, deno)
 * stops working when the cache is cleaned, so such a program is named by its package and version instead.
 */
import { realpathSync } from "node:fs"
import { basename } from "node:path"
import type { DaemonLauncher } from "@sigtrap/host"

/** A program with its first arguments. */
export type ServerCommand = DaemonLauncher.Command

/** How this process was started. */
export interface Origin {
  /** The command that starts `sigtrap`; absent if the process is the server's own executable. */
  readonly sigtrap?: ServerCommand | undefined
  /** The runtime's executable, and the script that it runs. */
  readonly runtime: string
  readonly script: string
  readonly version: string
}

/** Package runners, by a part of the paths in their caches. */
const runners: ReadonlyArray<readonly [cache: RegExp, command: string, args: ReadonlyArray<string>, prefix: string]> = [
  [/\/_npx\//, "npx", ["-y"], ""],
  [/\/(?:dlx-[^/]*|pnpm\/dlx)\//, "pnpm", ["dlx"], ""],
  [/\/\.?bunx-/, "bunx", ["--bun"], ""],
  [/\/npm\/registry\.[^/]*\/|\/deno\/npm\//, "deno", ["run", "--allow-all"], "npm:"]
]

/** Returns the command of the server for the settings of a client. */
export const of = ({ runtime, script, sigtrap, version }: Origin): ServerCommand => {
  const path = sigtrap?.args.at(-1) ?? script
  const runner = runners.find(([cache]) => cache.test(path))
  if (runner !== undefined) {
    const [, program, args, prefix] = runner
    return { program, args: [...args, `${prefix}sigtrap@${version}`, "mcp"] }
  }
  if (sigtrap !== undefined) return { program: sigtrap.program, args: [...sigtrap.args, "mcp"] }
  return { program: runtime, args: basename(script).startsWith("sigtrap-mcp") ? [script] : [script, "mcp"] }
}

/** Returns how this process was started. The script of the compiled executable is in no file. */
export const origin = (version: string, sigtrap: ServerCommand | undefined): Origin => {
  const [runtime, script = runtime] = [process.execPath, process.argv[1]]
  const isCompiled = sigtrap?.args.length === 0
  return { sigtrap, version, runtime, script: isCompiled ? runtime : realpathSync(script) }
}
