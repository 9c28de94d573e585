// Starts main.ts as a bundle with cached code: Node needs three times as long for the sources, and a test makes dozens of calls.
// The bundle is made again when a source is newer. Where it cannot be made, Node strips the types of the sources.
import { execFileSync } from "node:child_process"
import { readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { join } from "node:path"

const sources = join(import.meta.dirname, "src")
const output = join(import.meta.dirname, "dist/main.mjs")
const modules = join(import.meta.dirname, "../../node_modules")

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Bundles the sources. The file gets its name when it is complete, as two calls may make it at once. */
const bundle = () => {
  const own = `${output}.${process.pid}.mjs`
  try {
    execFileSync(join(modules, ".bin/bun"), ["build", "--target=node", `--outfile=${own}`, join(sources, "main.ts")], {
      stdio: "ignore",
      env: { PATH: process.env["PATH"] }
    })
    renameSync(own, output)
    return true
  } catch {
    rmSync(own, { force: true })
    return false
  }
}

const latest = Math.max(...readdirSync(sources).map((name) => changedAt(join(sources, name))))
if (changedAt(output) > latest || bundle()) {
  enableCompileCache(join(modules, ".cache/fake-xcrun"))
  await import("./dist/main.mjs")
} else await import("./src/main.ts")
