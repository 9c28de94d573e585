// The floor of what a debug adapter costs: its process, Content-Length frames and JSON.parse, and nothing else.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"

type Body = Readonly<Record<string, unknown>>

const header = /Content-Length: (\d+)\r\n\r\n/

const isBody = (value: unknown): value is Body => typeof value === "object" && value !== null

/** Returns a number in a body; 0 if it has none. */
export const numberIn = (body: Body, field: string): number => {
  const value = body[field]
  return typeof value === "number" ? value : 0
}

/** Returns the items of a list in a body. */
export const listIn = (body: Body, field: string): ReadonlyArray<Body> => {
  const value = body[field]
  return Array.isArray(value) ? value.filter(isBody) : []
}

/** One lldb-dap, driven by promises. */
export class RawAdapter {
  readonly #process: ChildProcessWithoutNullStreams
  #bytes: Buffer = Buffer.alloc(0)
  #seq = 0
  #isInitialized = false
  readonly #answers = new Map<number, (body: Body) => void>()
  readonly #events = new Map<string, Array<(body: Body) => void>>()

  constructor() {
    this.#process = spawn(process.env["SIGTRAP_LLDB_DAP"] ?? "lldb-dap-19", [], { stdio: ["pipe", "pipe", "pipe"] })
    this.#process.stdout.on("data", (chunk: Buffer) => this.#receive(chunk))
    this.#process.stderr.resume()
  }

  #receive(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    for (;;) {
      const found = header.exec(this.#bytes.toString("latin1", 0, 64))
      if (found === null) return
      const start = found.index + found[0].length
      const end = start + Number(found[1])
      if (this.#bytes.length < end) return
      const message: unknown = JSON.parse(this.#bytes.toString("utf8", start, end))
      this.#bytes = this.#bytes.subarray(end)
      if (isBody(message)) this.#take(message)
    }
  }

  #take(message: Body): void {
    const body = isBody(message["body"]) ? message["body"] : {}
    if (message["type"] === "response") {
      const seq = numberIn(message, "request_seq")
      this.#answers.get(seq)?.(body)
      this.#answers.delete(seq)
    } else if (message["type"] === "event") {
      const name = String(message["event"])
      const waiting = this.#events.get(name) ?? []
      this.#events.delete(name)
      for (const answer of waiting) answer(body)
    }
  }

  /** Sends a request and returns the body of its response. */
  request(command: string, args: Body): Promise<Body> {
    const seq = ++this.#seq
    const json = JSON.stringify({ seq, type: "request", command, arguments: args })
    return new Promise((resolve) => {
      this.#answers.set(seq, resolve)
      this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`)
    })
  }

  /** Waits for the next event of this name. */
  event(name: string): Promise<Body> {
    return new Promise((resolve) => {
      this.#events.set(name, [...(this.#events.get(name) ?? []), resolve])
    })
  }

  /** Asks what the adapter can do; done by `launch` unless it was done before. */
  async initialize(): Promise<void> {
    this.#isInitialized = true
    await this.request("initialize", { adapterID: "lldb", linesStartAt1: true, columnsStartAt1: true })
  }

  /** Starts a program and stops it at a line. Returns the thread. */
  async launch(program: string, source: string, line: number): Promise<number> {
    if (!this.#isInitialized) await this.initialize()
    const initialized = this.event("initialized")
    void this.request("launch", { program, cwd: "/", env: [] })
    await initialized
    await this.request("setBreakpoints", { source: { path: source }, breakpoints: [{ line }] })
    const stopped = this.event("stopped")
    await this.request("configurationDone", {})
    return numberIn(await stopped, "threadId")
  }

  /** Ends the program and the adapter. */
  async end(): Promise<void> {
    await this.request("disconnect", { terminateDebuggee: true })
    this.#process.kill("SIGKILL")
  }
}
