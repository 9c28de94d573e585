/**
 * Transcripts of the messages between a client and an adapter: recording, parsing, and comparing them.
 *
 * A transcript has one JSON object per line, in the order in which the client sent or received the messages. The caller
 * stores the lines.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Message from "./Message.ts"

const from = { dir: Schema.Literals(["client", "adapter"]), ms: Schema.Finite }

/** The schema of a protocol message. */
export const ProtocolMessage = Schema.declare(Message.isMessage, { expected: "a protocol message" })

/** A message of either side. */
export const MessageEntry = Schema.Struct({ ...from, msg: ProtocolMessage })

/** A body that is not valid UTF-8, with a correct Content-Length. */
export const Raw = Schema.Struct({ ...from, rawBase64: Schema.String })

/** The adapter closed its output; `note` says if it had to be killed. */
export const Eof = Schema.Struct({
  ...from,
  eof: Schema.Literal(true),
  exit: Schema.optionalKey(
    Schema.Struct({
      code: Schema.optionalKey(Schema.Finite),
      signal: Schema.optionalKey(Schema.Union([Schema.Finite, Schema.String])),
      note: Schema.optionalKey(Schema.String)
    })
  )
})

/** One line of a transcript; `ms` counts from the start of the recording. */
export const Entry = Schema.Union([MessageEntry, Raw, Eof])

/** One line of a transcript. */
export type Entry = typeof Entry.Type

/** A text is not a transcript; `line` is the invalid line, from 1. */
export class TranscriptInvalid extends Schema.TaggedError<TranscriptInvalid>()("TranscriptInvalid", {
  line: Schema.Int,
  issue: Schema.String
}) {
  override get message() {
    return `Line ${this.line} of the transcript cannot be read: ${this.issue}`
  }
}

/** Formats an entry as one line, without the line end. */
export const format = (entry: Entry): string => JSON.stringify(entry)

/** Returns a function for the client's `onMessage` that writes each message as a line; times count from this call. */
export const recorder = Effect.fnUntraced(function* (write: (line: string) => void) {
  const clock = yield* Clock.Clock
  const start = clock.monotonicTimeNanosUnsafe()
  return (msg: Message.Message, dir: Message.Direction): void => {
    const ms = Math.round(Number(clock.monotonicTimeNanosUnsafe() - start) / 1e5) / 10
    write(format({ dir, ms, msg }))
  }
})

const decodeLine = Schema.decodeUnknownResult(Schema.fromJsonString(Entry))

/** Parses a transcript; empty lines are skipped. */
export const parse = (text: string): Result.Result<ReadonlyArray<Entry>, TranscriptInvalid> => {
  const entries: Array<Entry> = []
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const entry = decodeLine(line)
    if (Result.isFailure(entry)) {
      return Result.fail(new TranscriptInvalid({ line: index + 1, issue: entry.failure.message }))
    }
    entries.push(entry.success)
  }
  return Result.succeed(entries)
}

/** Returns the body as the adapter wrote it: that of a `rawBase64` entry, otherwise the message as JSON. */
export const body = (entry: typeof MessageEntry.Type | typeof Raw.Type): Uint8Array =>
  "msg" in entry
    ? new TextEncoder().encode(JSON.stringify(entry.msg))
    : Result.getOrElse(Base64.decode(entry.rawBase64), () => new Uint8Array())

/** A message with placeholders for the parts that differ between recordings. */
export interface Stable {
  readonly dir: Message.Direction
  readonly msg: unknown
}

/** The kinds of numbers that differ between two recordings of one scenario, by key. */
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

/**
 * Replaces thread ids, frame ids, process ids, references, addresses, sequence numbers and the given path prefixes by
 * placeholders such as `<thread 1>`, numbered in the order of their appearance, and drops times and the end of file.
 *
 * Two recordings of the same behaviour give the same result. 0 is kept: it means "none" in most places.
 */
export const stabilise = (
  entries: ReadonlyArray<Entry>,
  options?: { readonly paths?: ReadonlyArray<readonly [prefix: string, placeholder: string]> }
): ReadonlyArray<Stable> => {
  const names = new Map<string, Map<string, string>>()
  const numbers = new Map<string, string>()
  const name = (kind: string, value: string) => {
    let known = names.get(kind)
    if (known === undefined) names.set(kind, (known = new Map()))
    let placeholder = known.get(value)
    if (placeholder === undefined) known.set(value, (placeholder = `<${kind} ${known.size + 1}>`))
    if (kind === "pid" || kind === "thread") numbers.set(value, placeholder)
    return placeholder
  }
  const text = (value: string) => {
    let out = value
    for (const [prefix, placeholder] of options?.paths ?? []) out = out.replaceAll(prefix, placeholder)
    out = out.replace(/0x[0-9a-fA-F]{4,}/g, (address) => name("address", address.toLowerCase()))
    // Texts may contain the number of a known process or thread.
    return out.replace(/\b\d{3,}\b/g, (digits) => numbers.get(digits) ?? digits)
  }
  const walk = (value: unknown, key: string, list: string): unknown => {
    if (typeof value === "number") {
      const kind = kinds[key] ?? (key === "id" ? listed[list] : undefined)
      if (key === "seq" || key === "request_seq" || key === "requestId") return "<seq>"
      return kind === undefined || value === 0 ? value : name(kind, String(value))
    }
    if (typeof value === "string") return text(value)
    if (Array.isArray(value)) return value.map((item) => walk(item, "", key))
    if (!Message.isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, walk(item, inner, list)]))
  }
  return entries.flatMap((entry) => ("msg" in entry ? [{ dir: entry.dir, msg: walk(entry.msg, "", "") }] : []))
}
