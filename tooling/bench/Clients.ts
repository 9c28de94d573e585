// Clients of the surfaces that do as little as possible themselves: one line or one response at a time over one connection.
import { Version } from "@sigtrap/host"
import { Predicate } from "effect"
import { spawn } from "node:child_process"
import { createConnection } from "node:net"

/** A client with one connection. Calls are made one after another. */
export interface Client {
  readonly pid?: number | undefined
  readonly close: () => Promise<void>
}

/** A client whose messages are lines of JSON. */
export interface LineClient extends Client {
  /** Sends a message; returns the line that answers it. */
  readonly send: (message: object) => Promise<string>
  /** Sends a message that has no answer. */
  readonly notify: (message: object) => void
}

/** Returns what joins pieces to lines. */
const lines = (take: (line: string) => void) => {
  let rest: Array<string> = []
  return (piece: string) => {
    let from = 0
    for (let at = piece.indexOf("\n"); at !== -1; at = piece.indexOf("\n", from)) {
      rest.push(piece.slice(from, at))
      from = at + 1
      const line = rest.length === 1 ? (rest[0] ?? "") : rest.join("")
      rest = []
      take(line)
    }
    if (from < piece.length) rest.push(piece.slice(from))
  }
}

/** Connects to the daemon's socket. The answer of a call is its last message. */
export const socket = (
  path: string
): LineClient & { readonly call: (tag: string, payload: object) => Promise<string> } => {
  const connection = createConnection(path).setEncoding("utf8")
  let answered: (line: string) => void = () => {}
  let count = 0
  const write = (message: object) => void connection.write(`${JSON.stringify(message)}\n`)
  connection.on(
    "data",
    lines((line) => {
      if (line.includes('"_tag":"Chunk"')) write({ _tag: "Ack", requestId: String(count) })
      else if (line.includes('"_tag":"Exit"')) answered(line)
    })
  )
  const send = (message: object) =>
    new Promise<string>((resolve) => {
      answered = resolve
      write(message)
    })
  return {
    send,
    notify: write,
    call: (tag, payload) => send({ _tag: "Request", id: String((count += 1)), tag, payload, headers: [] }),
    close: async () => void connection.destroy()
  }
}

/** Connects to the daemon's socket; calls do not wait for those before them. */
export const pipelined = (
  path: string
): Client & { readonly call: (tag: string, payload: object) => Promise<string> } => {
  const connection = createConnection(path).setEncoding("utf8")
  const waiting = new Map<string, (line: string) => void>()
  let count = 0
  connection.on(
    "data",
    lines((line) => {
      const id = /"requestId":"(\d+)"/.exec(line)?.[1] ?? ""
      waiting.get(id)?.(line)
      waiting.delete(id)
    })
  )
  return {
    call: (tag, payload) =>
      new Promise<string>((resolve) => {
        const id = String((count += 1))
        waiting.set(id, resolve)
        connection.write(`${JSON.stringify({ _tag: "Request", id, tag, payload, headers: [] })}\n`)
      }),
    close: async () => void connection.destroy()
  }
}

/** The payload of a command line. */
export const commandLine = (
  argv: ReadonlyArray<string>,
  directory: string,
  environment: { readonly [name: string]: string } = {}
): object => ({
  protocol: Version.protocol,
  argv,
  directory,
  environment: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...environment },
  terminal: { stdout: false, stderr: false, columns: 80, color: false }
})

/** A client of an MCP server on pipes. */
export interface Mcp extends LineClient {
  readonly request: (method: string, params?: object) => Promise<string>
  /** Ends the server at once. */
  readonly kill: () => void
}

/** Starts an MCP server on pipes and initializes it. */
export const mcp = async (
  program: string,
  args: ReadonlyArray<string>,
  { env = process.env, cwd }: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {}
): Promise<Mcp> => {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], env, cwd })
  let answered: (line: string) => void = () => {}
  let failed: (error: Error) => void = () => {}
  let count = 0
  child.stdout.setEncoding("utf8").on(
    "data",
    lines((line) => {
      const message: unknown = line.startsWith("{") ? JSON.parse(line) : undefined
      if (Predicate.isReadonlyObject(message) && message["id"] === count) answered(line)
    })
  )
  child.once("error", (error) => failed(error))
  child.once("exit", () => failed(new Error(`${program} has ended`)))
  const write = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const send = (message: object) =>
    new Promise<string>((resolve, reject) => {
      answered = resolve
      failed = reject
      write(message)
    })
  const request = (method: string, params: object = {}) => send({ id: (count += 1), method, params })
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" }
  })
  write({ method: "notifications/initialized" })
  return {
    pid: child.pid,
    send,
    notify: write,
    request,
    kill: () => {
      failed = () => {}
      child.kill("SIGKILL")
    },
    close: () =>
      new Promise<void>((resolve) => {
        child.once("exit", () => resolve())
        child.stdin.end()
      })
  }
}

/** Connects to an HTTP server and keeps the connection. The answers must have a `content-length`. */
export const http = (
  url: string,
  token: string
): Client & { readonly post: (path: string, body: string) => Promise<string> } => {
  const { hostname, host, port } = new URL(url)
  const connection = createConnection(Number(port), hostname).setEncoding("latin1").setNoDelay()
  let text = ""
  let answered: (body: string) => void = () => {}
  connection.on("data", (piece) => {
    text += String(piece)
    const end = text.indexOf("\r\n\r\n")
    const length = end === -1 ? undefined : /content-length: (\d+)/i.exec(text.slice(0, end))?.[1]
    if (length === undefined || text.length < end + 4 + Number(length)) return
    const body = text.slice(end + 4)
    text = ""
    answered(body)
  })
  const head = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  return {
    post: (path, body) =>
      new Promise<string>((resolve) => {
        answered = resolve
        connection.write(`POST ${path} HTTP/1.1\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      }),
    close: async () => void connection.destroy()
  }
}
