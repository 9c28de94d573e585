/**
 * Failures of a connection to a debug server: one class for each situation that a caller can act on.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"

/**
 * Why a byte stream is not decoded any further.
 *
 * - `noise`: more than 4 KiB outside packets
 * - `tooLarge`: a packet of more than 16 MiB
 * - `damaged`: a wrong checksum, after the server had turned acknowledgements off or three times in a row
 * - `unexpected`: an answer that the protocol does not allow here
 * - `flood`: more than 4096 packets that answer no request
 */
export type BrokenReason = "noise" | "tooLarge" | "damaged" | "unexpected" | "flood"

const brokenText: Record<BrokenReason, string> = {
  noise: "it sent bytes that are not packets",
  tooLarge: "it sent a packet of more than 16 MiB",
  damaged: "it sent a packet with a wrong checksum",
  unexpected: "it sent an answer that does not fit the request",
  flood: "it sent packets that answer no request"
}

/** The server broke the protocol. The connection is not used any more. */
export class ProtocolBroken extends Data.TaggedError("ProtocolBroken")<{
  readonly reason: BrokenReason
  /** At most 100 characters of what it sent. */
  readonly excerpt?: string
}> {
  override get message() {
    const excerpt = this.excerpt === undefined ? "" : ` It sent: ${this.excerpt}`
    return `The debug server broke the protocol: ${brokenText[this.reason]}. Start a new one.${excerpt}`
  }
}

/** The connection ended. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{
  /**
   * `ended`: the server closed it; `failed`: it cannot be read or written; `closed`: this side closed it; `handedOver`: another client
   * has it.
   */
  readonly reason: "ended" | "failed" | "closed" | "handedOver"
  readonly detail?: string
}> {
  override get message() {
    if (this.reason === "handedOver") return "Another client uses the connection to the debug server."
    if (this.reason === "closed") return "The connection to the debug server was closed."
    return `The connection to the debug server ended${this.detail === undefined ? "" : `: ${this.detail}`}.`
  }
}

/** The server did not answer in time. Its answer, if it comes, is dropped. */
export class RequestTimedOut extends Data.TaggedError("RequestTimedOut")<{
  readonly packet: string
  readonly after: Duration.Duration
}> {
  override get message() {
    return `The debug server did not answer ${this.packet} within ${Duration.format(this.after)}.`
  }
}

/** The server answered with an error. */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{
  readonly packet: string
  /** The number of an answer `Enn`. */
  readonly code: number
  /** Its text, if it sent one. */
  readonly text?: string
}> {
  override get message() {
    return `The debug server refused ${this.packet} with error ${this.code}${this.text === undefined ? "" : `: ${this.text}`}.`
  }
}

/** The server does not know the request. */
export class NotSupported extends Data.TaggedError("NotSupported")<{ readonly packet: string }> {
  override get message() {
    return `The debug server does not support ${this.packet}.`
  }
}

/** The request is not possible in this state: the program runs, or there is none. */
export class WrongState extends Data.TaggedError("WrongState")<{
  readonly packet: string
  readonly state: "running" | "stopped" | "none" | "ended"
}> {
  override get message() {
    const reason = {
      running: "the program runs; interrupt it first",
      stopped: "the program is stopped",
      none: "no program was launched",
      ended: "the program has ended"
    }[this.state]
    return `${this.packet} is not possible: ${reason}.`
  }
}

/** The debug server cannot be started, or did not connect. */
export class ServerFailed extends Data.TaggedError("ServerFailed")<{
  /** `notFound` and `permissionDenied` concern the file; `failed`: it exited or cannot be run; `timeout`: it did not connect. */
  readonly reason: "notFound" | "permissionDenied" | "failed" | "timeout"
  readonly executable: string
  readonly detail: string
}> {
  override get message() {
    return `Cannot use ${this.executable}: ${this.detail}`
  }
}

/** Any failure of a request. */
export type RequestError = ProtocolBroken | ConnectionLost | RequestTimedOut | RequestFailed | NotSupported | WrongState
