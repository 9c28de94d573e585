/**
 * A client of a daemon's socket that sends command lines and arbitrary bytes.
 */
import { Version } from "@sigtrap/host"
import { Predicate } from "effect"
import { createConnection, type Socket } from "node:net"

/** What the daemon needs of the environment of its callers. */
const environment = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" }

/** The answer to a request: its texts, and its last message. */
export interface Answer {
  readonly text: string
  readonly exit: unknown
}

/** A connection that sends command lines and bytes. */
export class Connection {
  readonly #socket: Socket
  readonly #waiting = new Map<string, (answer: Answer) => void>()
  readonly #texts = new Map<string, string>()
  #rest: Array<string> = []
  #count = 0
  readonly closed: Promise<void>
  /** Resolves when the system has taken what was sent. */
  drained: Promise<void> = Promise.resolve()

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
    this.drained = new Promise((resolve) => this.#socket.write(bytes, () => resolve()))
    return new Promise((resolve) => this.#waiting.set("1", resolve))
  }

  /** Runs a command line in a directory. */
  run(argv: ReadonlyArray<string>, directory: string): Promise<Answer> {
    const id = String((this.#count += 1))
    const terminal = { stdout: false, stderr: false, columns: 80, color: false }
    const payload = { protocol: Version.protocol, argv, directory, environment, terminal }
    this.#socket.write(`${JSON.stringify({ _tag: "Request", id, tag: "cli.exec", payload, headers: [] })}\n`)
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  close() {
    this.#socket.destroy()
  }
}

/** Returns the code of an answer: that of its error, its tag for a refused request, or `ok`. */
export const codeOf = ({ exit, text }: Answer): string => {
  const shown = JSON.stringify(exit)
  if (shown.includes('"Failure"')) return /"_tag":"Usage"/.test(shown) ? "USAGE" : shown.slice(0, 300)
  if (text === "") return "silent"
  const document: unknown = text.startsWith("{") ? JSON.parse(text) : {}
  const error = Predicate.isReadonlyObject(document) ? document["error"] : undefined
  return Predicate.isReadonlyObject(error) ? String(error["code"]) : "ok"
}
