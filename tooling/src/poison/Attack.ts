/**
 * Sends poison inputs to a daemon while another client asks it for its sessions.
 */
import { Version } from "@sigtrap/host"
import { bundled } from "@sigtrap/host/testing"
import { Predicate } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createConnection, type Socket } from "node:net"
import { basename, join } from "node:path"
import type { Poison } from "./Poisons.ts"

/** The command that runs `PoisonDaemon`. */
export const daemon = bundled(join(import.meta.dirname, "PoisonDaemon.ts"))

/** The answer to a request: its texts, and its last message. */
interface Answer {
  readonly text: string
  readonly exit: unknown
}

/** A connection that sends command lines and bytes. */
class Connection {
  readonly #socket: Socket
  readonly #waiting = new Map<string, (answer: Answer) => void>()
  readonly #texts = new Map<string, string>()
  #rest: Array<string> = []
  #count = 0
  readonly closed: Promise<void>

  constructor(path: string) {
    this.#socket = createConnection(path).setEncoding("utf8")
    this.closed = new Promise((resolve) => this.#socket.once("close", () => resolve()))
    this.#socket.on("error", () => {})
    this.#socket.on("data", (piece) => this.#read(String(piece)))
  }

  #read(piece: string) {
    const parts = piece.split("\n")
    this.#rest.push(parts[0] ?? "")
    for (const part of parts.slice(1)) {
      this.#take(JSON.parse(this.#rest.join("")))
      this.#rest = [part]
    }
  }

  #take(message: unknown) {
    if (!Predicate.isReadonlyObject(message)) return
    const id = String(message["requestId"])
    if (message["_tag"] === "Exit") {
      this.#waiting.get(id)?.({ text: this.#texts.get(id) ?? "", exit: message["exit"] })
    }
    if (message["_tag"] !== "Chunk" || !Array.isArray(message["values"])) return
    const texts = message["values"].map((value: unknown) =>
      Predicate.isReadonlyObject(value) && Predicate.isString(value["text"]) ? value["text"] : ""
    )
    this.#texts.set(id, (this.#texts.get(id) ?? "") + texts.join(""))
    this.#socket.write(`${JSON.stringify({ _tag: "Ack", requestId: id })}\n`)
  }

  /** Sends bytes whose request, if any, has the id 1; returns its answer. */
  send(bytes: Uint8Array | string): Promise<Answer> {
    this.#socket.write(bytes)
    return new Promise((resolve) => this.#waiting.set("1", resolve))
  }

  /** Runs a command line in a directory. */
  run(argv: ReadonlyArray<string>, directory: string): Promise<Answer> {
    const id = String((this.#count += 1))
    const terminal = { stdout: false, stderr: false, columns: 80, color: false }
    const payload = { protocol: Version.protocol, argv, directory, environment: {}, terminal }
    this.#socket.write(`${JSON.stringify({ _tag: "Request", id, tag: "cli.exec", payload, headers: [] })}\n`)
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  close() {
    this.#socket.destroy()
  }
}

/** Returns the code of an answer: that of its error, its tag for a refused request, or `ok`. */
const codeOf = ({ exit, text }: Answer): string => {
  const shown = JSON.stringify(exit)
  if (shown.includes('"Failure"')) return /"_tag":"Usage"/.test(shown) ? "USAGE" : shown.slice(0, 300)
  if (text === "") return "silent"
  const document: unknown = text.startsWith("{") ? JSON.parse(text) : {}
  const error = Predicate.isReadonlyObject(document) ? document["error"] : undefined
  return Predicate.isReadonlyObject(error) ? String(error["code"]) : "ok"
}

/** Starts the session `work`, whose program writes long lines: 10 MiB, the amount that a session keeps. */
export const prepare = async (path: string, root: string): Promise<void> => {
  writeFileSync(join(root, "app"), "", { mode: 0o755 })
  const connection = new Connection(path)
  await connection.run(["start", "./app", "--no-wait", "--session", "work"], root)
  await connection.run(["poison", "write", `${"a".repeat(100_000)}!\n`, "20"], root)
  await connection.run(["poison", "write", `${"x".repeat(4000)}\n`, "2100"], root)
  connection.close()
}

/** What one poison did. */
export interface Outcome {
  readonly code: string
  /** Answers that the other client got while the poison was pending, and the milliseconds of each. */
  readonly times: ReadonlyArray<number>
  /** The longest turn of the loop, in milliseconds of CPU time. */
  readonly turn: number
}

/** Asks for sessions until a promise settles, and `least` times at least; returns the time of each answer. */
const askUntil = async (other: Connection, settled: Promise<unknown>, directory: string, least: number) => {
  const times: Array<number> = []
  const state = { isDone: false }
  void settled.then(() => {
    state.isDone = true
  })
  while (!state.isDone || times.length < least) {
    const before = performance.now()
    const code = codeOf(await other.run(["sessions", "--json"], directory))
    if (code !== "ok") throw new Error(`the other client got ${code}`)
    times.push(performance.now() - before)
  }
  return times
}

/** Names the session of a call, so that poisons do not depend on each other. */
const wordsOf = (argv: ReadonlyArray<string>, directory: string) => [
  "--json",
  ...argv,
  ...(argv.includes("--session") ? [] : ["--session", argv[0] === "start" ? basename(directory) : "work"])
]

/**
 * Sends a poison on its own connection. Bytes without an answer are followed by three questions of the other client. It
 * asks at least `least` times, for a poison whose effect comes after its answer.
 */
export const send = async (poison: Poison, path: string, root: string, least = 1): Promise<Outcome> => {
  const directory = mkdtempSync(join(root, "poison-"))
  writeFileSync(join(directory, "app"), "", { mode: 0o755 })
  poison.files?.(directory)
  const other = new Connection(path)
  const own = new Connection(path)
  await other.run(["poison", "turn"], directory)
  const answered = "argv" in poison ? own.run(wordsOf(poison.argv, directory), directory) : own.send(poison.bytes())
  const silence = async () => {
    for (let count = 0; count < 5; count++) await other.run(["status"], directory)
  }
  const ended = "argv" in poison ? answered : Promise.race([answered, own.closed, silence()])
  const times = await askUntil(other, ended, directory, Math.max(1, least))
  const answer = await ended
  const turn = Number((await other.run(["poison", "turn"], directory)).text)
  own.close()
  other.close()
  return { code: answer === undefined ? "none" : codeOf(answer), times, turn }
}
