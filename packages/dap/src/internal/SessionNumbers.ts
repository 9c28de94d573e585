/**
 * Numbers of several sessions of one adapter, made unique for the connection: each session counts by itself.
 *
 * Frames and references are many and short-lived, so the session is encoded in the number and nothing is stored.
 * Threads are few and shown to people: they are numbered from 1 in the order of their appearance.
 */
import * as Message from "../Message.ts"

/** Number of sessions that the numbers of frames and references can encode. */
export const maxSessions = 2 ** 20

/** Keys of references; 0 means "none". */
const references = new Set([
  "variablesReference",
  "sourceReference",
  "valueLocationReference",
  "declarationLocationReference",
  "locationReference"
])

/** Keys of frames; 0 is a frame. */
const frames = new Set(["frameId", "stackFrameId"])

type Kind = "reference" | "frame" | "thread"

/** Returns the kind of a number by its key, and for `id` by the list that contains it. */
const kindOf = (key: string, list: string): Kind | undefined => {
  if (references.has(key)) return "reference"
  if (frames.has(key) || (key === "id" && list === "stackFrames")) return "frame"
  if (key === "threadId" || (key === "id" && list === "threads")) return "thread"
  return undefined
}

/** A thread of one session, by the session's own number. */
export interface Thread {
  readonly session: number
  readonly id: number
}

/** The numbers of one connection. */
export class SessionNumbers {
  readonly #threads = new Map<number, Thread>()
  readonly #numbers = new Map<string, number>()

  /** Returns the connection's number of a session's thread. */
  threadNumber(session: number, id: number): number {
    const key = `${session} ${id}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#numbers.size + 1
    this.#numbers.set(key, number)
    this.#threads.set(number, { session, id })
    return number
  }

  /** Returns the session's thread with a connection number, if that number was ever assigned. */
  thread(number: number): Thread | undefined {
    return this.#threads.get(number)
  }

  /** Returns the session of a frame or a reference. */
  session(number: number): number {
    return number % maxSessions
  }

  /** Translates a body from a session to the connection's numbers. */
  fromSession(session: number, value: unknown): unknown {
    return this.#map(value, "", "", (kind, number) => {
      if (kind === "thread") return this.threadNumber(session, number)
      return kind === "reference" && number === 0 ? 0 : number * maxSessions + session
    })
  }

  /** Translates arguments for a session to its own numbers. */
  toSession(value: unknown): unknown {
    return this.#map(value, "", "", (kind, number) => {
      if (kind === "thread") return this.#threads.get(number)?.id ?? number
      return kind === "reference" && number === 0 ? 0 : Math.floor(number / maxSessions)
    })
  }

  #map(value: unknown, key: string, list: string, change: (kind: Kind, number: number) => number): unknown {
    if (typeof value === "number") {
      const kind = kindOf(key, list)
      return kind === undefined ? value : change(kind, value)
    }
    if (Array.isArray(value)) return value.map((item) => this.#map(item, "", key, change))
    // `adapterData` belongs to the adapter and is sent back unchanged.
    if (!Message.isRecord(value) || key === "adapterData") return value
    return Object.fromEntries(
      Object.entries(value).map(([inner, item]) => [inner, this.#map(item, inner, list, change)])
    )
  }
}
