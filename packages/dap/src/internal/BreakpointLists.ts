/**
 * The breakpoints of several sessions of one adapter, merged: every list is kept for sessions that start later, and
 * every entry has one number for the client, independent of the ids that the sessions give it.
 *
 * An entry is verified when any session has verified it. A session may use one id for two entries: js-debug
 * does if a list was set before its program was loaded. Then a `breakpoint` event is matched by its line, and a hit of
 * that id is not matched.
 */
import * as Message from "../Message.ts"

type Body = Readonly<Record<string, unknown>>

interface Entry {
  readonly id: number
  readonly request: Body
  /** The last answer or event of each session, by session number. */
  readonly answers: Map<number, Body>
}

/** A list of breakpoints that one request sets as a whole. */
export interface List {
  readonly command: string
  readonly args: Body
  readonly entries: ReadonlyArray<Entry>
}

const records = (value: unknown): ReadonlyArray<Body> => (Array.isArray(value) ? value.filter(Message.isRecord) : [])

/** The requests that replace a list. */
export const commands = new Set([
  "setBreakpoints",
  "setFunctionBreakpoints",
  "setInstructionBreakpoints",
  "setDataBreakpoints",
  "setExceptionBreakpoints"
])

/** Returns the key of the list that a request replaces: one per command, for `setBreakpoints` one per source. */
const keyOf = (command: string, args: Body): string => {
  const source = args["source"]
  return JSON.stringify([command, Message.isRecord(source) ? [source["path"], source["sourceReference"]] : null])
}

/** All lists of one connection. */
export class BreakpointLists {
  readonly #lists = new Map<string, List>()
  #last = 0

  /** Replaces a list. Unchanged entries keep their number and answers: an adapter may answer them with nothing. */
  replace(command: string, args: Body): List {
    const key = keyOf(command, args)
    const before = [...(this.#lists.get(key)?.entries ?? [])]
    const entries = records(args["breakpoints"]).map((request): Entry => {
      const text = JSON.stringify(request)
      const index = before.findIndex((entry) => JSON.stringify(entry.request) === text)
      const [known] = index < 0 ? [] : before.splice(index, 1)
      return known ?? { id: ++this.#last, request, answers: new Map() }
    })
    const list = { command, args, entries }
    this.#lists.set(key, list)
    return list
  }

  /** Returns all lists, in the order in which they were first set. */
  all(): ReadonlyArray<List> {
    return [...this.#lists.values()]
  }

  /** Records a session's response to a list. */
  answered(session: number, list: List, body: unknown): void {
    const answers = records(Message.isRecord(body) ? body["breakpoints"] : undefined)
    for (const [index, entry] of list.entries.entries()) {
      const answer = answers[index]
      if (answer !== undefined) entry.answers.set(session, answer)
    }
  }

  /** Returns the merged response to a list. */
  response(list: List): Body {
    return { breakpoints: list.entries.map((entry) => this.#merged(entry)) }
  }

  /** Removes the answers of a session that has ended. */
  remove(session: number): void {
    for (const { entries } of this.#lists.values()) for (const { answers } of entries) answers.delete(session)
  }

  /** Records a session's `breakpoint` event; returns the merged breakpoint, or `undefined` if no entry matches. */
  changed(session: number, breakpoint: Body): Body | undefined {
    const known = this.#withId(session, breakpoint["id"])
    const entry = known.length > 1 ? this.#closest(session, known, breakpoint) : known[0]
    if (entry === undefined) return undefined
    entry.answers.set(session, { ...entry.answers.get(session), ...breakpoint })
    return this.#merged(entry)
  }

  /** Returns the numbers of the breakpoints that a session has hit; none if one of its ids is ambiguous. */
  hit(session: number, ids: unknown): ReadonlyArray<number> {
    const found = (Array.isArray(ids) ? ids : []).map((id) => this.#withId(session, id))
    return found.some((entries) => entries.length > 1) ? [] : found.flatMap((entries) => entries.map(({ id }) => id))
  }

  /** Returns the entries to which a session has given this id. */
  #withId(session: number, id: unknown): ReadonlyArray<Entry> {
    if (typeof id !== "number") return []
    return this.all().flatMap(({ entries }) => entries.filter(({ answers }) => answers.get(session)?.["id"] === id))
  }

  #closest(session: number, entries: ReadonlyArray<Entry>, { line }: Body): Entry | undefined {
    return (
      entries.find(({ answers }) => answers.get(session)?.["line"] === line) ??
      entries.find(({ answers, request }) => request["line"] === line && answers.get(session)?.["verified"] !== true) ??
      entries.find(({ answers }) => answers.get(session)?.["verified"] !== true)
    )
  }

  #merged({ answers, id }: Entry): Body {
    const all = [...answers.values()]
    // The newest answer is preferred: the first session may have no program of its own.
    return { ...(all.find(({ verified }) => verified === true) ?? all.at(-1) ?? { verified: false }), id }
  }
}
