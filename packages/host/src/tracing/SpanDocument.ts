/**
 * A finished span as OTLP JSON. It has names, times and codes only: no arguments, values, source text, output, paths or
 * messages of errors. Attributes outside the list are dropped, also those that a library sets.
 */
import { Errors } from "@sigtrap/protocol"
import * as Cause from "effect/Cause"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Tracer from "effect/Tracer"

/** An attribute of a span. */
export interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue: string } | { readonly intValue: number } | { readonly boolValue: boolean }
}

/** A span in a request to a collector. Times are nanoseconds since 1970. */
export interface SpanDocument {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly status: { readonly code: number; readonly message?: string }
}

/** The attributes that may be sent: what was called, in which session, the kind of client, and the request's command. */
const allowed: ReadonlySet<string> = new Set(["operation", "session", "client", "command"])

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const

/** A word such as an operation, a session or an error code. */
const word = /^[\w.:-]{1,64}(?:\/[\w.-]{1,64})?$/

/** Words of a name: `Operation.next`, `http.server POST`. */
const name = /^[\w.]{1,64}(?: [\w.]{1,32}){0,3}$/

const attribute = (key: string, value: unknown): ReadonlyArray<Attribute> => {
  const named = `sigtrap.${key}`
  return Predicate.isString(value) && word.test(value) ? [{ key: named, value: { stringValue: value } }] : []
}

/** Returns the code of an error: that of the protocol, else its tag. */
export const codeOf = (cause: Cause.Cause<unknown>): string => {
  const [reason] = cause.reasons.filter(Cause.isFailReason)
  if (reason === undefined) return Cause.hasInterruptsOnly(cause) ? "interrupted" : "defect"
  const { error } = reason
  if (Errors.isSigtrapError(error)) return Errors.meta(error).code
  const tag = typeof error === "object" && error !== null && "_tag" in error ? error._tag : undefined
  return Predicate.isString(tag) && word.test(tag) ? tag : "error"
}

const statusOf = (exit: Exit.Exit<unknown, unknown>): SpanDocument["status"] =>
  exit._tag === "Success"
    ? { code: 1 }
    : // An interrupted call has not failed.
      Cause.hasInterruptsOnly(exit.cause)
      ? { code: 0, message: "interrupted" }
      : { code: 2, message: codeOf(exit.cause) }

/** Returns the document of a span that has ended. */
export const make = (span: Tracer.Span, endTime: bigint, exit: Exit.Exit<unknown, unknown>): SpanDocument => ({
  traceId: span.traceId.padStart(32, "0"),
  spanId: span.spanId,
  ...(Option.isSome(span.parent) ? { parentSpanId: span.parent.value.spanId } : {}),
  name: name.test(span.name) ? span.name : "span",
  kind: kinds[span.kind],
  startTimeUnixNano: String(span.status.startTime),
  endTimeUnixNano: String(endTime),
  attributes: [...span.attributes].flatMap(([key, value]) => (allowed.has(key) ? attribute(key, value) : [])),
  status: statusOf(exit)
})
