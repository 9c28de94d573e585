/**
 * The clients of a soak: command line, MCP server, HTTP server and the library. Each calls operations by tag and payload,
 * and can be killed in the middle of a call.
 */
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect, ManagedRuntime, Predicate } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ClientLayers } from "@sigtrap/host"
import { Client, Errors, Operations, Payload } from "@sigtrap/protocol"
import * as Commands from "@sigtrap/protocol/grammar/Commands"

/** Fields of an operation. */
export type Input = { readonly [field: string]: unknown }

/** The outcome of a call. A call whose client was killed has none. */
export interface Outcome {
  readonly ok: boolean
  /** The code of the error; "GONE" if the client broke down without an answer. */
  readonly code: string
  readonly message: string
  readonly data: Input
}

/** A client. */
export interface Caller {
  readonly name: string
  readonly call: (tag: string, input: Input) => Promise<Outcome>
  /** Kills the client; its next call starts another one. */
  readonly kill: () => void
  readonly close: () => Promise<void>
}

/** Where the daemon of the clients is. */
export interface Place {
  readonly directory: string
  readonly runtime: string
  readonly environment: { readonly [name: string]: string }
}

const bundle = (path: string) => fileURLToPath(new URL(`../../apps/${path}`, import.meta.url))

/** The built programs. */
export const programs = {
  cli: bundle("cli/dist/sigtrap.js"),
  mcp: bundle("mcp/dist/sigtrap-mcp.js"),
  http: bundle("http/dist/sigtrap-http.js")
}

const record = (value: unknown): Input => (Predicate.isReadonlyObject(value) ? value : {})

const operationOf = (tag: string) => {
  const operation = Operations.find(tag)
  if (operation === undefined) throw new Error(`there is no operation ${tag}`)
  return operation
}

/** Returns the outcome of an envelope. */
const outcomeOf = (body: unknown): Outcome => {
  const { data, error, ok } = record(body)
  const { code, message } = record(error)
  if (error === undefined && ok !== true && data === undefined) return gone("no envelope")
  return {
    ok: error === undefined && ok !== false,
    code: String(code ?? ""),
    message: String(message ?? ""),
    data: record(data)
  }
}

const gone = (message: string): Outcome => ({ ok: false, code: "GONE", message, data: {} })

/** A client that is one process for each call. */
export const cli = ({ directory, environment, runtime }: Place): Caller => {
  const alive = new Set<ChildProcess>()
  return {
    name: "cli",
    call: (tag, input) =>
      new Promise((resolve) => {
        const argv = Commands.argvOf(operationOf(tag), input)
        const child = spawn(process.execPath, [programs.cli, "--runtime-dir", runtime, "--json", ...argv], {
          cwd: directory,
          env: environment,
          stdio: ["ignore", "pipe", "pipe"]
        })
        alive.add(child)
        let output = ""
        let errors = ""
        child.stdout.setEncoding("utf8").on("data", (piece) => (output += String(piece)))
        child.stderr.setEncoding("utf8").on("data", (piece) => (errors += String(piece)))
        child.on("error", (error) => resolve(gone(String(error))))
        child.on("close", (code, signal) => {
          alive.delete(child)
          try {
            resolve(outcomeOf(JSON.parse(output)))
          } catch {
            resolve(gone(`${code ?? signal}: ${errors.slice(0, 300)}`))
          }
        })
      }),
    kill: () => {
      for (const child of alive) child.kill("SIGKILL")
    },
    close: () => Promise.resolve()
  }
}

