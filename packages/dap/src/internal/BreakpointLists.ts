/**
 * The breakpoints of several sessions of one adapter as breakpoints of one: a list that was set is kept, for sessions
 * that begin later, and every entry has one number outside, whatever each session calls it.
 *
 * An entry is bound when any session has bound it. Sessions may call two entries by one number (js-debug does, once a
 * list was set before its program was there): then the line tells them apart, or nothing does.
 */
import * as Message from "../Message.ts"

type Body = Readonly<Record<string, unknown>>

interface Entry {
  readonly id: number
  readonly asked: Body
  /** What each session said of it last. */
  readonly said: Map<number, Body>
}

/** A list that was set as a whole. */
export interface List {
  readonly command: string
  readonly args: Body
  readonly entries: ReadonlyArray<Entry>
}

const records = (value: unknown): ReadonlyArray<Body> => (Array.isArray(value) ? value.filter(Message.isRecord) : [])

/** The requests that replace such a list. */
export const commands = new Set([
  "setBreakpoints",
  "setFunctionBreakpoints",
  "setInstructionBreakpoints",
  "setDataBreakpoints",
  "setExceptionBreakpoints"
])

/** Which list a request replaces: each source has one of its own. */
const keyOf = (command: string, args: Body): string => {
  const source = args["source"]
  return JSON.stringify([command, Message.isRecord(source) ? [source["path"], source["sourceReference"]] : null])
}

/** All lists of one connection. */
export class BreakpointLists {
  readonly #lists = new Map<string, List>()
  #last = 0

  /** Replaces a list; nobody has answered yet. */
  replace(command: string, args: Body): List {
    const key = keyOf(command, args)
    const before = [...(this.#lists.get(key)?.entries ?? [])]
    const entries = records(args["breakpoints"]).map((asked): Entry => {
      // What was asked for before keeps its number, and what was said of it: an unchanged list may be answered by nothing.
      const text = JSON.stringify(asked)
      const index = before.findIndex((entry) => JSON.stringify(entry.asked) === text)
      const [known] = index < 0 ? [] : before.splice(index, 1)
      return known ?? { id: ++this.#last, asked, said: new Map() }
    })
    const list = { command, args, entries }
    this.#lists.set(key, list)
    return list
  }

  /** The lists in force, in the order in which they were first set. */
  all(): ReadonlyArray<List> {
    return [...this.#lists.values()]
  }

  /** Notes a session's answer to a list. */
  answered(session: number, list: List, body: unknown): void {
    const answers = records(Message.isRecord(body) ? body["breakpoints"] : undefined)
    for (const [index, entry] of list.entries.entries()) {
      const answer = answers[index]
      if (answer !== undefined) entry.said.set(session, answer)
    }
  }

  /** The answer to a list for whoever set it. */
  answer(list: List): Body {
    return { breakpoints: list.entries.map((entry) => this.#outward(entry)) }
  }

  /** Forgets what a session said. */
  forget(session: number): void {
    for (const { entries } of this.#lists.values()) for (const { said } of entries) said.delete(session)
  }

  /** Takes a session's news of one breakpoint; gives it as it is told outside, or nothing when it is nobody's. */
  changed(session: number, breakpoint: Body): Body | undefined {
    const known = this.#called(session, breakpoint["id"])
    const entry = known.length > 1 ? this.#closest(session, known, breakpoint) : known[0]
    if (entry === undefined) return undefined
    entry.said.set(session, { ...entry.said.get(session), ...breakpoint })
    return this.#outward(entry)
  }

  /** The numbers outside of what a session hit; none when one of its numbers could mean several. */
  hit(session: number, ids: unknown): ReadonlyArray<number> {
    const found = (Array.isArray(ids) ? ids : []).map((id) => this.#called(session, id))
    return found.some((entries) => entries.length > 1) ? [] : found.flatMap((entries) => entries.map(({ id }) => id))
  }

  /** The entries that a session calls by this number. */
  #called(session: number, id: unknown): ReadonlyArray<Entry> {
    if (typeof id !== "number") return []
    return this.all().flatMap(({ entries }) => entries.filter(({ said }) => said.get(session)?.["id"] === id))
  }

  #closest(session: number, entries: ReadonlyArray<Entry>, { line }: Body): Entry | undefined {
    return (
      entries.find(({ said }) => said.get(session)?.["line"] === line) ??
      entries.find(({ asked, said }) => asked["line"] === line && said.get(session)?.["verified"] !== true) ??
      entries.find(({ said }) => said.get(session)?.["verified"] !== true)
    )
  }

  #outward({ id, said }: Entry): Body {
    const answers = [...said.values()]
    // Those of sessions that begin later know more than the first, which may have no program of its own.
    return { ...(answers.find(({ verified }) => verified === true) ?? answers.at(-1) ?? { verified: false }), id }
  }
}
