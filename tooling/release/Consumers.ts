/**
 * The programs of examples/ as users run them: with the packages from a registry, in an empty folder, on each runtime. What they print is
 * compared with the guides.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { prepare } from "../fake-xcrun/src/Seed.ts"
import * as ExampleBlocks from "../src/exampleBlocks.ts"
import type * as Manifest from "./Manifest.ts"
import * as Pack from "./Pack.ts"
import * as Runtimes from "./Runtimes.ts"

/** Node before 22.18 runs TypeScript with an option only. */
const typed = (runtime: Runtimes.Runtime): Runtimes.Runtime => ({
  ...runtime,
  args: ["--experimental-strip-types", "--no-warnings"]
})

const runtimes = (): ReadonlyArray<Runtimes.Runtime> => [
  typed(Runtimes.node("22.15.0")),
  Runtimes.node("24"),
  Runtimes.node("26"),
  Runtimes.bun,
  Runtimes.deno
]

const programs = ["docs/guide/library.md", "docs/guide/http.md"].flatMap(ExampleBlocks.programs)

/** Returns the packages that the examples need, with their versions. */
const dependencies = ({ catalog, version }: Manifest.Shared): { readonly [name: string]: string } => {
  const names = programs.flatMap(({ file }) => {
    const text = readFileSync(join(Pack.root, dirname(file), "package.json"), "utf8")
    const manifest: { readonly dependencies: object } = JSON.parse(text)
    return Object.keys(manifest.dependencies)
  })
  return Object.fromEntries([...names, "sigtrap"].map((name) => [name, catalog[name] ?? version]))
}

/** Returns the first of these programs on PATH. */
const find = (...names: ReadonlyArray<string>): string | undefined =>
  names
    .map((name) => spawnSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim())
    .find((path) => path !== "")

/** Runs the examples with the packages of a registry on each runtime; `settings` are options of npm. Needs LLDB and a C compiler. */
export const run = (settings: ReadonlyArray<string>, facts: Manifest.Shared, say: (text: string) => void): void => {
  const versions = ["", "-20", "-19", "-18"]
  const [lldb, adapter] = ["lldb", "lldb-dap"].map((name) => find(...versions.map((version) => name + version)))
  if (lldb === undefined || adapter === undefined || find("cc") === undefined) {
    return say("examples: not run, because lldb, lldb-dap or cc is missing")
  }
  // Short, because the paths of sockets are limited.
  const top = realpathSync(mkdtempSync("/tmp/se-"))
  const [folder, bin, work, machine] = ["app", "bin", "work", "machine"].map((name) => join(top, name))
  if (folder === undefined || bin === undefined || work === undefined || machine === undefined) return
  for (const path of [folder, bin, work]) mkdirSync(path)
  mkdirSync(join(top, "run"), { mode: 0o700 })
  symlinkSync(lldb, join(bin, "lldb"))
  symlinkSync(adapter, join(bin, "lldb-dap"))
  prepare(machine, {})
  const manifest = { type: "module", dependencies: dependencies(facts) }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  Pack.run("npm", ["install", "--no-audit", "--no-fund", ...settings], folder)
  for (const { file } of programs) cpSync(join(Pack.root, file), join(folder, file), { recursive: true })
  for (const name of ["sums-adapter.mjs", "four.sums"])
    cpSync(join(Pack.root, "examples/adapter", name), join(work, name))
  cpSync(join(Pack.root, "tooling/fixtures/c/app.c"), join(work, "app.c"))
  Pack.run("cc", ["-g", "-O0", "-o", "app", "app.c"], work)
  const environment = (runtime: Runtimes.Runtime) => ({
    // The example of another debugger starts it with node.
    PATH: [
      join(folder, "node_modules/.bin"),
      bin,
      dirname(runtime.program),
      dirname(Runtimes.ownNode.program),
      "/usr/bin",
      "/bin"
    ].join(":"),
    HOME: top,
    TERM: "dumb",
    DENO_NO_UPDATE_CHECK: "1",
    SIGTRAP_RUNTIME_DIR: join(top, "run"),
    SIGTRAP_XCRUN: join(Pack.root, "tooling/fake-xcrun/bin/xcrun"),
    SIGTRAP_SIM_STATE: machine
  })
  const sigtrap = join(folder, "node_modules/sigtrap/dist/sigtrap.js")
  try {
    for (const runtime of runtimes()) {
      const env = environment(runtime)
      for (const { file, isTest, output } of programs) {
        const path = join(folder, file)
        if (isTest) {
          const vitest = join(folder, "node_modules/vitest/vitest.mjs")
          // Vitest runs its tests in threads and processes of Node only.
          if (runtime.name.startsWith("node"))
            Pack.run(runtime.program, [vitest, "run", "--root", dirname(path), "--dir", dirname(path)], work, env)
          continue
        }
        const text = Pack.run(runtime.program, [...runtime.args, path], work, env)
        if (!new RegExp(`^${ExampleBlocks.pattern(output).source}$`, "u").test(text.trim())) {
          throw new Error(`${file} printed on ${runtime.name}:\n${text}\ninstead of:\n${output}`)
        }
      }
      Pack.run(runtime.program, [...runtime.args, sigtrap, "daemon", "stop", "--force"], work, env)
      say(`${programs.length} examples run on ${runtime.name}`)
    }
  } finally {
    Pack.run(process.execPath, [sigtrap, "daemon", "stop", "--force"], work, environment(Runtimes.ownNode))
    rmSync(top, { recursive: true, force: true })
  }
}
