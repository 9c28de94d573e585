/**
 * Translates the events of all sessions into the events of one connection.
 *
 * Stops are shown one at a time (`Stops`). `initialized`, `exited`, `capabilities` and `terminated` are forwarded for the
 * first session only.
 */
import type * as Message from "../Message.ts"
import { bodyOf, type Body, type ChildTables, rootNumber, type Session } from "./ChildTables.ts"

/** Dependencies of the translation. The functions must be quick and must not throw. */
export interface Options {
  readonly tables: ChildTables
  readonly onEvent: (event: Message.Event) => void
  /** Resumes a session; `body` is that of its `stopped` event, in the session's numbers. */
  readonly resume: (session: Session, body: Body) => void
  /** Called when a child session has sent `terminated`. */
  readonly onTerminated: (session: number) => void
}

/** The events of one connection. */
export class ChildEvents {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Reports an event of the connection. */
  emit(event: string, body: unknown): void {
    this.#options.onEvent({ type: "event", event, body })
  }

  /** Reports the next queued stop, if no stop is shown. */
  showNext(): void {
    const next = this.#options.tables.stops.showNext()
    if (next !== undefined) this.emit("stopped", next.body)
  }

  /** Handles an event of a session. */
  receive(session: Session, event: Message.Event): void {
    const { numbers, stops } = this.#options.tables
    const body = bodyOf(event.body)
    switch (event.event) {
      case "stopped":
        return this.#stopped(session, body)
      case "continued":
        if (stops.continued(session.number)) this.emit("continued", numbers.fromSession(session.number, body))
        return undefined
      case "breakpoint":
        return this.#breakpoint(session, body)
      case "terminated":
        if (session.number !== rootNumber) return this.#options.onTerminated(session.number)
        return this.#options.onEvent(event)
      case "initialized":
      case "exited":
      case "capabilities":
        return session.number === rootNumber ? this.#options.onEvent(event) : undefined
      case "thread":
      case "output":
      case "invalidated":
        return this.emit(event.event, numbers.fromSession(session.number, body))
      default:
        return this.#options.onEvent(event)
    }
  }

  #stopped(session: Session, body: Body): void {
    const { lists, numbers, stops } = this.#options.tables
    const report = {
      ...bodyOf(numbers.fromSession(session.number, body)),
      hitBreakpointIds: lists.hit(session.number, body["hitBreakpointIds"])
    }
    switch (stops.stopped(session.number, report)) {
      case "shown":
        return this.emit("stopped", report)
      case "joined":
        return this.emit("stopped", { ...report, preserveFocusHint: true })
      case "obsolete":
        return this.#options.resume(session, body)
      case "queued":
        return undefined
    }
  }

  #breakpoint(session: Session, body: Body): void {
    const { lists, numbers } = this.#options.tables
    const breakpoint = lists.changed(session.number, bodyOf(body["breakpoint"]))
    if (breakpoint === undefined) return
    this.emit("breakpoint", { ...body, breakpoint: numbers.fromSession(session.number, breakpoint) })
  }
}
