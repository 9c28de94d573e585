/** A store of intent records in memory, for tests. `lose` returns what a later daemon finds if the daemon is killed at that moment. */
import { Effect, Layer } from "effect"
import { Intent, IntentStore } from "../../../src/index.ts"

/** A store in memory. With `isFull` its writes fail. */
export class MemoryStore {
  readonly intents = new Map<string, Intent.Intent>()
  readonly events = new Map<string, ReadonlyArray<IntentStore.StoredEvent>>()
  /** Called before a record is created. */
  creating: () => void = () => undefined
  isFull = false
  readonly layer: Layer.Layer<IntentStore.IntentStore>

  constructor(lost: ReadonlyArray<IntentStore.Lost> = [], unreadable: ReadonlyArray<IntentStore.Unreadable> = []) {
    this.layer = Layer.succeed(IntentStore.IntentStore, {
      create: (name, intent) => {
        this.creating()
        return this.#record(name, intent)
      },
      open: ({ events, intent, name }) => {
        this.events.set(name, events)
        return this.#record(name, intent)
      },
      lost: Effect.succeed(lost),
      unreadable: Effect.succeed(unreadable),
      environment: { SAME: "here" },
      salt: () => "salt",
      digest: (text) => `${text.length}`
    })
  }

  #record(begun: string, first: Intent.Intent): IntentStore.Record {
    let name = begun
    let intent = first
    let isWritten = false
    const write = () => {
      if (!this.isFull) this.intents.set(name, intent)
      isWritten = !this.isFull
    }
    write()
    return {
      append: (change) => {
        intent = Intent.fold(intent, change) ?? intent
        write()
      },
      appendEvents: (events) => {
        if (!this.isFull) this.events.set(name, [...(this.events.get(name) ?? []), ...events])
        return !this.isFull
      },
      clearEvents: () => void this.events.delete(name),
      rename: (next) => {
        this.intents.delete(name)
        name = next
        write()
      },
      remove: () => {
        this.intents.delete(name)
        this.events.delete(name)
      },
      problem: () => {
        if (!isWritten) write()
        return isWritten ? undefined : "no space left on device"
      }
    }
  }

  /** Returns the sessions that a later daemon finds. */
  lose(): ReadonlyArray<IntentStore.Lost> {
    return [...this.intents].map(([name, intent]) => ({ name, intent, events: this.events.get(name) ?? [] }))
  }
}
