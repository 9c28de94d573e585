/**
 * The state that the sessions of one connection share: the child sessions, and the tables that translate numbers and
 * merge breakpoints and stops.
 */
import * as Semaphore from "effect/Semaphore"
import type * as Client from "../Client.ts"
import * as Message from "../Message.ts"
import { BreakpointLists } from "./BreakpointLists.ts"
import { SessionNumbers } from "./SessionNumbers.ts"
import { Stops } from "./Stops.ts"

/** One session of the adapter. */
export interface Session {
  readonly number: number
  readonly client: Client.Client
}

/** A body or arguments of the protocol. */
export type Body = Readonly<Record<string, unknown>>

/** Number of the first session. It is not 0: a frame 0 of session 0 would have the number 0. */
export const rootNumber = 1

/** How long a child session may take to start. */
export const startTimeout = "30 seconds"

/** Returns a value as a record; an empty one for anything else. */
export const bodyOf = (value: unknown): Body => (Message.isRecord(value) ? value : {})

/** The tables of one connection. */
export class ChildTables {
  readonly numbers = new SessionNumbers()
  readonly lists = new BreakpointLists()
  readonly stops = new Stops()
  /** Child sessions that have their breakpoints, oldest first. */
  readonly children = new Map<number, Session>()
  /** Held while a list is set and while a child gets the lists, so that no child misses one. */
  readonly listLock = Semaphore.makeUnsafe(1)
}
