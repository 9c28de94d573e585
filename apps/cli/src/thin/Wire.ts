/**
 * One command line over the daemon's socket, without Effect: the newline-separated JSON of Effect's RPC, of which this
 * speaks the five messages it needs. Knows nothing of sockets, files or the process it runs in.
 */
import { protocol } from "@sigtrap/host/daemon/Version"

/** A command line and where it was typed. The environment is whole: a program that is started inherits it. */
export interface CommandLine {
  readonly argv: ReadonlyArray<string>
  readonly directory: string
  readonly environment: { readonly [name: string]: string | undefined }
  readonly terminal: {
    readonly stdout: boolean
    readonly stderr: boolean
    readonly columns: number
    readonly color: boolean
  }
}

/** How a conversation ended. `version` is the daemon's refusal to speak our protocol. */
export type Outcome =
  | { readonly _tag: "Exit"; readonly code: number }
  | { readonly _tag: "Version"; readonly daemon: string; readonly sessions: number }
  | { readonly _tag: "Broken"; readonly problem: string }

/** What the conversation needs of its surroundings. */
export interface Port {
  readonly send: (text: string) => void
  /** Writes to our own stream; calls back once it is taken. */
  readonly write: (stream: "Stdout" | "Stderr", text: string, done: () => void) => void
  readonly end: (outcome: Outcome) => void
}

/** The id of the one request on a connection. */
const ID = "1"

interface Value {
  readonly _tag: "Stdout" | "Stderr" | "Exit"
  readonly text: string
  readonly code: number
}

interface Failure {
  readonly _tag?: string
  readonly error?: { readonly _tag?: string; readonly daemon?: string; readonly sessions?: number }
  readonly defect?: unknown
}

interface Message {
  readonly _tag: string
  readonly values?: ReadonlyArray<Value>
  readonly exit?: { readonly _tag: string; readonly cause?: ReadonlyArray<Failure> }
  readonly defect?: unknown
}

const describe = (defect: unknown): string => {
  const message = typeof defect === "object" && defect !== null && "message" in defect ? defect.message : defect
  return typeof message === "string" ? message : JSON.stringify(message)
}

/** A conversation: feed it what arrives. */
export class Conversation {
  readonly #port: Port
  #pieces: Array<string> = []
  #code: number | undefined
  #over = false
  /** Whether the daemon has said anything at all. */
  heard = false

  constructor(port: Port) {
    this.#port = port
  }

  /** Sends the command line, and a ping that a living daemon answers at once. */
  start(line: CommandLine): void {
    this.#send({ _tag: "Request", id: ID, tag: "cli.exec", payload: { protocol, ...line }, headers: [] })
    this.#send({ _tag: "Ping" })
  }

  /** Stops waiting; the daemon interrupts what it does for us. */
  interrupt(): void {
    this.#send({ _tag: "Interrupt", requestId: ID })
  }

  /** Takes what arrived, cut anywhere between characters. */
  receive(text: string): void {
    this.heard = true
    let from = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#pieces.push(text.slice(from, end))
      const message = this.#pieces.join("")
      this.#pieces = []
      from = end + 1
      this.#take(JSON.parse(message))
    }
    if (from < text.length) this.#pieces.push(text.slice(from))
  }

  /** The connection is gone. */
  closed(): void {
    this.#end({ _tag: "Broken", problem: "the daemon went away" })
  }

  #send(message: unknown): void {
    this.#port.send(`${JSON.stringify(message)}\n`)
  }

  #end(outcome: Outcome): void {
    if (this.#over) return
    this.#over = true
    this.#port.end(outcome)
  }

  #take(message: Message): void {
    if (message._tag === "Chunk") this.#chunk(message.values ?? [])
    else if (message._tag === "Exit" && message.exit !== undefined) this.#exit(message.exit)
    else if (message._tag === "Defect") this.#end({ _tag: "Broken", problem: describe(message.defect) })
  }

  #chunk(values: ReadonlyArray<Value>): void {
    let waiting = 1
    const written = () => {
      waiting -= 1
      if (waiting > 0 || this.#over) return
      // The exit code is the last there is; waiting for the end of the request would cost one more turn.
      if (this.#code !== undefined) return this.#end({ _tag: "Exit", code: this.#code })
      // The next chunk is sent after this, so a reader that does not read holds up the daemon's stream, not its loop.
      this.#send({ _tag: "Ack", requestId: ID })
    }
    for (const value of values) {
      if (value._tag === "Exit") this.#code = value.code
      else {
        waiting += 1
        this.#port.write(value._tag, value.text, written)
      }
    }
    written()
  }

  #exit(exit: { readonly _tag: string; readonly cause?: ReadonlyArray<Failure> }): void {
    if (exit._tag === "Success" && this.#code !== undefined) return this.#end({ _tag: "Exit", code: this.#code })
    const failure = exit.cause?.[0]
    if (failure?.error?._tag === "DaemonVersion") {
      const { daemon = "?", sessions = 0 } = failure.error
      return this.#end({ _tag: "Version", daemon, sessions })
    }
    const problem =
      failure === undefined ? "no exit code came" : describe(failure.defect ?? failure.error ?? failure._tag)
    this.#end({ _tag: "Broken", problem })
  }
}
