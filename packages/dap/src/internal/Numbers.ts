/**
 * Numbers of several sessions of one adapter as numbers of one: each session counts by itself, and its numbers would
 * meet those of the others.
 *
 * Frames and references are many and short-lived: the session stands in the number itself, so that nothing has to be
 * remembered or forgotten. Threads are few and seen by people: they are counted from 1 in the order of their appearance.
 */
import * as Message from "../Message.ts"

/** How many sessions can be told apart in the numbers of frames and references. */
export const mostSessions = 2 ** 20

/** Keys under which references and frames stand; 0 means "none" for the first kind and is a frame for the second. */
const references = new Set([
  "variablesReference",
  "sourceReference",
  "valueLocationReference",
  "declarationLocationReference",
  "locationReference"
])

const frames = new Set(["frameId", "stackFrameId"])

/** What a number means by the key it stands under, and for `id` by the list it stands in. */
const kindOf = (key: string, list: string): "reference" | "frame" | "thread" | undefined => {
  if (references.has(key)) return "reference"
  if (frames.has(key) || (key === "id" && list === "stackFrames")) return "frame"
  if (key === "threadId" || (key === "id" && list === "threads")) return "thread"
  return undefined
}

/** A thread of one session. */
export interface Thread {
  readonly session: number
  readonly id: number
}

/** The numbers of one connection with all its sessions. */
export class Numbers {
  readonly #threads = new Map<number, Thread>()
  readonly #known = new Map<string, number>()

  /** The number by which a session's thread is known outside. */
  outward(session: number, id: number): number {
    const key = `${session} ${id}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const number = this.#known.size + 1
    this.#known.set(key, number)
    this.#threads.set(number, { session, id })
    return number
  }

  /** Whose thread it is; absent when none was ever called so. */
  thread(number: number): Thread | undefined {
    return this.#threads.get(number)
  }

  /** The session that a frame or a reference belongs to. */
  session(number: number): number {
    return number % mostSessions
  }

  /** What a session says, in the numbers that are used outside. */
  toOutside(session: number, value: unknown): unknown {
    return this.#walk(value, "", "", (kind, number) => {
      if (kind === "thread") return this.outward(session, number)
      return kind === "reference" && number === 0 ? 0 : number * mostSessions + session
    })
  }

  /** What is said to a session, in its own numbers. */
  toSession(value: unknown): unknown {
    return this.#walk(value, "", "", (kind, number) => {
      if (kind === "thread") return this.#threads.get(number)?.id ?? number
      return kind === "reference" && number === 0 ? 0 : Math.floor(number / mostSessions)
    })
  }

  #walk(
    value: unknown,
    key: string,
    list: string,
    change: (kind: "reference" | "frame" | "thread", number: number) => number
  ): unknown {
    if (typeof value === "number") {
      const kind = kindOf(key, list)
      return kind === undefined ? value : change(kind, value)
    }
    if (Array.isArray(value)) return value.map((item) => this.#walk(item, "", key, change))
    // What an adapter keeps for itself comes back as it was.
    if (!Message.isRecord(value) || key === "adapterData") return value
    return Object.fromEntries(
      Object.entries(value).map(([inner, item]) => [inner, this.#walk(item, inner, list, change)])
    )
  }
}