/** A client of the MCP server on standard input and output. */
export const mcp = ({ directory, environment, runtime }: Place): Caller => {
  let current: Promise<{ readonly client: McpClient; readonly pid: () => number | null }> | undefined
  const start = async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [programs.mcp, "--profile", "full", "--allow", "admin", "--allow", "write", "--structured"],
      cwd: directory,
      env: { ...environment, SIGTRAP_RUNTIME_DIR: runtime },
      stderr: "ignore"
    })
    const client = new McpClient({ name: "soak", version: "1" }, { capabilities: {} })
    await client.connect(transport)
    return { client, pid: () => transport.pid }
  }
  return {
    name: "mcp",
    call: async (tag, input) => {
      try {
        const { client } = await (current ??= start())
        const answer = await client.callTool({ name: tag.replaceAll(".", "_"), arguments: { ...input } }, undefined, {
          timeout: 90_000
        })
        return outcomeOf(answer.structuredContent)
      } catch (error) {
        // The next call starts another server.
        current = undefined
        return gone(String(error))
      }
    },
    kill: () => {
      void current?.then(({ pid }) => {
        const id = pid()
        if (id !== null) process.kill(id, "SIGKILL")
      })
      current = undefined
    },
    close: async () => {
      const server = await current?.catch(() => undefined)
      await server?.client.close()
    }
  }
}

/** A client of the HTTP server. */
export const http = ({ directory, environment, runtime }: Place): Caller => {
  interface Server {
    readonly child: ChildProcess
    readonly url: string
    readonly token: string
  }
  let current: Promise<Server> | undefined
  const start = () =>
    new Promise<Server>((resolve, reject) => {
      const child = spawn(process.execPath, [programs.http], {
        cwd: directory,
        env: { ...environment, SIGTRAP_RUNTIME_DIR: runtime },
        stdio: ["ignore", "pipe", "ignore"]
      })
      child.once("exit", (code) => {
        current = undefined
        reject(new Error(`the server ended with ${code}`))
      })
      child.stdout.once("data", (line) => {
        const { token_file: file, url } = JSON.parse(String(line))
        resolve({ child, url, token: readFileSync(file, "utf8") })
      })
    })
  return {
    name: "http",
    call: async (tag, input) => {
      try {
        const { token, url } = await (current ??= start())
        const response = await fetch(`${url}/v1/${tag.replaceAll(".", "/")}`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify(input)
        })
        return outcomeOf(await response.json())
      } catch (error) {
        return gone(String(error))
      }
    },
    kill: () => {
      void current?.then(({ child }) => child.kill("SIGKILL"))
      current = undefined
    },
    close: async () => {
      const server = await current?.catch(() => undefined)
      if (server === undefined) return
      const ended = new Promise((resolve) => server.child.once("exit", resolve))
      server.child.kill("SIGTERM")
      await ended
    }
  }
}

/** A client of the library in this process. Killing it closes its connection. */
export const library = ({ directory, environment, runtime }: Place): Caller => {
  const make = () => ManagedRuntime.make(ClientLayers.layerDaemon({ runtimeDirectory: runtime, daemon: "none" }))
  let runtimeOfClient = make()
  const caller = { directory, environment }
  return {
    name: "library",
    call: async (tag, input) => {
      const operation = operationOf(tag)
      const call = Effect.gen(function* () {
        const payload = yield* Payload.decode(operation, Payload.fill(operation, input, caller))
        const client = yield* Client.Client
        const { data } = yield* client.callAny(operation, payload)
        return { ok: true, code: "", message: "", data: record(data) }
      }).pipe(
        Effect.catch((error) =>
          Effect.succeed({ ok: false, code: Errors.meta(error).code, message: error.message, data: {} })
        )
      )
      return runtimeOfClient.runPromise(call).catch((error: unknown) => gone(String(error)))
    },
    kill: () => {
      void runtimeOfClient.dispose()
      runtimeOfClient = make()
    },
    close: () => runtimeOfClient.dispose()
  }
}

/** The longest time for one outcome, in milliseconds. */
export const outcomeLimit = 60_000

/** Waits for an outcome, but not longer than the limit. */
export const limited = (call: Promise<Outcome>): Promise<Outcome> =>
  new Promise((resolve) => {
    const late: Outcome = { ok: false, code: "TIMEOUT-OF-SOAK", message: "no outcome", data: {} }
    const timer = setTimeout(() => resolve(late), outcomeLimit)
    void call.then((outcome) => {
      clearTimeout(timer)
      resolve(outcome)
    })
  })
