/** Whole processes from outside: how long they take, what they answer first, and how much memory they have then. */
import { spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

/** Returns the path of a built file of an app. */
export const built = (path: string): string => fileURLToPath(new URL(`../../apps/${path}`, import.meta.url))

/** Returns the resident memory of a process in MB; NaN if there is none. */
export const megabytes = (pid: number | undefined): number => {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
  return stdout.trim() === "" ? Number.NaN : Math.round(Number(stdout) / 1024)
}

/** Runs a program to its end; fails unless it succeeds. */
export const run = (file: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env): string => {
  const { error, status, stderr, stdout } = spawnSync(file, args, { env, encoding: "utf8", timeout: 60_000 })
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status ?? error?.message}: ${stderr}`)
  return stdout
}

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" }
}

/** Starts an MCP server that has answered `initialize`. */
export const mcp = async (file: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"], env })
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
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once("exit", () => resolve())
      child.stdin.end()
    })
  return { child, request, stop, initialized: () => send({ method: "notifications/initialized" }) }
}
