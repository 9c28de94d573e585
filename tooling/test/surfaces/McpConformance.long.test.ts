// The official conformance suite over HTTP, once for each revision of the protocol that the suite knows. The server has the tools
// that the suite prescribes besides those of the product.
import { assert, layer } from "@effect/vitest"
import { listen } from "@sigtrap/mcp/server/HttpListener"
import * as LazyClient from "@sigtrap/mcp/server/LazyClient"
import { Effect, FileSystem, Path, Redacted } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { platform } from "../support/fixturePrograms.ts"
import * as Fixtures from "./conformanceFixtures.ts"
import * as Mcp from "./mcpServers.ts"

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")).replace(
  /package\.json$/,
  "dist/index.js"
)
const expected = fileURLToPath(new URL("mcp-conformance.yaml", import.meta.url))

/** The revisions that the suite has scenarios for. */
const revisions = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

/** The revisions in which a client that initializes a session asks for subscriptions with `resources/subscribe`. */
const stateful = ["2024-11-05", ...revisions.slice(0, 3)]

/** A server with its own daemon, and a folder for results. */
const server = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-mcp-" }))
  const environment = { HOME: directory, TMPDIR: directory, SIGTRAP_RUNTIME_DIR: `${directory}/run` }
  const { token, url } = yield* Mcp.listening({ directory, environment, args: ["--structured", "--isolated"] })
  return { directory, token, url }
})

/** The same server in this process, with the fixtures of the suite registered besides its own tools. */
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
  }).pipe(Effect.provide(LazyClient.isolated))
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

/** Sends one request and returns the text of its answer, and the session that began. */
const post = (url: string, headers: { readonly [name: string]: string }, method: string, params: object) =>
  Effect.promise(async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" }
    const response = await fetch(url, { method: "POST", headers: { ...accept, ...headers }, body })
    return { text: await response.text(), session: response.headers.get("mcp-session-id") ?? "" }
  })

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("the conformance suite of MCP", (it) => {
  for (const revision of revisions) {
    it.effect(`fails with revision ${revision} only where mcp-conformance.yaml says so`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const { directory, token, url } = yield* withFixtures
        const proxy = yield* Mcp.proxied(url, token)
        const results = path.join(directory, "results")
        const options = ["--suite", "all", "--spec-version", revision, "--expected-failures", expected, "-o", results]
        const { code, output } = yield* run([suite, "server", "--url", proxy.url, ...options], directory)
        assert.strictEqual(code, 0, output.slice(-3000))
        const failed: Array<string> = []
        for (const scenario of yield* fs.readDirectory(results)) {
          const checks = JSON.parse(yield* fs.readFileString(path.join(results, scenario, "checks.json")))
          for (const { errorMessage, id, status } of checks) {
            if (status === "WARNING") failed.push(`${id}: ${errorMessage}`)
          }
        }
        assert.deepStrictEqual(failed, [])
      })
    )
  }

  it.effect("announces no subscriptions over HTTP with the revisions that refuse them there", () =>
    Effect.gen(function* () {
      const { token, url } = yield* server
      for (const version of stateful) {
        const authorized = { authorization: `Bearer ${token}` }
        const client = { protocolVersion: version, capabilities: {}, clientInfo: { name: "live", version: "1" } }
        const { session, text } = yield* post(url, authorized, "initialize", client)
        const { protocolVersion, capabilities } = JSON.parse(text).result
        assert.deepStrictEqual([protocolVersion, capabilities.resources.subscribe], [version, false])
        const headers = { ...authorized, "mcp-session-id": session, "mcp-protocol-version": version }
        const refused = yield* post(url, headers, "resources/subscribe", { uri: "sigtrap://sessions" })
        assert.strictEqual(JSON.parse(refused.text).error.code, -32601)
      }
    })
  )
})
