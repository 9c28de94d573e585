/**
 * The requests of one client that have no response yet.
 *
 * A request is removed at its response, at its deadline, or when its caller is interrupted. After a deadline or an
 * interruption it is recorded as overdue, so that a late response is still matched with its request.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Errors from "../Errors.ts"
import type * as Message from "../Message.ts"
import * as Deadlines from "./Deadlines.ts"

/** The result of a request for its caller. */
export type Reply = Deferred.Deferred<Message.Response, Errors.RequestTimedOut | Errors.ConnectionClosed>

/** A request with its sequence number. */
export type Numbered = Message.Request & { readonly seq: number }

/** A request that has no response yet. */
interface Pending {
  readonly request: Message.Request
  /** Absent for requests without a caller. */
  readonly reply?: Reply
  readonly millis: number
}

/** The request that a response answers. */
export interface Answered {
  readonly request: Message.Request
  /** Absent for requests without a caller, and for those whose caller has left. */
  readonly reply?: Reply
  /** True if the request was overdue. */
  readonly late?: true
}

/** The largest number of overdue requests that are remembered. */
const maxOverdue = 1_024

/** The pending requests of one client. */
export class PendingRequests {
  readonly #deadlines: Deadlines.Deadlines
  readonly #pending = new Map<number, Pending>()
  readonly #overdue = new Map<number, Message.Request>()
  #nextSeq = 1
  #unknown = 0
  #duplicate = 0
  #late = 0

  constructor(deadlines: Deadlines.Deadlines) {
    this.#deadlines = deadlines
  }

  /** Returns the next sequence number of the client. */
  nextSeq(): number {
    return this.#nextSeq++
  }

  /** Returns how many responses answered no request, a request for the second time, or an overdue request. */
  counters(): {
    readonly unknownResponses: number
    readonly duplicateResponses: number
    readonly lateResponses: number
  } {
    return { unknownResponses: this.#unknown, duplicateResponses: this.#duplicate, lateResponses: this.#late }
  }

  /** Adds a request and starts its deadline. */
  add(request: Numbered, millis: number, reply?: Reply): void {
    this.#pending.set(request.seq, { request, millis, ...(reply === undefined ? {} : { reply }) })
    this.#deadlines.add(request.seq, millis)
  }

  /** Removes a request that could not be sent. */
  remove(seq: number): void {
    this.#pending.delete(seq)
    this.#deadlines.remove(seq)
  }

  /** Makes a request overdue because its caller was interrupted; returns whether it was pending. */
  abandon(seq: number): boolean {
    const entry = this.#pending.get(seq)
    if (entry === undefined) return false
    this.remove(seq)
    this.#remember(entry.request, seq)
    return true
  }

  /** Fails a request whose deadline has passed. */
  expire(seq: number): void {
    const entry = this.#pending.get(seq)
    if (entry === undefined) return
    this.#pending.delete(seq)
    this.#remember(entry.request, seq)
    if (entry.reply === undefined) return
    const after = Duration.millis(entry.millis)
    Deferred.doneUnsafe(entry.reply, Exit.fail(new Errors.RequestTimedOut({ command: entry.request.command, after })))
  }

  /** Removes and returns the request that a response answers; counts responses that answer none. */
  answered(response: Message.Response): Answered | undefined {
    const seq = response.request_seq
    const entry = this.#pending.get(seq)
    if (entry !== undefined) {
      this.remove(seq)
      return entry
    }
    const request = this.#overdue.get(seq)
    if (request !== undefined) {
      this.#overdue.delete(seq)
      this.#late++
      return { request, late: true }
    }
    if (Number.isInteger(seq) && seq > 0 && seq < this.#nextSeq) this.#duplicate++
    else this.#unknown++
    return undefined
  }

  /** Fails all requests, and forgets the overdue ones. */
  failAll(reason: Errors.ConnectionClosed): void {
    const entries = [...this.#pending]
    this.#pending.clear()
    this.#overdue.clear()
    for (const [seq, { reply }] of entries) {
      this.#deadlines.remove(seq)
      if (reply !== undefined) Deferred.doneUnsafe(reply, Exit.fail(reason))
    }
  }

  #remember(request: Message.Request, seq: number): void {
    this.#overdue.set(seq, request)
    if (this.#overdue.size <= maxOverdue) return
    for (const oldest of this.#overdue.keys()) {
      this.#overdue.delete(oldest)
      return
    }
  }
}

/** Creates the pending requests of a client; their deadlines are watched until the scope ends. */
export const make: Effect.Effect<PendingRequests, never, Scope.Scope> = Effect.gen(function* () {
  const requests: PendingRequests = new PendingRequests(yield* Deadlines.make((seq) => requests.expire(seq)))
  return requests
})
