/**
 * Failures of a connection to a debug adapter.
 *
 * Each class is a situation that a caller can act on. Texts of the adapter are kept verbatim in a field; `message` says
 * what happened and what to do next. The errors know nothing of sessions or of the debugged program.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"

/**
 * Why a byte stream is not decoded any further.
 *
 * - `tooLarge`, `negative`, `empty`, `notDecimal`, `repeated`, `missing`: the Content-Length header
 * - `headerTooLong`: no blank line within 8 KiB
 * - `notProtocol`: text instead of a header
 * - `badFrames`: the third body that is not a protocol message
 * - `truncated`: the stream ended inside a header or a body
 */
export type FramingReason =
  | "tooLarge"
  | "negative"
  | "empty"
  | "notDecimal"
  | "repeated"
  | "missing"
  | "headerTooLong"
  | "notProtocol"
  | "badFrames"
  | "truncated"

const framingText: Record<FramingReason, string> = {
  tooLarge: "it announced a message of more than 64 MiB",
  negative: "it announced a message of negative length",
  empty: "it sent a Content-Length header without a number",
  notDecimal: "it sent a Content-Length that is not a decimal number",
  repeated: "it sent two Content-Length headers for one message",
  missing: "it sent a header without Content-Length",
  headerTooLong: "it sent a header of more than 8 KiB",
  notProtocol: "it wrote text that is not the Debug Adapter Protocol",
  badFrames: "it sent three messages that are not of the Debug Adapter Protocol",
  truncated: "its output ended in the middle of a message"
}

/** The adapter's output is not valid framing; it is not decoded any further. */
export class FramingError extends Data.TaggedError("FramingError")<{
  readonly reason: FramingReason
  /** At most 200 bytes from the start of the invalid part; everything but printable ASCII is escaped. */
  readonly excerpt: string
}> {
  override get message() {
    const excerpt = this.excerpt === "" ? "" : ` It wrote: ${this.excerpt}`
    return `The debug adapter broke the protocol: ${framingText[this.reason]}. Start a new one.${excerpt}`
  }
}

/** The adapter answered a request with `success: false`. */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{
  readonly command: string
  /** The keyword of the response: `notStopped`, `cancelled`. */
  readonly code?: string
  /** The adapter's text, or "COMMAND failed" without one. */
  readonly text: string
  /** False if the adapter asks not to show the text to users. */
  readonly showUser?: boolean
}> {
  override get message() {
    return this.text
  }
}

/** No response came within the timeout; the adapter may still run the request. */
export class RequestTimedOut extends Data.TaggedError("RequestTimedOut")<{
  readonly command: string
  readonly after: Duration.Duration
}> {
  override get message() {
    return `The debug adapter did not answer ${this.command} within ${Duration.format(this.after)}. It may be busy: try again, or end the session.`
  }
}

/** The adapter does not advertise the request, so it was not sent: several adapters abort on unknown requests. */
export class RequestUnsupported extends Data.TaggedError("RequestUnsupported")<{
  readonly command: string
  /** The missing DAP capability. */
  readonly capability: string
}> {
  override get message() {
    return `This debug adapter cannot do ${this.command} (it does not advertise ${this.capability}).`
  }
}

/**
 * Why a connection ended: the adapter closed its output (`ended`) or sent invalid framing (`framing`), the transport
 * failed (`transport`), the client was closed (`shutdown`), or a callback of the client threw (`defect`).
 */
export type ClosedReason = "ended" | "framing" | "transport" | "shutdown" | "defect"

/** The connection to the adapter has ended; no further response will come. */
export class ConnectionClosed extends Data.TaggedError("ConnectionClosed")<{
  readonly reason: ClosedReason
  readonly detail: string
}> {
  override get message() {
    return `The connection to the debug adapter is closed: ${this.detail}`
  }
}

/** The response reports success, but its body does not match the schema. */
export class BodyInvalid extends Data.TaggedError("BodyInvalid")<{
  readonly command: string
  /** The invalid field, and what is wrong with it. */
  readonly issue: string
}> {
  override get message() {
    return `The debug adapter answered ${this.command} with a body that cannot be understood: ${this.issue}`
  }
}

/** A reverse request is refused; `text` is sent to the adapter. */
export class ReverseRefused extends Data.TaggedError("ReverseRefused")<{
  readonly text: string
}> {
  override get message() {
    return this.text
  }
}

/** Reading from or writing to the adapter failed, or its program could not be started. */
export class TransportError extends Data.TaggedError("TransportError")<{
  readonly reason: "notFound" | "permissionDenied" | "closed" | "failed" | "full"
  readonly detail: string
}> {
  override get message() {
    return this.detail
  }
}

/** The failures of a request. */
export type RequestError = RequestFailed | RequestTimedOut | RequestUnsupported | ConnectionClosed | BodyInvalid
