/**
 * The messages of logpoints that a debug adapter writes itself (DAP `logMessage`). The debugger may say at a placement that it cannot
 * compile an expression of one there. The manager writes such a message.
 */
import type { Backend } from "@sigtrap/manager"
import { Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as LogMessages from "../events/LogMessages.ts"
import * as SilentCorrections from "../values/SilentCorrections.ts"

type Requests = ReadonlyArray<Backend.BreakpointRequest>

/** Sends a list to the adapter. */
type Place<E> = (list: Requests) => Effect.Effect<ReadonlyArray<Backend.Placement>, E>

/** The place of a breakpoint in its file. An adapter takes two requests with the same place for one breakpoint. */
const placeOf = ({ column, line }: Backend.BreakpointRequest): string => `${line}:${column ?? ""}`

/** The messages of one connection. */
export class AdapterMessages {
  /** The messages that the debugger cannot write at their places, by the number of the breakpoint. */
  readonly #unwritable = new Map<number, string>()
  /** The places that have a message in the last list of each file. */
  readonly #written = new Map<string, ReadonlySet<string>>()
  readonly #corrects: boolean

  /** `corrects` is the quirk `correctsExpressions` of the adapter. */
  constructor(corrects: boolean) {
    this.#corrects = corrects
  }

  /** Returns the field of a breakpoint in a request. */
  fieldOf({ id, log }: Backend.BreakpointRequest): { readonly logMessage?: string } {
    return log === undefined || this.#unwritable.get(id) === log ? {} : { logMessage: `${LogMessages.mark(id)}${log}` }
  }

  #hasMessage(one: Backend.BreakpointRequest): boolean {
    return this.fieldOf(one).logMessage !== undefined
  }

  /** Sends a list. lldb-dap never stops at a breakpoint that lost its message, so a list without those is sent before. */
  #replaced<E>(file: string, sent: Requests, place: Place<E>): ReturnType<Place<E>> {
    const written = this.#written.get(file)
    const kept = sent.filter((one) => this.#hasMessage(one) || written?.has(placeOf(one)) !== true)
    this.#written.set(file, new Set(sent.filter((one) => this.#hasMessage(one)).map(placeOf)))
    return kept.length === sent.length ? place(sent) : Effect.andThen(place(kept), place(sent))
  }

  /**
   * Sends the list of a file by `place`. If the adapter got a message that it cannot write, the list is sent again without the message,
   * and the manager writes it. The adapter does not get a message with an expression that it would correct.
   */
  placed<E>(file: string, sent: Requests, place: Place<E>): ReturnType<Place<E>> {
    const corrected = sent.filter(
      ({ log = "" }) => this.#corrects && Expression.inMessage(log).some(SilentCorrections.mayLackOperator)
    )
    for (const { id, log = "" } of corrected) this.#unwritable.set(id, log)
    const ids = new Set(corrected.map(({ id }) => id))
    return Effect.map(this.#placed(file, sent, place), (all) =>
      all.map((one) => (ids.has(one.id) ? { ...one, unsupported: [...(one.unsupported ?? []), "log" as const] } : one))
    )
  }

  #placed<E>(file: string, sent: Requests, place: Place<E>): ReturnType<Place<E>> {
    return Effect.flatMap(this.#replaced(file, sent, place), (first) => {
      const unable = new Set(
        first.flatMap(({ id, unsupported }) => (unsupported?.includes("log") === true ? [id] : []))
      )
      const refused = sent.filter((one) => one.log !== undefined && unable.has(one.id) && this.#hasMessage(one))
      for (const one of refused) this.#unwritable.set(one.id, one.log ?? "")
      return refused.length === 0 ? Effect.succeed(first) : this.#replaced(file, sent, place)
    })
  }
}
