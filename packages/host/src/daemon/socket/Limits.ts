/**
 * The limits of the daemon on connections and messages. They bound what one client can take from the others.
 */
import * as Context from "effect/Context"

/** The limits. Sizes are characters, times milliseconds. */
export interface Limits {
  /** Connections at a time. Each further one gets the error `Busy` for its first request and is closed. */
  readonly connections: number
  /** Requests of one connection that are not answered yet. Each further one gets the error `Busy`. */
  readonly requests: number
  /** Size of a request. */
  readonly request: number
  /** Size of one text in a request: that of the longest argument of a process on Linux. */
  readonly text: number
  /** Values in a request, and their depth. */
  readonly values: number
  readonly depth: number
  /** Size of a message to a client. A larger answer becomes the error `AnswerTooLarge`. */
  readonly message: number
  /** Time without progress after which half a message, a client that does not read, or one that acknowledges nothing ends. */
  readonly progress: number
}

/** The limits of the contract. */
export const standard: Limits = {
  connections: 256,
  requests: 32,
  request: 4 * 1024 * 1024,
  text: 128 * 1024,
  values: 10_000,
  depth: 64,
  message: 16 * 1024 * 1024,
  progress: 30_000
}

/** The limits in effect. */
export const Limits = Context.Reference<Limits>("@sigtrap/host/Limits", { defaultValue: () => standard })
