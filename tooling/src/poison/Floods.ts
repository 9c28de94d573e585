/**
 * Debug adapters that send more than they are asked for, and the calls that make them do so.
 */
import { script } from "@sigtrap/host/testing"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Fault } from "./FloodingAdapter.ts"
import type { Poison } from "./Poisons.ts"

const any = /^(?!INTERNAL)[A-Za-z_]+$/

/** Returns a start with an adapter that has a fault. The call ends with the wait, so the flood comes meanwhile. */
const start = (fault: Fault, answer = any): Poison => ({
  name: `flood of ${fault}`,
  files: (directory) => {
    const { args, program } = script(join(import.meta.dirname, "FloodingAdapter.ts"))
    // The directory tells the adapters of one test from others in the process table.
    const words = [program, ...args, fault, directory].map((word) => `'${word}'`).join(" ")
    writeFileSync(join(directory, "adapter"), `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 })
  },
  argv: ["start", "./app", "--adapter", "./adapter", "--break", "main", "--timeout", "20s"],
  answer
})

/** The faults that show while a session starts, and those that come after its first stop. */
export const all: ReadonlyArray<{ readonly poison: Poison; readonly isLater: boolean }> = [
  { poison: start("frames", /^ADAPTER_ERROR$/), isLater: false },
  { poison: start("some frames", /^ok$/), isLater: false },
  { poison: start("variables", /^ADAPTER_ERROR$/), isLater: false },
  { poison: start("some variables", /^ok$/), isLater: false },
  { poison: start("threads"), isLater: false },
  { poison: start("false ids", /^ok$/), isLater: false },
  { poison: start("long value"), isLater: false },
  { poison: start("output"), isLater: true },
  { poison: start("small output"), isLater: true },
  { poison: start("long output"), isLater: true },
  { poison: start("stops"), isLater: true },
  { poison: start("reverse requests"), isLater: true }
]
