/** Programs that a test compiles from sources that it contains. */
import { assert } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

/**
 * Writes sources, by file name, into a folder of the scope, and runs compilers there. Each command is a compiler with its arguments, to
 * which `-g -O0` is added. Returns the folder; a compiler that fails ends the test.
 */
export const compiled = Effect.fnUntraced(function* (
  sources: Readonly<Record<string, string>>,
  ...commands: ReadonlyArray<readonly [compiler: string, ...args: ReadonlyArray<string>]>
) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const cwd = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-compiled-" })
  for (const [name, text] of Object.entries(sources)) yield* fs.writeFileString(`${cwd}/${name}`, text)
  for (const [compiler, ...args] of commands) {
    assert.strictEqual(yield* spawner.exitCode(ChildProcess.make(compiler, ["-g", "-O0", ...args], { cwd })), 0)
  }
  return cwd
})
