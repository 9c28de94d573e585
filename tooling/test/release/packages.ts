/**
 * Installs the packed packages into an empty folder and runs them there: with an empty environment, an own HOME and runtime
 * directory, and a PATH that has one
 * runtime, the debug adapter and nothing else.
 */
import { assert } from "@effect/vitest"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Pack from "../../release/Pack.ts"

/** A JavaScript runtime: its executable, and its arguments before the path of a script. */
export interface Runtime {
  readonly name: string
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** The Node that runs the tests. */
export const ownNode: Runtime = { name: "node", program: process.execPath, args: [] }

const modules = join(Pack.root, "node_modules")

/** Bun and Deno as the repository pins them. */
export const others: ReadonlyArray<Runtime> = [
  { name: "bun", program: realpathSync(join(modules, ".bin/bun")), args: [] },
  // The `deno` in .bin is a script for Node.
  {
    name: "deno",
    program: Pack.run(join(modules, ".bin/deno"), ["eval", "console.log(Deno.execPath())"], Pack.root).trim(),
    args: ["run", "--allow-all"]
  }
]

/** Returns another version of Node, from the packages in which npm has its executables. */
export const node = (version: string): Runtime => {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(modules, ".cache/runtimes", version)
  const program = join(folder, "node_modules", name, "bin/node")
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "package.json"), "{}")
    execFileSync("npm", ["install", "--no-audit", "--no-fund", `${name}@${version}`], { cwd: folder, stdio: "ignore" })
  }
  return { name: `node ${version}`, program, args: [] }
}

/** What a command printed, and its exit code. */
interface Outcome {
  readonly code: number | null
  readonly text: string
}

/** A folder into which packages are installed, with a program to debug. */
export interface Installation {
  readonly folder: string
  /** The path of a file of an installed package. */
  readonly file: (path: string) => string
  /** Runs a script of an installed package with a runtime. */
  readonly run: (runtime: Runtime, path: string, ...words: ReadonlyArray<string>) => Outcome
  /** Runs `sigtrap` with a runtime. */
  readonly sigtrap: (runtime: Runtime, ...words: ReadonlyArray<string>) => Outcome
  /** Starts a script of an installed package with a runtime; its standard streams are pipes. */
  readonly spawn: (runtime: Runtime, path: string, ...words: ReadonlyArray<string>) => ChildProcess
  /** Ends the daemon and removes everything. */
  readonly remove: (runtime: Runtime) => void
}

const program = `#include <stdio.h>
int square(int n) { return n * n; }
int main(void) { printf("%d\\n", square(7)); return 0; }
`

/** Packs the packages and installs them into an empty folder with npm. */
export const install = (names: ReadonlyArray<string>): Installation => {
  // Short, because the paths of sockets are limited.
  const top = realpathSync(mkdtempSync("/tmp/sp-"))
  const [folder, home, runtimeDirectory, packs] = ["app", "home", "run", "packs"].map((name) => join(top, name))
  assert(folder !== undefined && home !== undefined && runtimeDirectory !== undefined && packs !== undefined)
  for (const path of [folder, home, packs]) mkdirSync(path)
  mkdirSync(runtimeDirectory, { mode: 0o700 })
  const facts = Pack.shared()
  const tarballs = Pack.workspaces()
    .filter(({ name }) => names.includes(name))
    .map((workspace) => Pack.pack(workspace, packs, facts).file)
  writeFileSync(join(folder, "package.json"), "{}")
  const args = ["install", "--offline", "--no-audit", "--no-fund", ...tarballs]
  const { status, stderr, stdout } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" })
  assert.strictEqual(status, 0, `${stdout}${stderr}`)
  writeFileSync(join(folder, "app.c"), program)
  execFileSync("cc", ["-g", "-O0", "app.c", "-o", "app"], { cwd: folder })

  const debuggerPath = spawnSync("sh", ["-c", "command -v lldb-dap || command -v lldb-dap-19"], {
    encoding: "utf8"
  }).stdout.trim()
  const environmentOf = (runtime: Runtime) => {
    const bin = join(top, `bin-${runtime.name.replaceAll(" ", "-")}`)
    if (!existsSync(bin)) {
      mkdirSync(bin)
      symlinkSync(runtime.program, join(bin, runtime.name.split(" ")[0] ?? "node"))
      if (debuggerPath !== "") symlinkSync(debuggerPath, join(bin, "lldb-dap"))
    }
    return { HOME: home, SIGTRAP_RUNTIME_DIR: runtimeDirectory, PATH: bin, TERM: "dumb", DENO_NO_UPDATE_CHECK: "1" }
  }
  const file = (path: string) => join(folder, "node_modules", path)
  const run: Installation["run"] = (runtime, path, ...words) => {
    const {
      error,
      status: code,
      stderr: problems,
      stdout: text
    } = spawnSync(runtime.program, [...runtime.args, file(path), ...words], {
      cwd: folder,
      env: environmentOf(runtime),
      encoding: "utf8",
      timeout: 60_000
    })
    return { code, text: `${text}${problems}${error?.message ?? ""}` }
  }
  const sigtrap: Installation["sigtrap"] = (runtime, ...words) => run(runtime, "sigtrap/dist/sigtrap.js", ...words)
  return {
    folder,
    file,
    run,
    sigtrap,
    spawn: (runtime, path, ...words) =>
      spawn(runtime.program, [...runtime.args, file(path), ...words], {
        cwd: folder,
        env: environmentOf(runtime),
        stdio: ["pipe", "pipe", "inherit"]
      }),
    remove: (runtime) => {
      sigtrap(runtime, "daemon", "stop", "--force")
      rmSync(top, { recursive: true, force: true })
    }
  }
}

/** The result of a request, as JSON text. */
type Ask = (method: string, params: object) => Promise<string>

/** Talks to an MCP server on its standard streams, and ends it. */
export const mcp = async (server: ChildProcess, work: (ask: Ask) => Promise<void>): Promise<number | null> => {
  const { stdin, stdout } = server
  assert(stdin !== null && stdout !== null)
  const waiting = new Map<number, (line: string) => void>()
  createInterface(stdout).on("line", (line) => {
    const message: { readonly id?: number } = JSON.parse(line)
    if (message.id !== undefined) waiting.get(message.id)?.(line)
  })
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve))
  let last = 0
  // A server that has ended is reported by the answer that never comes.
  stdin.on("error", () => {})
  const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const ask: Ask = (method, params) => {
    last += 1
    const id = last
    const answer = new Promise<string>((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    return Promise.race([answer, ended.then((code) => `the server ended with ${code}`)])
  }
  await ask("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "packed", version: "1" }
  })
  send({ method: "notifications/initialized" })
  await work(ask)
  stdin.end()
  return ended
}

/** Waits for the address that an HTTP server prints, asks for the sessions with its token, and ends it. */
export const http = async (server: ChildProcess): Promise<string> => {
  const { stdout } = server
  assert(stdout !== null)
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()))
  const line = await new Promise<string>((resolve) => createInterface(stdout).once("line", resolve))
  const { token_file: tokenFile, url }: { readonly url: string; readonly token_file: string } = JSON.parse(line)
  const answer = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`, "content-type": "application/json" },
    body: "{}"
  })
  const text = await answer.text()
  server.kill("SIGTERM")
  await ended
  return text
}
