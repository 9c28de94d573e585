/**
 * One stream per browser: a browser has six connections to a server, so eight tabs with a stream each would hang. The tab that
 * holds the lock reads the stream and passes the lines on; when it closes, another tab takes its place and continues.
 */
import type { Hello, Line } from "./Answers.ts"
import { inTasks } from "./Lines.ts"
import { type Connection, type Cursor, type Listener, StreamReader } from "./StreamReader.ts"

/** Most lines of a session that are kept for tabs that open later. */
const kept = 5000

/** A message between tabs. */
type Message =
  | { readonly kind: "join" }
  | { readonly kind: "line"; readonly line: Line }
  | { readonly kind: "connection"; readonly connection: Connection }
  | { readonly kind: "known"; readonly lines: ReadonlyArray<Line>; readonly connection: Connection }
  | { readonly kind: "retry" }

/** The lines of one session. `next` is the number of the next one. */
interface SessionLines {
  readonly id: string | undefined
  next: number
  lines: Array<Line>
}

/** The lines that a tab has, so that each is used once and a new tab gets all. */
export class Known {
  #hello: Hello | undefined
  readonly #sessions = new Map<string, SessionLines>()
  readonly #states = new Map<string, Line>()
  /** The calls that wait for consent. */
  readonly #requests = new Map<number, Line>()

  /** Notes a line; returns false for one that is known. */
  add(line: Line): boolean {
    switch (line.type) {
      case "hello":
        this.#hello = line
        this.#states.clear()
        this.#requests.clear()
        for (const name of this.#sessions.keys())
          if (!line.sessions.some(({ session }) => session === name)) this.#sessions.delete(name)
        for (const { id, session } of line.sessions) this.#identify(session, id)
        return true
      case "session":
        if (line.snapshot === undefined) {
          this.#sessions.delete(line.session)
          this.#states.delete(line.session)
          if (this.#hello !== undefined)
            this.#hello = {
              ...this.#hello,
              sessions: this.#hello.sessions.filter(({ session }) => session !== line.session)
            }
        } else {
          this.#states.set(line.session, line)
          if (line.id !== undefined) this.#identify(line.session, line.id)
        }
        return true
      case "event":
      case "output": {
        const session = this.#of(line.session)
        if (line.seq < session.next) return false
        session.next = line.seq + 1
        session.lines.push(line)
        if (session.lines.length > kept * 1.2) session.lines = session.lines.slice(-kept)
        return true
      }
      case "request":
        if (line.ended === undefined) this.#requests.set(line.request.id, line)
        else this.#requests.delete(line.request.id)
        return true
      case "gap": {
        const session = this.#of(line.session)
        session.next = line.next
        session.lines.push(line)
        return true
      }
      default:
        return true
    }
  }

  #of(session: string): SessionLines {
    const found = this.#sessions.get(session) ?? { id: undefined, next: 0, lines: [] }
    this.#sessions.set(session, found)
    return found
  }

  /** Forgets the lines of an earlier session that had this name. */
  #identify(session: string, id: string): void {
    if (this.#sessions.get(session)?.id !== id) this.#sessions.set(session, { id, next: 0, lines: [] })
  }

  /** Where to continue, by session. */
  cursors(): ReadonlyMap<string, Cursor> {
    return new Map([...this.#sessions].map(([name, { id, next }]) => [name, { id, next }]))
  }

  /** All lines, for a tab that opens. */
  lines(): ReadonlyArray<Line> {
    return [
      ...(this.#hello === undefined ? [] : [this.#hello]),
      ...this.#states.values(),
      ...this.#requests.values(),
      ...[...this.#sessions.values()].flatMap(({ lines }) => lines)
    ]
  }
}

/** Reads the stream, in this tab or through another one. Returns a function that tries to connect again now. */
export const open = (token: string, scope: string, listener: Listener): (() => void) => {
  const channel = new BroadcastChannel(`sigtrap.${scope}`)
  const known = new Known()
  let connection: Connection = { state: "connecting" }
  let reader: StreamReader | undefined
  /** True once another tab was heard of; until then no line is copied for one. */
  let others = false
  const send = (message: Message) => channel.postMessage(message)
  const pass = (message: Message) => (others ? send(message) : undefined)

  const use = (line: Line) => {
    if (known.add(line)) listener.onLine(line)
  }
  const connected = (state: Connection) => {
    connection = state
    listener.onConnection(state)
  }
  /** Follows the sessions that a line names. Output before the last entries is read on request. */
  const followNew = (line: Line) => {
    if (line.type === "hello") {
      for (const { id, session } of line.sessions) reader?.follow(session, id)
    }
    if (line.type !== "session") return
    if (line.snapshot === undefined) reader?.unfollow(line.session)
    else reader?.follow(line.session, line.id)
  }

  /** Takes what the tab that reads the stream passes on. */
  const take = async (data: Message) => {
    if (data.kind === "line") use(data.line)
    if (data.kind === "known") await inTasks(data.lines, use)
    if (data.kind === "connection" || data.kind === "known") connected(data.connection)
  }
  /** What other tabs have passed on, one after the other: thousands of lines of a tab are taken in several tasks. */
  let taken = Promise.resolve()

  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    others = true
    if (data.kind === "retry") reader?.retry()
    if (data.kind === "join" && reader !== undefined) send({ kind: "known", lines: known.lines(), connection })
    if (reader === undefined) taken = taken.then(() => take(data))
  })

  void navigator.locks.request(`sigtrap.${scope}`, async () => {
    // The stream continues after the last line that was passed on.
    await taken
    let release = () => {}
    const refused = new Promise<void>((resolve) => (release = resolve))
    reader = new StreamReader(token, {
      onLine: (line) => {
        use(line)
        pass({ kind: "line", line })
        followNew(line)
      },
      onConnection: (state) => {
        connected(state)
        pass({ kind: "connection", connection: state })
      },
      onRefused: () => {
        // Another tab may have a token that is accepted.
        reader = undefined
        release()
        listener.onRefused()
      }
    })
    reader.start(known.cursors())
    // For a tab that asked in the meantime.
    pass({ kind: "known", lines: known.lines(), connection })
    // The lock is held until the tab closes, or until its token is refused.
    return refused
  })
  send({ kind: "join" })
  return () => (reader === undefined ? send({ kind: "retry" }) : reader.retry())
}
