/** What the demonstrations share: commands that are shown as a person types them, and run. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

/** The built command. */
export const sigtrap = fileURLToPath(new URL("../../apps/cli/dist/sigtrap.js", import.meta.url))

/** Prints a line. */
export const say = (line = "") => process.stdout.write(`${line}\n`)

const shown = (word: string) => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word}'`)

/** Types commands in a directory; one that fails ends the demonstration. */
export const typing =
  (cwd: string, env: Readonly<Record<string, string | undefined>>) =>
  (...args: ReadonlyArray<string>) => {
    say(`$ sigtrap ${args.map(shown).join(" ")}`)
    const { status } = spawnSync(process.execPath, [sigtrap, ...args], {
      cwd,
      env,
      stdio: ["ignore", "inherit", "inherit"]
    })
    say()
    if (status !== 0) throw new Error(`sigtrap ${args.join(" ")} exited with ${status}`)
  }
