// The official conformance suite over HTTP, once for each revision of the protocol that the suite knows. The server has the tools
// that the suite prescribes besides those of the product.
import { assert, layer } from "@effect/vitest"
import { listen } from "@sigtrap/mcp/server/HttpListener"
import * as LazyClient from "@sigtrap/mcp/server/LazyClient"
import { Effect, FileSystem, Path, Redacted } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { compile, platform } from "../support/fixturePrograms.ts"
import { fixture } from "../support/fixtures.ts"
import * as Fixtures from "./conformanceFixtures.ts"
import * as Mcp from "./mcpServers.ts"

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")).replace(
  /package\.json$/,
  "dist/index.js"
)

/** The revisions that the suite has scenarios for. */
const revisions = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

/** The server in this process, with the fixtures of the suite registered besides its own tools. */
const withFixtures = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-mcp-" }))
  const token = "conformance"
  const { url } = yield* listen({
    version: "0.0.0",
    caller: { directory, environment: {} },
    profile: "default",
    allow: [],
    structured: true,
    port: 0,
    token: Redacted.make(token),
    more: Fixtures.layer
  }).pipe(Effect.provide(LazyClient.isolated()))
  return { directory, token, url }
})

/** Runs a program of Node to its end. */
const run = (args: ReadonlyArray<string>, cwd: string) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
        const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
        let output = ""
        child.stdout.on("data", (text) => (output += String(text)))
        child.stderr.on("data", (text) => (output += String(text)))
        child.once("exit", (code) => resolve({ code, output }))
      })
  )

/** The events of a client's stream that name a resource. */
const updates = (client: Mcp.Agent["client"]) => {
  const seen: Array<string> = []
  const first = new Promise<void>((resolve) => {
    client.fallbackNotificationHandler = ({ method, params }) => {
      seen.push(`${method} ${String(params?.["uri"])}`)
      resolve()
      return Promise.resolve()
    }
  })
  return { first, seen }
}

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("the conformance suite of MCP", (it) => {
  for (const revision of revisions) {
    it.effect(`has no failure with revision ${revision}`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const { directory, token, url } = yield* withFixtures
        const proxy = yield* Mcp.proxied(url, token)
        const results = path.join(directory, "results")
        const options = ["--suite", "all", "--spec-version", revision, "-o", results]
        const { code, output } = yield* run([suite, "server", "--url", proxy.url, ...options], directory)
        assert.strictEqual(code, 0, output.slice(-3000))
        const failed: Array<string> = []
        for (const scenario of yield* fs.readDirectory(results)) {
          const checks = JSON.parse(yield* fs.readFileString(path.join(results, scenario, "checks.json")))
          for (const { errorMessage, id, status } of checks) {
            if (status === "WARNING" || status === "FAILURE") failed.push(`${id}: ${errorMessage}`)
          }
        }
        assert.deepStrictEqual(failed, [])
      })
    )
  }

  it.effect(
    "is complemented by a client of the official SDK, which is notified over HTTP of a session of the debugger",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-mcp-" }))
        const adapter = process.env["SIGTRAP_LLDB_DAP"]
        const environment = {
          HOME: directory,
          TMPDIR: directory,
          SIGTRAP_RUNTIME_DIR: `${directory}/run`,
          ...(adapter === undefined ? {} : { SIGTRAP_LLDB_DAP: adapter })
        }
        const { token, url } = yield* Mcp.listening({ directory, environment, args: ["--isolated"] })
        const uri = "sigtrap://sessions/default"
        const { call, client } = yield* Mcp.http(url, token)
        const { first, seen } = updates(client)
        const program = `${directory}/app`
        yield* compile(fixture("c/app.c"), program)
        const started = yield* call("start", { program, break: ["main"] })
        assert.isFalse(started.failed, started.text)
        yield* Effect.promise(() => client.subscribeResource({ uri }))
        assert.isFalse((yield* call("next")).failed)
        yield* Effect.promise(() => first)
        assert.include(seen, `notifications/resources/updated ${uri}`)
        yield* call("stop")
      })
  )
})
