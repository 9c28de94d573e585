/**
 * Documents and files of a loopback server: their entity tag, and their compressed form.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip as gzipBytes } from "node:zlib"

const gzip = promisify(gzipBytes)

/** A body of at least this size is compressed, in bytes. */
const worthCompressing = 1024

/** A document with what a server needs to send it. */
export interface Content {
  readonly type: string
  readonly bytes: Uint8Array
  /** The same, compressed; absent if it is small. */
  readonly gzipped?: Uint8Array
  /** The entity tag (RFC 9110, 8.8.3), with its quotes. */
  readonly etag: string
}

/** Returns the digest of a text as base64, for the header `Content-Security-Policy`. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("base64")

/** Makes a document. */
export const make = Effect.fnUntraced(function* (type: string, text: string | Uint8Array) {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`
  if (bytes.length < worthCompressing) return { type, bytes, etag } satisfies Content
  const gzipped = yield* Effect.promise(() => gzip(bytes))
  return { type, bytes, etag, gzipped: new Uint8Array(gzipped) } satisfies Content
})

/** True if the client has this document already (`If-None-Match`). */
export const isKnown = ({ etag }: Content, ifNoneMatch: string | undefined): boolean =>
  (ifNoneMatch ?? "")
    .split(",")
    .map((one) => one.trim().replace(/^W\//, ""))
    .some((one) => one === "*" || one === etag)

/** True if the client reads gzip (`Accept-Encoding`). */
export const readsGzip = (acceptEncoding: string | undefined): boolean =>
  /(?:^|[\s,])gzip\s*(?:;\s*q=(?:1|0?\.\d*[1-9]\d*)[.0]*\s*)?(?:,|$)/.test(acceptEncoding ?? "")
