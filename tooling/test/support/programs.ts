/**
 * What the live tests of one run share: compiled fixtures and bundles, made before the first test unless an earlier run made
 * them of the same sources, and the list of tools that tests did not find, which is printed after the last.
 */
import { execFile, execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, parse } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder of the compiled C and C++ fixtures. Tests copy it. */
    readonly programs: string
    /** File to which tests append the name of each tool that does not run here. */
    readonly absentTools: string
    /** True unless this machine accepts hardware watchpoints and reports no write, as some virtual machines do. */
    readonly watchpoints: boolean
  }
}

const root = fileURLToPath(new URL("../../..", import.meta.url))
const fixtures = join(root, "tooling/fixtures")

/** Options with which every C and C++ program of the tests is compiled. */
export const flags = ["-g", "-O0", "-pthread"]

/** Returns the compiler of a source file. */
export const compilerOf = (source: string) => (source.endsWith(".cpp") ? "c++" : "cc")

const runFile = promisify(execFile)

/** Compiles the fixtures, unless an earlier run did with the same compilers and options; returns the folder of the programs. */
const compileFixtures = async (): Promise<string> => {
  const sources = ["c", "cpp"].flatMap((language) =>
    readdirSync(join(fixtures, language)).map((name) => join(fixtures, language, name))
  )
  const hash = createHash("sha256").update(flags.join(" "))
  for (const compiler of new Set(sources.map(compilerOf))) hash.update(execFileSync(compiler, ["--version"]))
  for (const source of sources) hash.update(source).update(readFileSync(source))
  const folder = join(root, "node_modules/.cache/sigtrap-programs", hash.digest("hex").slice(0, 16))
  if (existsSync(folder)) return folder
  // Complete when it gets its name; two runs may compile at the same time.
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  await Promise.all(
    sources.map((source) => runFile(compilerOf(source), [...flags, source, "-o", join(partial, parse(source).name)]))
  )
  if (existsSync(folder)) rmSync(partial, { recursive: true })
  else renameSync(partial, folder)
  return folder
}

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

/** Returns whether plain LLDB stops at a write of a program; true without LLDB. */
const reportsWrites = async (programs: string): Promise<boolean> => {
  const names = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
  const lldb = names.find((name) => /^lldb(?:-\d+)?$/.test(name))
  if (lldb === undefined) return true
  const lines = ["breakpoint set -n main", "run", "watchpoint set variable written", "continue"]
  const args = ["--batch", "--no-lldbinit", ...lines.flatMap((line) => ["-o", line]), join(programs, "counted")]
  try {
    const { stdout } = await runFile(lldb, args, { timeout: 60_000 })
    return stdout.includes("stop reason = watchpoint")
  } catch {
    // The tests say what does not work.
    return true
  }
}

/** Compiles the fixtures and bundles the apps; the answer ends the run. */
export const setup = async (project: TestProject) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-programs-")))
  const absentTools = join(folder, "absent")
  writeFileSync(absentTools, "")
  const programs = await compileFixtures()
  bundle("mcp", "mcp.mjs")
  bundle("http", "http.mjs")
  bundle("cli", "daemon.mjs")
  project.provide("programs", programs)
  project.provide("absentTools", absentTools)
  project.provide("watchpoints", await reportsWrites(programs))
  return () => {
    printAbsent(absentTools)
    rmSync(folder, { recursive: true, force: true })
  }
}
