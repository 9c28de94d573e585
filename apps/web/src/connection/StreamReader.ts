/**
 * Reads the stream of the server: one JSON document per line. After a failure it connects again and continues where it was.
 */
import type { Line } from "./Answers.ts"
import { readLines } from "./Lines.ts"

/**
 * The state of the connection. `since` is when it was lost, `again` when it is tried next, in milliseconds since 1970. `silent` is true
 * if the server takes connections and does not answer.
 */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  | { readonly state: "lost"; readonly since: number; readonly again: number; readonly silent?: true }

/** Where the stream of a session continues: the identity of the session, if it is known, and the number of the next line. */
export interface Cursor {
  readonly id: string | undefined
  readonly next: number
}

/** What a reader tells. */
export interface Listener {
  readonly onLine: (line: Line) => void
  readonly onConnection: (connection: Connection) => void
  readonly onRefused: () => void
}

/** Time to the next attempt, in milliseconds, by the number of failures. */
const pauses = [250, 1000, 2000, 4000, 8000]

/** Time without another line after which the server sends a beat, in seconds. */
const beat = 2

/** Time without a line after which another connection is made, in milliseconds. */
const silence = 5000

/** Time for the first line of that connection after which the server is said not to answer, in milliseconds. */
const grace = 500

/** Time for the first line of a connection that follows a silent or a lost one, in milliseconds. */
const firstLine = 5000

/** A stream that is read until `stop`. */
export class StreamReader {
  #abort = new AbortController()
  #stopped = false
  #failures = 0
  #lostSince: number | undefined
  /** True once a connection had no line for too long, until a line comes. */
  #silent = false
  /** True once the connection had a line. */
  #spoke = false
  /** When the last line came. */
  #heard = Date.now()
  #wake: (() => void) | undefined
  readonly #cursors = new Map<string, Cursor>()
  readonly #token: string
  readonly #listener: Listener

  constructor(token: string, listener: Listener) {
    this.#token = token
    this.#listener = listener
  }

  /** Starts to read. Sessions of `cursors` are continued. */
  start(cursors: ReadonlyMap<string, Cursor>): void {
    for (const [session, cursor] of cursors) this.#cursors.set(session, cursor)
    void this.#run()
  }

  /** Ends the stream. */
  stop(): void {
    this.#stopped = true
    this.#abort.abort()
    this.#wake?.()
  }

  /** Tries to connect now. */
  retry(): void {
    this.#wake?.()
  }

  /** Follows a session from its first line on; the stream begins again for a name that it does not follow. */
  follow(session: string, id: string | undefined): void {
    const known = this.#cursors.get(session)
    if (known?.id === id && known !== undefined) return
    this.#cursors.set(session, { id, next: 0 })
    // The server sends a session that takes the name of a followed one from its first line on.
    if (known === undefined) this.#abort.abort()
  }

  /** Forgets a session that is gone. */
  unfollow(session: string): void {
    this.#cursors.delete(session)
  }

  #request() {
    const follow = [...this.#cursors].map(([session, { id, next }]) => ({
      session,
      ...(id === undefined ? {} : { id }),
      since: next,
      output: next
    }))
    return { sessions: true, beat, ...(follow.length === 0 ? {} : { follow }) }
  }

  #take(line: Line): void {
    if (line.type === "event" || line.type === "output") this.#move(line.session, line.seq + 1)
    if (line.type === "gap") this.#move(line.session, line.next)
    this.#listener.onLine(line)
  }

  #move(session: string, next: number): void {
    this.#cursors.set(session, { id: this.#cursors.get(session)?.id, next })
  }

  async #connect(): Promise<void> {
    this.#abort = new AbortController()
    const abort = this.#abort
    this.#spoke = false
    const onSilence = () => {
      this.#silent = true
      abort.abort()
    }
    let timer = setTimeout(onSilence, this.#silent || this.#lostSince !== undefined ? firstLine : silence)
    const unanswered = this.#silent ? setTimeout(() => this.#lose(Date.now(), true), grace) : undefined
    try {
      const response = await fetch("/v1/stream", {
        method: "POST",
        headers: {
          authorization: `Bearer ${this.#token}`,
          "content-type": "application/json",
          accept: "application/x-ndjson"
        },
        body: JSON.stringify(this.#request()),
        signal: abort.signal
      })
      if (response.status === 401) {
        this.#listener.onRefused()
        this.stop()
      }
      clearTimeout(unanswered)
      if (!response.ok || response.body === null) return
      this.#failures = 0
      this.#lostSince = undefined
      this.#listener.onConnection({ state: "open" })
      await readLines(response.body, (text) => {
        clearTimeout(timer)
        timer = setTimeout(onSilence, silence)
        this.#silent = false
        this.#spoke = true
        this.#heard = Date.now()
        const line: Line = JSON.parse(text)
        this.#take(line)
      })
    } finally {
      clearTimeout(timer)
      clearTimeout(unanswered)
    }
  }

  /** Says that the connection is lost and when it is tried again. It was lost with the last line if the server was silent then. */
  #lose(again: number, wasSilent: boolean): void {
    this.#lostSince ??= wasSilent ? this.#heard : Date.now()
    const lost = { state: "lost", since: this.#lostSince, again } as const
    this.#listener.onConnection(this.#silent ? { ...lost, silent: true } : lost)
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const wasSilent = this.#silent
      try {
        await this.#connect()
      } catch {
        // The reader connects again. A server that takes no connection is gone.
        if (!this.#abort.signal.aborted) this.#silent = false
      }
      if (this.#stopped) return
      // A stream that the reader ended itself begins again at once. Two silent ones are a lost connection.
      const isSilentAgain = wasSilent && !this.#spoke
      if (this.#abort.signal.aborted && this.#lostSince === undefined && !isSilentAgain) continue
      const pause = pauses[Math.min(this.#failures, pauses.length - 1)] ?? 8000
      this.#failures += 1
      this.#lose(Date.now() + pause, isSilentAgain)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        setTimeout(resolve, pause)
      })
    }
  }
}
