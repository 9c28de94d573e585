/** Programs that a test builds from a text, in a directory of its own, and debugs on a backend that it names. */
import { assert } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { writeFileSync } from "node:fs"
import { type Debugging, Programs } from "./fixturePrograms.ts"

/** A backend of LLDB. */
export type Backend = "dap" | "lldb-cli"

/** Runs a compiler. A compiler that fails ends the test. */
export const compileWith = Effect.fnUntraced(function* (compiler: string, args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const code = yield* spawner.exitCode(ChildProcess.make(compiler, args))
  assert.strictEqual(code, 0, `${compiler} ${args.join(" ")}`)
})

/** Writes and compiles a program in a directory of its own; returns the path of the program. */
export const build = Effect.fnUntraced(function* (
  file: string,
  source: string,
  compiler: string,
  flags: ReadonlyArray<string>
) {
  const fs = yield* FileSystem.FileSystem
  const { directory } = yield* Programs
  const folder = yield* fs.makeTempDirectoryScoped({ directory, prefix: "entry-" })
  writeFileSync(`${folder}/${file}`, source)
  yield* compileWith(compiler, ["-g", ...flags, `${folder}/${file}`, "-o", `${folder}/program`, "-ldl"])
  return { program: `${folder}/program`, folder }
})

/** The values of the selected frame, by name. */
export const values = (variables: ReadonlyArray<{ readonly name: string; readonly value: string }> | undefined) =>
  Object.fromEntries((variables ?? []).map(({ name, value }) => [name, value]))

/** Starts a program with the sources in its directory. */
export const starting = (
  { start }: Debugging,
  { folder, program }: { readonly folder: string; readonly program: string },
  backend: Backend,
  input: Parameters<Debugging["start"]>[1]
) => start(program, { backend, sources: [folder], ...input })
