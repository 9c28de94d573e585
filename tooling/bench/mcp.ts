// Measures the MCP server: the time from its start to the answer of `initialize`, the first list of tools after that, and its
// memory when idle.
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { measure, type Table } from "./Harness.ts"

const bundle = fileURLToPath(new URL("../../apps/mcp/dist/sigtrap-mcp.js", import.meta.url))

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" }
}

/** A server that has answered `initialize`. */
const start = async (runtime: string, profile: string) => {
  const child = spawn(process.execPath, [bundle, "--profile", profile], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, SIGTRAP_RUNTIME_DIR: runtime, XDG_CACHE_HOME: runtime }
  })
  let unread = ""
  const waiting = new Map<number, (line: string) => void>()
  child.stdout.on("data", (text) => {
    unread += String(text)
    const lines = unread.split("\n")
    unread = lines.pop() ?? ""
    for (const line of lines) waiting.get(JSON.parse(line).id)?.(line)
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const request = (id: number, method: string, params: object = {}) =>
    new Promise<string>((resolve) => {
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  await request(1, "initialize", hello)
  send({ method: "notifications/initialized" })
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once("exit", () => resolve())
      child.stdin.end()
    })
  return { child, request, stop }
}

const megabytes = (pid: number | undefined) => {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
  return Math.round(Number(stdout) / 1024)
}

/** Starts servers in a private runtime directory; these measurements need no daemon. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const runtime = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  try {
    const facts: Array<string> = []
    for (const profile of ["default", "full"]) {
      const server = await start(runtime, profile)
      const list = await server.request(2, "tools/list")
      facts.push(
        `${profile}: ${JSON.stringify(JSON.parse(list).result).length} bytes, ${megabytes(server.child.pid)} MB`
      )
      await server.stop()
    }
    const lists = { default: 0, full: 0 }
    const candidate = (profile: "default" | "full") => async () => {
      const server = await start(runtime, profile)
      await server.stop()
    }
    const started = await measure(
      `MCP server, start to the answer of initialize and its end (tools/list: ${facts.join("; ")})`,
      [
        { name: "node -e 0", run: () => void spawnSync(process.execPath, ["-e", "0"]) },
        { name: "sigtrap-mcp", run: candidate("default"), floor: "node -e 0", target: 8 },
        { name: "sigtrap-mcp --profile full", run: candidate("full"), floor: "node -e 0", target: 8 }
      ],
      { rounds: 20, warmup: 2 }
    )
    const servers = { default: await start(runtime, "default"), full: await start(runtime, "full") }
    const listing = (profile: "default" | "full") => async () => {
      await servers[profile].request(10 + (lists[profile] += 1), "tools/list")
    }
    const listed = await measure("MCP server, one tools/list", [
      { name: "default", run: listing("default") },
      { name: "full", run: listing("full") }
    ])
    await Promise.all([servers.default.stop(), servers.full.stop()])
    return [started, listed]
  } finally {
    rmSync(runtime, { recursive: true, force: true })
  }
}
