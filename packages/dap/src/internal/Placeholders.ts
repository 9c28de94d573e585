/**
 * Placeholders for the parts of messages that differ between two recordings of one scenario, such as `<thread 1>`, and values for
 * them. They are numbered in the order of their appearance, each kind by itself.
 */
import * as Message from "../Message.ts"

/** Path prefixes with their placeholders. */
export type Paths = ReadonlyArray<readonly [prefix: string, placeholder: string]>

/** The kinds of numbers that differ, by key. */
const kinds: Readonly<Record<string, string>> = {
  threadId: "thread",
  stoppedThreadId: "thread",
  systemProcessId: "pid",
  processId: "pid",
  shellProcessId: "pid",
  pid: "pid",
  frameId: "frame",
  variablesReference: "variables",
  sourceReference: "source"
}

/** The kind of the `id` in the elements of these lists. */
const listed: Readonly<Record<string, string>> = { threads: "thread", stackFrames: "frame" }

/** The sequence number of a message that no other message names. */
const unnamed = "<seq>"

/** The kind of the requests that a side sends. */
const requestsOf = { client: "request", adapter: "reverse request" } as const

const other = (dir: Message.Direction): Message.Direction => (dir === "client" ? "adapter" : "client")

const kindOf = (key: string, list: string): string | undefined =>
  kinds[key] ?? (key === "id" ? listed[list] : undefined)

/** The keys of numbers of messages. */
const isSequence = (key: string): boolean => key === "seq" || key === "request_seq" || key === "requestId"

/** Applies a function to every text and number of a message, with its key and the list that it is in. */
const walk = (
  value: unknown,
  change: (value: string | number, key: string, list: string) => unknown,
  key = "",
  list = ""
): unknown => {
  if (typeof value === "string" || typeof value === "number") return change(value, key, list)
  if (Array.isArray(value)) return value.map((item) => walk(item, change, "", key))
  if (!Message.isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, walk(item, change, inner, list)]))
}

/** Returns a function that replaces the parts of one message after the other by placeholders. */
export const inserter = (paths: Paths) => {
  const names = new Map<string, Map<string, string>>()
  const numbers = new Map<string, string>()
  const known = (kind: string) => {
    const found = names.get(kind) ?? new Map<string, string>()
    names.set(kind, found)
    return found
  }
  const name = (kind: string, value: string, isFresh = false) => {
    const all = known(kind)
    const before = all.get(value)
    const placeholder = before === undefined || isFresh ? `<${kind} ${count(kind)}>` : before
    all.set(value, placeholder)
    if (kind === "pid" || kind === "thread") numbers.set(value, placeholder)
    return placeholder
  }
  const counts = new Map<string, number>()
  const count = (kind: string) => {
    const next = (counts.get(kind) ?? 0) + 1
    counts.set(kind, next)
    return next
  }
  const text = (value: string) => {
    let out = value
    for (const [prefix, placeholder] of paths) out = out.replaceAll(prefix, placeholder)
    out = out.replace(/0x[0-9a-fA-F]{4,}/g, (address) => name("address", address.toLowerCase()))
    // Texts may contain the number of a known process or thread.
    return out.replace(/\b\d{3,}\b/g, (digits) => numbers.get(digits) ?? digits)
  }
  return (dir: Message.Direction, message: Message.Message): unknown =>
    walk(message, (value, key, list) => {
      if (typeof value === "string") return text(value)
      // Many adapters send 0 in every message, so each request is a new one.
      if (key === "seq") return message.type === "request" ? name(requestsOf[dir], `${value}`, true) : unnamed
      if (isSequence(key)) {
        const requests = requestsOf[key === "request_seq" ? other(dir) : "client"]
        return known(requests).get(`${value}`) ?? unnamed
      }
      const kind = kindOf(key, list)
      return kind === undefined || value === 0 ? value : name(kind, `${value}`)
    })
}

/** The first numbers of processes and threads; high, because texts contain other numbers. */
const first: Readonly<Record<string, number>> = { pid: 70_000, thread: 80_000 }

const numberOf = (kind: string, index: string): number => (first[kind] ?? 0) + Number(index)

const placeholders = /<(pid|thread|frame|variables|source|address|request|reverse request) (\d{1,6})>/g

const placeholder = /^<(pid|thread|frame|variables|source|request|reverse request) (\d{1,6})>$/

const firstAddress = 0x10_0000

/** Returns a function that replaces the placeholders of one message after the other by values. */
export const remover = (paths: Paths) => {
  const sent = { client: 0, adapter: 0 }
  const text = (value: string) => {
    let out = value.replace(placeholders, (_, kind: string, index: string) =>
      kind === "address" ? `0x${(firstAddress + Number(index)).toString(16)}` : `${numberOf(kind, index)}`
    )
    for (const [prefix, placeholder] of paths) out = out.replaceAll(placeholder, prefix)
    return out
  }
  return (dir: Message.Direction, message: unknown): unknown =>
    walk(message, (value, key, list) => {
      if (typeof value === "number") return value
      if (value === unnamed) return key === "seq" ? (sent[dir] += 1) : 0
      const isNumber = isSequence(key) || kindOf(key, list) !== undefined
      const [whole, kind = "", index = ""] = isNumber ? (placeholder.exec(value) ?? []) : []
      return whole === undefined ? text(value) : numberOf(kind, index)
    })
}
