/**
 * What the live tests of one run share: compiled fixtures and bundles, made once before the first test, and the list of tools
 * that tests did not find, which is printed after the last.
 */
import { execFile, execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder of the compiled C and C++ fixtures. Tests copy it. */
    readonly programs: string
    /** File to which tests append the name of each tool that does not run here. */
    readonly absentTools: string
  }
}

const root = fileURLToPath(new URL("../../..", import.meta.url))
const fixtures = join(root, "tooling/fixtures")

/** Options with which every C and C++ program of the tests is compiled. */
export const flags = ["-g", "-O0", "-pthread"]

/** Returns the compiler of a source file. */
export const compilerOf = (source: string) => (source.endsWith(".cpp") ? "c++" : "cc")

const compile = promisify(execFile)

const compileFixtures = (directory: string) =>
  Promise.all(
    ["c", "cpp"].flatMap((language) =>
      readdirSync(join(fixtures, language)).map((name) =>
        compile(compilerOf(name), [
          ...flags,
          join(fixtures, language, name),
          "-o",
          join(directory, name.replace(/\.\w+$/, ""))
        ])
      )
    )
  )

/** Returns the time of the latest change below a folder, in milliseconds. */
const changedAt = (folder: string): number =>
  Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  )

/** Bundles an app again if a source is newer than its bundle, so that no test runs old code. */
const bundle = (app: string, file: string) => {
  const folder = join(root, "apps", app)
  const output = join(folder, "dist", file)
  const packages = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name, "src"))
  const latest = Math.max(...[join(folder, "src"), ...packages].map(changedAt))
  if (existsSync(output) && statSync(output).mtimeMs > latest) return
  execFileSync(process.execPath, [join(root, "tooling/bundle.mjs")], { cwd: folder, stdio: "inherit" })
}

/** Prints the tools that tests did not find, in one line. */
const printAbsent = (file: string) => {
  const names = [...new Set(readFileSync(file, "utf8").split("\n"))].filter((name) => name !== "").toSorted()
  if (names.length > 0) process.stdout.write(`absent on this machine, so not tested: ${names.join(", ")}\n`)
}

/** Compiles the fixtures and bundles the apps; the answer removes them and ends the run. */
export const setup = async (project: TestProject) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-programs-")))
  const programs = join(folder, "programs")
  const absentTools = join(folder, "absent")
  mkdirSync(programs)
  writeFileSync(absentTools, "")
  await compileFixtures(programs)
  bundle("cli", "daemon.mjs")
  bundle("mcp", "sigtrap-mcp.js")
  project.provide("programs", programs)
  project.provide("absentTools", absentTools)
  return () => {
    printAbsent(absentTools)
    rmSync(folder, { recursive: true, force: true })
  }
}
