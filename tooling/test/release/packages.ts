/**
 * Installs the packed packages from a registry on the loopback into an empty folder, and runs them there: with an empty environment, an
 * own HOME and runtime directory, and a PATH that has one runtime, the debug adapter and nothing else.
 */
import { assert } from "@effect/vitest"
import { RuntimePath, SupervisorClient } from "@sigtrap/host"
import { Effect, Option, Schedule } from "effect"
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process"
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
import { promisify } from "node:util"
import * as Pack from "../../release/Pack.ts"
import * as Runtimes from "../../release/Runtimes.ts"
import * as PackageRegistry from "./packageRegistry.ts"

/** What installs packages. */
export type Manager = "npm" | "pnpm" | "bun" | "deno"

/** Returns the command with which a package manager installs packages from a registry, and the files that it needs. */
const installation = (
  manager: Manager,
  packages: ReadonlyArray<string>,
  registry: string
): { readonly command: ReadonlyArray<string>; readonly files: { readonly [name: string]: string } } => {
  const empty = { "package.json": "{}" }
  switch (manager) {
    case "npm":
      return { command: ["npm", "install", "--no-audit", "--no-fund", ...packages], files: empty }
    case "pnpm":
      return {
        command: [
          Runtimes.executable(`@pnpm/exe.${Runtimes.platform}`, "12.21.0", "pnpm"),
          "add",
          `--registry=${registry}`,
          "--store-dir=../store",
          ...packages
        ],
        files: empty
      }
    case "bun":
      return { command: [Runtimes.bun.program, "add", `--registry=${registry}`, ...packages], files: empty }
    case "deno":
      return {
        command: [Runtimes.deno.program, "install", ...packages.map((one) => `npm:${one}`)],
        files: { "deno.json": '{ "nodeModulesDir": "auto" }' }
      }
  }
}

/** What a command printed, and its exit code. */
interface Outcome {
  readonly code: number | null
  readonly text: string
}

/** A folder into which packages are installed, with a program to debug. */
export interface Installation {
  readonly folder: string
  /** The runtime directory of its daemon. */
  readonly runtimeDirectory: string
  /** The path of a file of an installed package. */
  readonly file: (path: string) => string
  /** Runs a script of an installed package with a runtime. */
  readonly run: (runtime: Runtimes.Runtime, path: string, ...words: ReadonlyArray<string>) => Outcome
  /** Runs `sigtrap` with a runtime. */
  readonly sigtrap: (runtime: Runtimes.Runtime, ...words: ReadonlyArray<string>) => Outcome
  /** Starts a script of an installed package with a runtime; its standard streams are pipes. */
  readonly spawn: (runtime: Runtimes.Runtime, path: string, ...words: ReadonlyArray<string>) => ChildProcess
  /** Ends the daemon and removes everything. */
  readonly remove: (runtime: Runtimes.Runtime) => void
}

const program = `#include <stdio.h>
int square(int n) { return n * n; }
int main(void) { printf("%d\\n", square(7)); return 0; }
`

/** Packs the packages and installs them into an empty folder. */
export const install = async (names: ReadonlyArray<string>, manager: Manager = "npm"): Promise<Installation> => {
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
  const registry = await PackageRegistry.start(tarballs)
  const wanted = names.map((name) => `${name}@${facts.version}`)
  const { command, files } = installation(manager, wanted, registry.address)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const [installer = "", ...args] = command
  // With caches of its own: a version of this name may be in those of the user.
  const env = {
    ...process.env,
    HOME: home,
    npm_config_registry: registry.address,
    NPM_CONFIG_REGISTRY: registry.address,
    npm_config_cache: join(top, "cache"),
    BUN_INSTALL_CACHE_DIR: join(top, "cache"),
    DENO_DIR: join(top, "cache"),
    DENO_NO_UPDATE_CHECK: "1"
  }
  try {
    await promisify(execFile)(installer, args, { cwd: folder, env })
  } finally {
    registry.end()
  }
  writeFileSync(join(folder, "app.c"), program)
  execFileSync("cc", ["-g", "-O0", "app.c", "-o", "app"], { cwd: folder })

  const debuggerPath = spawnSync("sh", ["-c", "command -v lldb-dap || command -v lldb-dap-19"], {
    encoding: "utf8"
  }).stdout.trim()
  const environmentOf = (runtime: Runtimes.Runtime) => {
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
      timeout: 240_000
    })
    return { code, text: `${text}${problems}${error?.message ?? ""}` }
  }
  const sigtrap: Installation["sigtrap"] = (runtime, ...words) => run(runtime, "sigtrap/dist/sigtrap.js", ...words)
  return {
    folder,
    runtimeDirectory,
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

/** Returns the status that the thread that watches the daemon gives; undefined if it does not answer. It starts after the first session. */
export const watched = ({ runtimeDirectory }: Installation): Promise<SupervisorClient.Answer | undefined> => {
  const place = RuntimePath.resolve({ explicit: runtimeDirectory, environment: {}, uid: process.geteuid?.() ?? -1 })
  assert(place._tag === "Place")
  return SupervisorClient.ask(place, "status", 10_000).pipe(
    Effect.repeat({ until: (answer) => answer !== undefined, schedule: Schedule.spaced("50 millis") }),
    Effect.timeoutOption("10 seconds"),
    Effect.map(Option.getOrUndefined),
    Effect.runPromise
  )
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
  try {
    await work(ask)
  } finally {
    // Ends the server also after a failed check.
    stdin.end()
  }
  return ended
}

/** What an HTTP server prints. */
interface Served {
  readonly url: string
  readonly token_file: string
}

/** Asks an HTTP server for the sessions, with its token. */
const sessionsOver = async ({ token_file: tokenFile, url }: Served): Promise<string> => {
  const answer = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`, "content-type": "application/json" },
    body: "{}"
  })
  return answer.text()
}

/** Waits for the address that an HTTP server prints, asks it for the sessions, and ends it. */
export const http = async (server: ChildProcess): Promise<string> => {
  const { stdout } = server
  assert(stdout !== null)
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()))
  const printed = new Promise<string>((resolve) => createInterface(stdout).once("line", resolve))
  try {
    const line = await Promise.race([printed, ended.then(() => assert.fail("the server ended and printed no address"))])
    return await sessionsOver(JSON.parse(line))
  } finally {
    server.kill("SIGTERM")
    await ended
  }
}

/** Lets the daemon serve HTTP, and asks it for the sessions. */
export const daemonHttp = (installation: Installation, runtime: Runtimes.Runtime): Promise<string> => {
  const { code, text } = installation.sigtrap(runtime, "serve", "--json")
  assert.strictEqual(code, 0, text)
  const { data }: { readonly data: Served } = JSON.parse(text)
  return sessionsOver(data)
}
