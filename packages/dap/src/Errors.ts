/**
 * Everything that can go wrong between us and a debug adapter, as values.
 *
 * Each error is a situation that a caller can act on. The words of the adapter are kept verbatim in their own field;
 * `message` adds what happened and what to do next. None of them knows about sessions or about the program that is
 * being debugged.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"

/**
 * Why a byte stream stopped being trusted.
 *
 * - `tooLarge`, `negative`, `empty`, `notDecimal`, `repeated`, `missing`: the Content-Length header
 * - `headerTooLong`: no blank line within 8 KiB
 * - `notProtocol`: text where a header was due
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

/** The adapter's output can no longer be cut into messages; the stream is not read any further. */
export class FramingError extends Data.TaggedError("FramingError")<{
  readonly reason: FramingReason
  /** At most 200 bytes from where the trouble began, with everything but printable ASCII escaped. */
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
  /** The adapter's own words, or "COMMAND failed" when it gave none. */
  readonly text: string
  /** False when the adapter asks not to show the text to people. */
  readonly showUser?: boolean
}> {
  override get message() {
    return this.text
  }
}

/** No response came in time; the request may still be carried out. */
export class RequestTimedOut extends Data.TaggedError("RequestTimedOut")<{
  readonly command: string
  readonly after: Duration.Duration
}> {
  override get message() {
    return `The debug adapter did not answer ${this.command} within ${Duration.format(this.after)}. It may be busy: try again, or end the session.`
  }
}

/** The adapter has not advertised the request, so it was not sent: several adapters abort on requests they lack. */
export class RequestUnsupported extends Data.TaggedError("RequestUnsupported")<{
  readonly command: string
  /** The DAP capability that is missing. */
  readonly capability: string
}> {
  override get message() {
    return `This debug adapter cannot do ${this.command} (it does not advertise ${this.capability}).`
  }
}

/**
 * How a connection came to its end: the adapter closed its output (`ended`), broke the framing (`framing`), the
 * transport failed (`transport`), we closed it (`shutdown`), or a callback of ours threw (`defect`).
 */
export type ClosedReason = "ended" | "framing" | "transport" | "shutdown" | "defect"

/** The connection to the adapter is over; nothing will be answered any more. */
export class ConnectionClosed extends Data.TaggedError("ConnectionClosed")<{
  readonly reason: ClosedReason
  readonly detail: string
}> {
  override get message() {
    return `The connection to the debug adapter is closed: ${this.detail}`
  }
}

/** The adapter reported success, but the body of its response cannot be understood. */
export class BodyInvalid extends Data.TaggedError("BodyInvalid")<{
  readonly command: string
  /** Which field is wrong, and how. */
  readonly issue: string
}> {
  override get message() {
    return `The debug adapter answered ${this.command} with a body that cannot be understood: ${this.issue}`
  }
}

/** A reverse request is refused; the adapter is told `text`. */
export class ReverseRefused extends Data.TaggedError("ReverseRefused")<{
  readonly text: string
}> {
  override get message() {
    return this.text
  }
}

/** Bytes could not be read from or written to the adapter, or its program could not be started. */
export class TransportError extends Data.TaggedError("TransportError")<{
  readonly reason: "notFound" | "permissionDenied" | "closed" | "failed"
  readonly detail: string
}> {
  override get message() {
    return this.detail
  }
}

/** What a request can fail with. */
export type RequestError = RequestFailed | RequestTimedOut | RequestUnsupported | ConnectionClosed | BodyInvalid
