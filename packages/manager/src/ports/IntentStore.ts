/**
 * Stores the intent of each session, and its events with the output, for a later daemon.
 *
 * A change is stored by one write before the operation that made it is answered, so it survives the end of the daemon by
 * SIGKILL. It does not survive a power cut. Events are stored a little later, in the background. A failed write never fails
 * an operation: the record says that it is not durable, and is written again as soon as that is possible.
 */
import { Event } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Change, Intent } from "./Intent.ts"

/** A stored event, with the number of the stop before it. */
export const StoredEvent = Schema.Struct({ ...Event.Entry.fields, stop: Schema.Int })
/** A stored event, with the number of the stop before it. */
export type StoredEvent = typeof StoredEvent.Type

/** The record of one session. */
export interface Record {
  /** Stores a change with one write. Synchronous, so that it is stored before anything that follows. */
  readonly append: (change: Change) => void
  /** Stores events and returns true on success. The oldest are dropped when the limit is reached. */
  readonly appendEvents: (events: ReadonlyArray<StoredEvent>) => boolean
  /** Drops all stored events. */
  readonly clearEvents: () => void
  /** Gives the record another name. A record that has this name is replaced. */
  readonly rename: (name: string) => void
  /** Removes the record and the events. */
  readonly remove: () => void
  /** Returns why something is not stored, after another attempt to store it. */
  readonly problem: () => string | undefined
}

/** A session of an earlier daemon. */
export interface Lost {
  readonly name: string
  readonly intent: Intent
  readonly events: ReadonlyArray<StoredEvent>
  /** Why the record is incomplete, if it is. */
  readonly damage?: string
}

/** A session of an earlier daemon whose record cannot be used. */
export interface Unreadable {
  readonly name: string
  readonly problem: string
  /** Stores nothing. Removes the record on request. */
  readonly record: Record
}

/** Stores intents. */
export class IntentStore extends Context.Service<
  IntentStore,
  {
    /** Creates the record of a session with the intent that it has. A record that has this name is replaced. */
    readonly create: (name: string, intent: Intent) => Record
    /** Opens the record of a lost session. */
    readonly open: (lost: Lost) => Record
    /** Sessions of an earlier daemon. Each is returned once. */
    readonly lost: Effect.Effect<ReadonlyArray<Lost>>
    /** Sessions of an earlier daemon whose records cannot be used. Each is returned once. */
    readonly unreadable: Effect.Effect<ReadonlyArray<Unreadable>>
    /** The environment of the daemon. */
    readonly environment: { readonly [name: string]: string }
    /** Returns a random text. */
    readonly salt: () => string
    /** Returns a digest of a text. */
    readonly digest: (text: string) => string
  }
>()("@sigtrap/manager/IntentStore") {
  /** Stores nothing; for sessions that end with this process. */
  static readonly layerNone = Layer.succeed(this, {
    create: () => none,
    open: () => none,
    lost: Effect.succeed([]),
    unreadable: Effect.succeed([]),
    environment: {},
    salt: () => "",
    digest: () => ""
  })
}

/** A record that stores nothing and reports no problem. */
export const none: Record = {
  append: () => undefined,
  appendEvents: () => true,
  clearEvents: () => undefined,
  rename: () => undefined,
  remove: () => undefined,
  problem: () => undefined
}
