/**
 * The record of one session: its intent in one file, its newest events in two others.
 *
 * The record keeps the intent in memory. After a failed write the whole intent is written again, at the next change or
 * question, as soon as that succeeds.
 */
import { Intent, IntentStore } from "@sigtrap/manager"
import { Lazy } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"
import { mkdirSync, existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { RecordFile, type Write } from "./RecordFile.ts"
import * as RecordLines from "./RecordLines.ts"

const Header = Schema.fromJsonString(Schema.Struct({ sigtrap: Schema.Literal("intent"), version: Schema.Int }))

/** Version of the format. A record of another version is not read and not changed. */
export const version = 1

/** Computed when a record is written, not when the daemon starts: its digest needs `node:crypto`, which takes long to load. */
const header = (): string => RecordLines.encode(JSON.stringify({ sigtrap: "intent", version }))

const decodeHeader = Lazy.make(() => Schema.decodeOption(Header))
const ChangeText = Schema.fromJsonString(Intent.Change)
const encodeChange = Lazy.make(() => Schema.encodeSync(ChangeText))
const decodeChange = Lazy.make(() => Schema.decodeOption(ChangeText))

/** Returns the line of a change. */
export const lineOf = (change: Intent.Change): string => RecordLines.encode(encodeChange()(change))

/** Returns the text of a whole record. */
export const textOf = (intent: Intent.Intent): string => header() + Intent.changesOf(intent).map(lineOf).join("")

/** A record that was read: its version, and the intent after the changes that can be read. */
export interface Read {
  readonly version?: number
  readonly intent?: Intent.Intent
  /** True if changes after these were stored and cannot be read. */
  readonly isDamaged: boolean
}

/** Reads a record. It has no intent if there is no request, or if its version is another one. */
export const read = (text: string): Read => {
  const { isDamaged, texts } = RecordLines.decode(text)
  const [first, ...lines] = texts
  const found = decodeHeader()(first ?? "")
  if (found._tag === "None") return { isDamaged: true }
  if (found.value.version !== version) return { version: found.value.version, isDamaged }
  let intent: Intent.Intent | undefined
  for (const line of lines) {
    const change = decodeChange()(line)
    if (change._tag === "None") return { version, isDamaged: true, ...(intent === undefined ? {} : { intent }) }
    intent = Intent.fold(intent, change.value)
  }
  return { version, isDamaged, ...(intent === undefined ? {} : { intent }) }
}

/** The directories of records, below the runtime directory. */
export interface Directories {
  readonly intent: string
  readonly events: string
  readonly older: string
}

/** Returns the directories of records. */
export const directories = (runtime: string): Directories => ({
  intent: join(runtime, "intent"),
  events: join(runtime, "events"),
  older: join(runtime, "events.old")
})

/** Returns the name of a session's file. */
export const fileOf = (name: string): string => `${name}.jsonl`

/** Dependencies of a record. */
export interface Options {
  readonly directories: Directories
  /** Writes to a descriptor. */
  readonly write?: Write | undefined
  /** Called with the first problem of a series. */
  readonly report: (problem: string) => void
  /** Called when the name of the session changes; `undefined` if the record is removed. */
  readonly renamed: (before: string, next: string | undefined) => void
}

/** Sizes in bytes: of a file of events before the next one is begun, and of a record before it is compacted. */
const limits = { events: 2 * 1024 * 1024, intent: 256 * 1024 }

const EventsText = Schema.fromJsonString(Schema.Array(IntentStore.StoredEvent))
const encodeEvents = Lazy.make(() => Schema.encodeSync(EventsText))
const decodeEvents = Lazy.make(() => Schema.decodeOption(EventsText))

/** Reads a file of events. */
export const readEvents = (text: string): ReadonlyArray<IntentStore.StoredEvent> => {
  const found: Array<IntentStore.StoredEvent> = []
  for (const line of RecordLines.decode(text).texts) {
    const events = decodeEvents()(line)
    if (events._tag === "None") break
    found.push(...events.value)
  }
  return found
}

/** Returns the record of a session whose file cannot be used: it stores nothing, and can be renamed and removed. */
export const unusable = (name: string, { directories: at }: Pick<Options, "directories">): IntentStore.Record => {
  let own = name
  const all = [at.intent, at.events, at.older]
  return {
    ...IntentStore.none,
    rename: (next) => {
      for (const directory of all) moveFile(directory, own, next)
      own = next
    },
    remove: () => {
      for (const directory of all) new RecordFile(join(directory, fileOf(own))).remove()
    }
  }
}

/** Renames the file of a session in one directory, if it exists. */
const moveFile = (directory: string, name: string, next: string) => {
  const before = join(directory, fileOf(name))
  if (existsSync(before)) renameSync(before, join(directory, fileOf(next)))
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Makes the record of a session, and writes its intent. Its earlier events are kept if `keepsEvents` is true. */
export const make = (
  name: string,
  begun: Intent.Intent,
  keepsEvents: boolean,
  options: Options
): IntentStore.Record => {
  const { directories: at, renamed, report, write } = options
  let own = name
  let intent = begun
  let isRemoved = false
  let size = 0
  let largest = limits.intent
  let intentProblem: string | undefined
  let eventsProblem: string | undefined
  const file = (directory: string) => new RecordFile(join(directory, fileOf(own)), write)

  /** Runs a write and returns its problem. A removed record writes nothing. */
  const attempt = (before: string | undefined, body: () => void): string | undefined => {
    if (isRemoved) return undefined
    try {
      body()
      return undefined
    } catch (error) {
      const problem = messageOf(error)
      if (before === undefined) report(problem)
      return problem
    }
  }

  const rewrite = () => {
    const text = textOf(intent)
    file(at.intent).replace(text)
    size = text.length
    largest = Math.max(limits.intent, 4 * size)
  }

  const each = (body: (directory: string) => void) => {
    for (const directory of [at.intent, at.events, at.older]) body(directory)
  }

  const clearEvents = () => {
    attempt(undefined, () => {
      file(at.events).remove()
      file(at.older).remove()
    })
  }

  const appendEvents = (line: string) => {
    const current = file(at.events)
    if (!existsSync(current.path)) return current.replace(line)
    if (current.append(line) < limits.events) return
    if (!existsSync(at.older)) mkdirSync(at.older, { mode: 0o700 })
    renameSync(current.path, file(at.older).path)
  }

  if (!keepsEvents) clearEvents()
  intentProblem = attempt(undefined, rewrite)

  return {
    append: (change) => {
      intent = Intent.fold(intent, change) ?? intent
      intentProblem = attempt(intentProblem, () => {
        if (intentProblem !== undefined) return rewrite()
        size = file(at.intent).append(lineOf(change))
        if (size > largest) rewrite()
      })
    },
    appendEvents: (events) => {
      eventsProblem = attempt(eventsProblem, () => appendEvents(RecordLines.encode(encodeEvents()(events))))
      return eventsProblem === undefined
    },
    clearEvents,
    rename: (next) => {
      attempt(undefined, () => each((directory) => moveFile(directory, own, next)))
      renamed(own, next)
      own = next
    },
    remove: () => {
      attempt(undefined, () => each((directory) => file(directory).remove()))
      isRemoved = true
      renamed(own, undefined)
    },
    problem: () => {
      if (intentProblem !== undefined) intentProblem = attempt(intentProblem, rewrite)
      return intentProblem ?? eventsProblem
    }
  }
}
