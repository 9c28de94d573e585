/** Tools that some tests need and not every machine has. The end of the run names those that were absent. */
import { execFileSync } from "node:child_process"
import { appendFileSync } from "node:fs"
import { inject } from "vitest"
import { runs } from "../../tools.mjs"

/** Records a tool as absent unless it is present; returns whether it is present. */
export const recorded = (name: string, present: boolean): boolean => {
  if (!present) appendFileSync(inject("absentTools"), `${name}\n`)
  return present
}

/** Returns whether a tool runs in an environment, and records it as absent if it does not. */
export const isPresent = (name: string, environment: { readonly [name: string]: string }): boolean =>
  recorded(name, runs(name, environment))

/** Returns whether hardware watchpoints report writes here, and records them as absent if they do not. */
export const hasWatchpoints = (): boolean => recorded("hardware watchpoints", inject("watchpoints"))

/** Returns the major version of the GDB that would be taken; 0 where there is none. */
export const gdbVersion = (environment: { readonly [name: string]: string }): number => {
  try {
    const text = execFileSync(environment["SIGTRAP_GDB"] ?? "gdb", ["--version"], { encoding: "utf8", stdio: "pipe" })
    return Number.parseInt(/^GNU gdb .*?(\d+)\.\d/m.exec(text)?.[1] ?? "0", 10)
  } catch {
    return 0
  }
}
