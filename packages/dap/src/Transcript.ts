/**
 * Conversations with adapters as text: recorded, read back, and made comparable.
 *
 * A transcript is one JSON object a line, in the order in which the client saw or sent the messages. Who writes the
 * lines to a file, and how many are kept, is the caller's affair.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Message from "./Message.ts"

const from = { dir: Schema.Literals(["client", "adapter"]), ms: Schema.Finite }

/** A protocol message, as a schema. */
export const ProtocolMessage = Schema.declare(Message.isMessage, { expected: "a protocol message" })

/** A message. */
export const Said = Schema.Struct({ ...from, msg: ProtocolMessage })

/** A body that is not valid UTF-8; its Content-Length was right. */
export const Raw = Schema.Struct({ ...from, rawBase64: Schema.String })

/** The adapter closed its output; `note` when it had to be killed. */
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
export const Entry = Schema.Union([Said, Raw, Eof])

/** One line of a transcript. */
export type Entry = typeof Entry.Type

/** A text is not a transcript; `line` counts from 1. */
export class TranscriptInvalid extends Schema.TaggedError<TranscriptInvalid>()("TranscriptInvalid", {
  line: Schema.Int,
  issue: Schema.String
}) {
  override get message() {
    return `Line ${this.line} of the transcript cannot be read: ${this.issue}`
  }
}

/** One entry as one line, without the line end. */
export const format = (entry: Entry): string => JSON.stringify(entry)

/**
 * Makes a function for the client's `onMessage` that hands each message over as a line; the time counts from here.
 */
export const recorder = Effect.fnUntraced(function* (write: (line: string) => void) {
  const clock = yield* Clock.Clock
  const start = clock.monotonicTimeNanosUnsafe()
  return (msg: Message.Message, dir: Message.Direction): void => {
    const ms = Math.round(Number(clock.monotonicTimeNanosUnsafe() - start) / 1e5) / 10
    write(format({ dir, ms, msg }))
  }
})

const decodeLine = Schema.decodeUnknownResult(Schema.fromJsonString(Entry))

/** Reads a transcript; empty lines are passed over. */
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

/** The bytes of a message as the adapter wrote them: the body of a `rawBase64` entry, else the message as JSON. */
export const body = (entry: typeof Said.Type | typeof Raw.Type): Uint8Array =>
  "msg" in entry
    ? new TextEncoder().encode(JSON.stringify(entry.msg))
    : Result.getOrElse(Base64.decode(entry.rawBase64), () => new Uint8Array())

/** A message whose changing parts are replaced by placeholders. */
export interface Stable {
  readonly dir: Message.Direction
  readonly msg: unknown
}

/** What differs between two recordings of one scenario, by the key it stands under. */
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

/** The elements of these lists have an `id` of this kind. */
const listed: Readonly<Record<string, string>> = { threads: "thread", stackFrames: "frame" }

/**
 * Replaces thread ids, frame ids, process ids, references, addresses, sequence numbers and the given path prefixes by
 * placeholders such as `<thread 1>`, numbered in the order of their appearance, and drops times and the end of file.
 *
 * Two recordings of the same behaviour give the same result. 0 stays as it is: it means "none" in most places.
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
    // A process or thread that is known by now may also be spoken of.
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
