// Checks the types of the workspace as two programs, at the same time; fails when either has an error.
//
// tsconfig.json holds every source and test. One program reads what its files share once: it takes a fifth of the time that a
// program for each package takes. tsconfig.portable.json repeats the sources of all packages but `host` without the types of
// a runtime, which the first program cannot leave out. Each program has one checker: a second one checks shared types again,
// which costs more than it saves when two programs run on two cores.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const cache = join(root, "node_modules", ".cache", "tsc")
mkdirSync(cache, { recursive: true })

// A build info does not notice a changed `exports` or dependency, and would repeat old errors or hide new ones. So its name
// contains a hash of every manifest and configuration.
const hash = createHash("sha256")
for (const folder of [
  "",
  "tooling",
  ...["packages", "apps", "examples"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name))
  )
])
  for (const file of ["package.json", "tsconfig.json", "tsconfig.base.json", "tsconfig.portable.json", "bun.lock"]) {
    const path = join(root, folder, file)
    if (existsSync(path)) hash.update(path).update(readFileSync(path))
  }
const version = hash.digest("hex").slice(0, 12)

/** Checks one program. Nothing is emitted, so a build info that outlives a deleted file cannot hide an output. */
const check = (config) =>
  new Promise((resolve) => {
    const info = join(cache, `${config}.${version}.tsbuildinfo`)
    const args = ["-p", config, "--checkers", "1", "--incremental", "--tsBuildInfoFile", info]
    const child = spawn(join(root, "node_modules/.bin/tsc"), args, { cwd: root, stdio: "inherit" })
    child.once("error", () => resolve(1))
    child.once("exit", (code) => resolve(code ?? 1))
  })

const codes = await Promise.all(["tsconfig.json", "tsconfig.portable.json"].map(check))
process.exitCode = Math.max(...codes)
