/**
 * One line of the audit log, and the chain of lines.
 *
 * A line is a JSON object. `prev` is the hash of the line before, over all files; `hash` is the SHA-256 of this line up to
 * `,"hash"`, closed by `}`. So a line that is changed, removed, added or moved breaks the chain at that line or the next. The
 * end of the chain has no witness: lines that are cut off at the end leave a valid prefix.
 */
import { Caller } from "@sigtrap/protocol"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"

/** The fields of every line. `seq` numbers lines from 1. `time` is ISO 8601, UTC. */
const common = { seq: Schema.Int, time: Schema.String }

/** The first line of a file. */
const FileMark = Schema.Struct({ ...common, file: Schema.String })
/** Follows a line of `cut` bytes that a killed daemon left incomplete. */
const CutMark = Schema.Struct({ ...common, cut: Schema.Int })
/** Counts records that could not be written. */
const LostMark = Schema.Struct({ ...common, lost: Schema.Int })

/** The record of an operation. */
export const Entry = Schema.Struct({
  ...common,
  actor: Schema.Struct({ kind: Caller.Kind, name: Schema.optionalKey(Schema.String) }),
  session: Schema.optionalKey(Schema.String),
  operation: Schema.String,
  effects: Schema.Array(Schema.String),
  /** The tier of the call's strongest effect. */
  tier: Schema.String,
  /** The fields of the call, masked and at most about 1 KiB. */
  args: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** Absent while the operation runs; a second record with the same `call` has the result. */
  ok: Schema.optionalKey(Schema.Boolean),
  /** The code of the error. */
  code: Schema.optionalKey(Schema.String),
  /** True if a rule refused the operation; otherwise it failed by itself. */
  refused: Schema.optionalKey(Schema.Literal(true)),
  /** The rule that refused it. */
  rule: Schema.optionalKey(Schema.String),
  request_id: Schema.optionalKey(Schema.String),
  /** The `seq` of the record that was written while the operation ran. */
  call: Schema.optionalKey(Schema.Int),
  /** Number of equal reads of one client that this record joins. */
  count: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "AuditEntry" })
/** The record of an operation. */
export type Entry = typeof Entry.Type

const Content = Schema.Union([Entry, FileMark, CutMark, LostMark])
/** What a line says. */
export type Content = typeof Content.Type

/** `prev` of the first line of all. */
export const origin = "0".repeat(64)

/** A line that was read. */
export interface Line {
  readonly content: Content
  readonly prev: string
  readonly hash: string
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Returns a line, without the line break, and its hash. */
export const encode = (content: Content, prev: string): { readonly text: string; readonly hash: string } => {
  const body = JSON.stringify({ ...content, prev })
  const hash = sha256(body)
  return { text: `${body.slice(0, -1)},"hash":"${hash}"}`, hash }
}

const ending = /,"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Content))

/** Reads a line; undefined if it is damaged. */
export const parse = (text: string): Line | undefined => {
  // The ending has a fixed length, so a long line is not searched.
  const [whole, prev, hash] = ending.exec(text.slice(-150)) ?? []
  if (whole === undefined || prev === undefined || hash === undefined) return undefined
  const body = `${text.slice(0, -`,"hash":"${hash}"}`.length)}}`
  if (sha256(body) !== hash) return undefined
  const content = decode(body)
  return Option.isNone(content) ? undefined : { content: content.value, prev, hash }
}

/** True for the record of an operation. */
export const isEntry = (content: Content): content is Entry => "operation" in content
