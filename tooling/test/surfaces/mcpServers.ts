/** Shared by the live tests of the MCP server: servers as agents start them, clients of the official SDK, a token's proxy. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer, request } from "node:http"
import { fileURLToPath } from "node:url"

/** The bundle: a server from sources takes five times as long to start. */
const main = fileURLToPath(new URL("../../../apps/mcp/dist/sigtrap-mcp.js", import.meta.url))

/** How a server is started. */
export interface Options {
  readonly directory: string
  readonly args: ReadonlyArray<string>
  readonly environment: { readonly [name: string]: string }
  /** The name that the client gives itself. */
  readonly name?: string
}

/** An answer of a tool. */
interface Answer {
  readonly text: string
  readonly data: { readonly [field: string]: unknown }
  readonly structure: { readonly [field: string]: unknown }
  readonly failed: boolean
}

/** A client of a server. */
export interface Agent {
  readonly client: Client
  readonly call: (name: string, input?: { readonly [field: string]: unknown }) => Effect.Effect<Answer>
}

const record = (value: unknown): { readonly [field: string]: unknown } =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

const environmentOf = ({ environment }: Options) => ({
  PATH: process.env["PATH"] ?? "",
  ...environment
})

/** Runs `sigtrap-mcp install` from the bundle and returns its exit code and output. */
export const install = (options: Options) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [main, "install", ...options.args], {
    env: environmentOf(options),
    encoding: "utf8",
    timeout: 30_000
  })
  return { code: status, output: `${stdout}${stderr}` }
}

type Transport = StdioClientTransport | StreamableHTTPClientTransport

/** Connects over a transport. `consent` is what a person answers to a form; without it the client offers no forms. */
const connect = (make: () => Transport, consent?: "accept" | "decline", name = "live") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client(
        { name, version: "1" },
        { capabilities: consent === undefined ? {} : { elicitation: { form: {} } } }
      )
      if (consent !== undefined) {
        client.setRequestHandler(ElicitRequestSchema, () => ({
          action: consent,
          ...(consent === "accept" ? { content: { allow: "until the client leaves" } } : {})
        }))
      }
      await client.connect(make())
      const call: Agent["call"] = (name, input = {}) =>
        Effect.promise(async () => {
          const result = await client.callTool({ name, arguments: { ...input } })
          const [first] = Array.isArray(result.content) ? result.content : []
          const structure = record(result.structuredContent)
          return {
            text: String(record(first)["text"]),
            structure,
            data: record(structure["data"]),
            failed: result.isError === true
          }
        })
      const agent: Agent = { client, call }
      return agent
    }),
    ({ client }) => Effect.promise(() => client.close())
  )

/** A client over standard input and output; the server ends with the scope. */
export const stdio = (options: Options, consent?: "accept" | "decline") =>
  connect(
    () =>
      new StdioClientTransport({
        command: process.execPath,
        args: [main, ...options.args],
        cwd: options.directory,
        env: environmentOf(options),
        stderr: "inherit"
      }),
    consent,
    options.name
  )

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", () => resolve())
  })

/** A server that listens; its address and token. */
export const listening = (options: Options) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly child: ChildProcess; readonly url: string; readonly token: string }>(
          (resolve, reject) => {
            const child = spawn(process.execPath, [main, "--http", ...options.args], {
              cwd: options.directory,
              env: environmentOf(options),
              stdio: ["ignore", "pipe", "inherit"]
            })
            child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
            child.stdout.once("data", (line) => {
              const { token_file: file, url } = JSON.parse(String(line))
              resolve({ child, url, token: readFileSync(file, "utf8") })
            })
          }
        )
    ),
    ({ child }) =>
      Effect.promise(async () => {
        child.kill("SIGTERM")
        await ended(child)
      })
  )

/** A client over HTTP. */
export const http = (url: string, token: string, consent?: "accept" | "decline") =>
  connect(
    () =>
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { authorization: `Bearer ${token}` } }
      }),
    consent
  )

/** Forwards requests with the token, for programs that take none; foreign hosts and origins stay as they are. */
export const proxied = (url: string, token: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly url: string; readonly close: () => void }>((resolve) => {
          const target = new URL(url)
          const server = createServer((incoming, outgoing) => {
            const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            const own = [`127.0.0.1:${port}`, `localhost:${port}`]
            if (own.includes(headers.host ?? "")) headers.host = target.host
            if (own.some((name) => headers.origin === `http://${name}`)) headers.origin = target.origin
            const { method, url: path } = incoming
            const onward = request(
              { host: target.hostname, port: target.port, path: path ?? "/", method, headers },
              (answer) => {
                outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
                answer.pipe(outgoing)
              }
            )
            onward.on("error", () => outgoing.destroy())
            incoming.pipe(onward)
          })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resolve({
              url: `http://127.0.0.1:${port}${target.pathname}`,
              close: () => {
                server.closeAllConnections()
                server.close()
              }
            })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )
