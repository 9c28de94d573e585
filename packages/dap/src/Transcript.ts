/**
 * Transcripts of the messages between a client and an adapter: recording, parsing, and comparing them.
 *
 * A transcript has one JSON object per line, in the order in which the client sent or received the messages. The caller
 * stores the lines. `stabilise` makes two recordings comparable, `restore` makes the result replayable
 * (`ScriptedAdapter.replay`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Placeholders from "./internal/Placeholders.ts"
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
export const format = (entry: Entry | Stable): string => JSON.stringify(entry)

/** Returns a function for the client's `onMessage` that writes each message as a line; times count from this call. */
export const recorder = Effect.fnUntraced(function* (write: (line: string) => void) {
  const clock = yield* Clock.Clock
  const start = clock.monotonicTimeNanosUnsafe()
  return (msg: Message.Message, dir: Message.Direction): void => {
    const ms = Math.round(Number(clock.monotonicTimeNanosUnsafe() - start) / 1e5) / 10
    write(format({ dir, ms, msg }))
  }
})

const lines = <A>(text: string, decode: (line: string) => Result.Result<A, { readonly message: string }>) => {
  const found: Array<A> = []
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const one = decode(line)
    if (Result.isFailure(one)) {
      return Result.fail(new TranscriptInvalid({ line: index + 1, issue: one.failure.message }))
    }
    found.push(one.success)
  }
  return Result.succeed(found)
}

const decodeLine = Schema.decodeUnknownResult(Schema.fromJsonString(Entry))

/** Parses a transcript; empty lines are skipped. */
export const parse = (text: string): Result.Result<ReadonlyArray<Entry>, TranscriptInvalid> => lines(text, decodeLine)

/** Returns the body as the adapter wrote it: that of a `rawBase64` entry, otherwise the message as JSON. */
export const body = (entry: typeof MessageEntry.Type | typeof Raw.Type): Uint8Array =>
  "msg" in entry
    ? new TextEncoder().encode(JSON.stringify(entry.msg))
    : Result.getOrElse(Base64.decode(entry.rawBase64), () => new Uint8Array())

/** A message of either side with placeholders, such as `<thread 1>`, for what differs between recordings. */
export const StableMessage = Schema.Struct({ dir: from.dir, msg: Schema.Unknown })

/** One line of a stabilised transcript: an entry without its time. */
export const Stable = Schema.Union([
  Schema.Struct({ dir: from.dir, rawBase64: Schema.String }),
  Schema.Struct({ dir: from.dir, eof: Schema.Literal(true) }),
  StableMessage
])

/** One line of a stabilised transcript. */
export type Stable = typeof Stable.Type

/** Options of `stabilise` and `restore`: path prefixes of a machine, each with its placeholder, such as `["/home/me", "<home>"]`. */
export interface StableOptions {
  readonly paths?: Placeholders.Paths
}

/**
 * Replaces thread ids, frame ids, process ids, references, addresses, sequence numbers and the given path prefixes by
 * placeholders such as `<thread 1>`, numbered in the order of their appearance, and drops times and how the adapter ended.
 *
 * Two recordings of the same behaviour give the same result. 0 is kept: it means "none" in most places.
 */
export const stabilise = (entries: ReadonlyArray<Entry>, options?: StableOptions): ReadonlyArray<Stable> => {
  const insert = Placeholders.inserter(options?.paths ?? [])
  return entries.map((entry): Stable => {
    const { dir } = entry
    if ("msg" in entry) return { dir, msg: insert(dir, entry.msg) }
    return "eof" in entry ? { dir, eof: true } : { dir, rawBase64: entry.rawBase64 }
  })
}

/**
 * Replaces the placeholders of a stabilised transcript by values, so that it can be replayed: responses belong to the same requests as in
 * the recording, threads, frames and references have numbers, and placeholders of paths become the given prefixes. Times are 0.
 * Fails for a line that is not a protocol message then.
 */
export const restore = (
  stable: ReadonlyArray<Stable>,
  options?: StableOptions
): Result.Result<ReadonlyArray<Entry>, TranscriptInvalid> => {
  const remove = Placeholders.remover(options?.paths ?? [])
  const entries: Array<Entry> = []
  for (const [index, one] of stable.entries()) {
    const { dir } = one
    if ("msg" in one) {
      const msg = remove(dir, one.msg)
      if (!Message.isMessage(msg)) {
        return Result.fail(new TranscriptInvalid({ line: index + 1, issue: "it is not a protocol message" }))
      }
      entries.push({ dir, ms: 0, msg })
    } else entries.push({ ...one, ms: 0 })
  }
  return Result.succeed(entries)
}

const decodeStable = Schema.decodeUnknownResult(Schema.fromJsonString(Stable))

/** Parses a stabilised transcript; empty lines are skipped. */
export const parseStable = (text: string): Result.Result<ReadonlyArray<Stable>, TranscriptInvalid> =>
  lines(text, decodeStable)
