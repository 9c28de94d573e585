/** The LLDB that the live tests of this package use. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { Parse } from "../src/index.ts"

const names = ["lldb", ...Array.from({ length: 27 }, (_, index) => `lldb-${40 - index}`)]

/** The LLDB in SIGTRAP_LLDB, or the newest on PATH, with its major version. */
export const find = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const named = globalThis.process?.env["SIGTRAP_LLDB"]
  for (const name of named === undefined ? names : [named]) {
    const said = yield* Effect.option(spawner.string(ChildProcess.make(name, ["--version"])))
    const version = Option.isSome(said) ? Parse.version(said.value) : undefined
    if (version !== undefined) return { name, major: Number.parseInt(version, 10) }
  }
  return assert.fail("There is no lldb on PATH: install LLDB (sigtrap setup lldb-dap says how).")
})
