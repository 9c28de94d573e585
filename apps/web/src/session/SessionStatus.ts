/**
 * The debugger of a session with what it can do, and the other clients that are present: those that called within two minutes.
 */
import { signal } from "@preact/signals"
import type { Actor, Data, EventLine } from "../connection/Answers.ts"
import type { Calls } from "../connection/Calls.ts"
import type { Session } from "./Session.ts"

type Capability = NonNullable<Data<"status">["capabilities"]>[number]["id"]

/** The status of one session. It is read at stops, and when another client appears or takes control. */
export class SessionStatus {
  readonly #session: Session
  readonly #calls: Calls
  readonly adapter = signal("")
  /** What the debugger can do; undefined until it is known. */
  readonly #offered = signal<ReadonlySet<Capability> | undefined>(undefined)
  /** The clients that are present, with this page. */
  readonly clients = signal<ReadonlyArray<Actor>>([])
  /** How the session began; undefined until it is known. */
  readonly kind = signal<Data<"status">["kind"]>(undefined)
  /** True if the program is loaded and was not started. */
  readonly loaded = signal(false)
  #reading = 0

  constructor(session: Session, calls: Calls) {
    this.#session = session
    this.#calls = calls
  }

  /** True if new events show that the status must be read again: a client acted that was not present, loaded the program, or took control. */
  isOld(events: ReadonlyArray<EventLine>): boolean {
    const known = this.clients.peek()
    return events.some(
      ({ actor, event }) =>
        event._tag === "LeaseChanged" ||
        (event._tag === "Acted" && (event.operation === "start" || event.operation === "restart")) ||
        ((actor?.role === "agent" || actor?.role === "person") && !known.some(({ id }) => id === actor.id))
    )
  }

  /** Reads the status. */
  async read(): Promise<void> {
    const reading = (this.#reading += 1)
    const outcome = await this.#calls.call("status", { session: this.#session.name, capabilities: true })
    if (!outcome.ok || reading !== this.#reading) return
    const { adapter, capabilities, clients = [], kind, loaded = false } = outcome.answer.data
    this.loaded.value = loaded
    this.kind.value = kind
    if (adapter !== undefined)
      this.adapter.value = [adapter.name, adapter.version].filter((part) => part !== undefined).join(" ")
    this.clients.value = clients.map(({ actor }) => actor)
    if (capabilities !== undefined)
      this.#offered.value = new Set(capabilities.flatMap(({ by, id }) => (by === "none" ? [] : [id])))
  }

  /** True if the debugger can do something; false until that is known. */
  offers(capability: Capability): boolean {
    return this.#offered.value?.has(capability) === true
  }

  /** Returns why the debugger cannot do something; undefined if it can. `words` says what it is. */
  obstacle(capability: Capability, words: string): string | undefined {
    if (this.#offered.value?.has(capability) !== false) return undefined
    return `${this.adapter.value.split(" ")[0] ?? ""} ${words}.`
  }
}

/** Returns who watches while the client with an id drives; undefined if no other client is present. */
export const watchWords = (clients: ReadonlyArray<Actor>, own: string): string | undefined => {
  const others = clients.filter(({ id }) => id !== own)
  if (others.some(({ role }) => role === "agent")) return "agent watches"
  const persons = others.filter(({ role }) => role === "person").length
  return persons === 0 ? undefined : persons === 1 ? "person watches" : `${persons} people watch`
}
