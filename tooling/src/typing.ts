/** Prints commands as they would be typed, and runs them, for the demos. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { ShellWords } from "@sigtrap/protocol"

/** The built command. */
export const sigtrap = fileURLToPath(new URL("../../apps/cli/dist/sigtrap.js", import.meta.url))

/** Prints a line. */
export const say = (line = "") => process.stdout.write(`${line}\n`)

/** Returns a function that prints and runs a command in a directory; it throws if the command fails. */
export const typing =
  (cwd: string, env: Readonly<Record<string, string | undefined>>) =>
  (...args: ReadonlyArray<string>) => {
    say(`$ sigtrap ${ShellWords.join(args)}`)
    const { status } = spawnSync(process.execPath, [sigtrap, ...args], {
      cwd,
      env,
      stdio: ["ignore", "inherit", "inherit"]
    })
    say()
    if (status !== 0) throw new Error(`sigtrap ${args.join(" ")} exited with ${status}`)
  }
