/**
 * The exchange of one command line with the daemon, without Effect: the newline-separated JSON of Effect's RPC, of which
 * it uses Request, Ping, Interrupt, Chunk, Ack, Exit and Defect. Sockets and streams are behind a port.
 */
import { product, protocol } from "@sigtrap/host/daemon/Version"

/** A command line and where it was typed. The environment is complete, since started programs inherit it. */
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
  /** The device number of the terminal on the standard input, if there is one, and the pid of the parent process. */
  readonly origin?: { readonly device?: number; readonly parent: number }
}

/** The daemon refused the command, or did not send its answer. The error is a class of the protocol, with its fields. */
interface Refusal {
  readonly _tag: "Refused"
  readonly code: string
  readonly exit: number
  readonly message: string
  readonly note: string
}

/**
 * How a conversation ended. `Version`: the daemon has another version, and has ended if it had nothing to do. `Broken`: the
 * connection broke, or the daemon was silent.
 */
export type Outcome =
  | Refusal
  | { readonly _tag: "Exit"; readonly code: number }
  | { readonly _tag: "Version"; readonly daemon: string; readonly sessions: number; readonly ended: boolean }
  | { readonly _tag: "Broken"; readonly problem: string; readonly silent?: true }

/** The connection and the streams of a conversation. */
export interface Port {
  readonly send: (text: string) => void
  /** Writes to a standard stream and calls `done` when it is written. */
  readonly write: (stream: "Stdout" | "Stderr", text: string, done: () => void) => void
  readonly end: (outcome: Outcome) => void
}

/** Id of the only request on a connection. */
const ID = "1"

interface Value {
  readonly _tag: "Stdout" | "Stderr" | "Partial" | "Exit"
  readonly text: string
  readonly code: number
}

/** The fields of the errors of `cli.exec`. */
interface ExecError {
  readonly _tag?: string
  readonly daemon?: string
  readonly sessions?: number
  readonly ended?: boolean
  readonly what?: string
  readonly limit?: number
  readonly bytes?: number
  readonly problem?: string
  readonly after_ms?: number
}

interface Failure {
  readonly _tag?: string
  readonly error?: ExecError
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

/** Returns the refusal of an error; the words are those of the error's class, whose schema this program does not load. */
const refusalOf = ({ _tag, after_ms = 0, bytes, limit, problem, what }: ExecError): Refusal | undefined => {
  if (_tag === "Busy") {
    const message =
      what === "connections"
        ? `the daemon is busy: it has ${limit} connections`
        : `the daemon is busy: this connection has ${limit} requests in flight`
    return { _tag: "Refused", code: "BUSY", exit: 4, message, note: "end other clients, or repeat the command" }
  }
  if (_tag === "AnswerTooLarge") {
    const message = `the operation has run, but its answer has ${bytes} bytes; the limit is ${limit}`
    const note = "ask for less: a page, a filter or fewer lines"
    return { _tag: "Refused", code: "ANSWER_TOO_LARGE", exit: 1, message, note }
  }
  if (_tag === "Usage" && problem !== undefined) {
    const note = "send less in one request; pass large data as a file"
    return { _tag: "Refused", code: "USAGE", exit: 2, message: problem, note }
  }
  if (_tag === "RequestTimeout") {
    const message = `the output of this command was not read for ${after_ms / 1000} s, so the daemon stopped sending it`
    return { _tag: "Refused", code: "REQUEST_TIMEOUT", exit: 5, message, note: "run the command again with --since" }
  }
  return undefined
}

/** One command's exchange with the daemon. */
export class Conversation {
  readonly #port: Port
  #pieces: Array<string> = []
  #code: number | undefined
  #over = false
  /** What to print if the command is interrupted now. */
  partial = ""
  /** Whether the daemon has sent anything. */
  heard = false

  constructor(port: Port) {
    this.#port = port
  }

  /**
   * Sends the command line, and a ping that a working daemon answers at once. With `replaces`, a daemon of another version that
   * has nothing to do ends instead.
   */
  start(line: CommandLine, replaces: boolean): void {
    const client = { kind: "cli", project: line.directory }
    const payload = { protocol, ...(replaces ? { version: product } : {}), client, ...line }
    this.#send({ _tag: "Request", id: ID, tag: "cli.exec", payload, headers: [] })
    this.#send({ _tag: "Ping" })
  }

  /** Asks the daemon to interrupt the command. */
  interrupt(): void {
    this.#send({ _tag: "Interrupt", requestId: ID })
  }

  /** Reads received text, which may end anywhere in a message. */
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

  /** Ends the conversation because the connection is closed. */
  closed(): void {
    this.#end({ _tag: "Broken", problem: "the daemon closed the connection" })
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
      // The exit code is the last value, so the client need not wait for the end of the request.
      if (this.#code !== undefined) return this.#end({ _tag: "Exit", code: this.#code })
      // The daemon sends the next chunk after this, so a slow reader delays only its own stream.
      this.#send({ _tag: "Ack", requestId: ID })
    }
    for (const value of values) {
      if (value._tag === "Exit") this.#code = value.code
      else if (value._tag === "Partial") this.partial = value.text
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
      const { daemon = "?", ended = false, sessions = 0 } = failure.error
      return this.#end({ _tag: "Version", daemon, sessions, ended })
    }
    const refusal = failure?.error === undefined ? undefined : refusalOf(failure.error)
    if (refusal !== undefined) return this.#end(refusal)
    const problem =
      failure === undefined ? "the daemon sent no exit code" : describe(failure.defect ?? failure.error ?? failure._tag)
    this.#end({ _tag: "Broken", problem })
  }
}
