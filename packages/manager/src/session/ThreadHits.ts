/**
 * Which breakpoints that a debugger names at a stop are new hits.
 *
 * A debugger names a breakpoint once for each thread that is at it. A thread that did not run since the last stop is named
 * again without a new hit, because steps run one thread alone as long as they can.
 */
import type { Event } from "@sigtrap/protocol"
import type { Resume } from "../ports/Backend.ts"

type Stopped = Extract<Event.Event, { readonly _tag: "Stopped" }>

/** The number of a thread that the debugger does not name. */
const unnamed = -1

/** Steps that let other threads run only while the stepping thread is in a function that it called. */
const alone: ReadonlySet<Resume> = new Set(["next", "step", "stepi", "nexti"])

/** The hits of one session. */
export class ThreadHits {
  #before = new Map<number, Set<number>>()
  #now = new Map<number, Set<number>>()
  /** The thread that ran; undefined if all did. */
  #moved: number | undefined

  /** Records how the program is resumed. With `only` no other thread runs. Called before each resume. */
  resuming(how: Resume, thread: number, only = false): void {
    this.#before = this.#now
    this.#now = new Map()
    this.#moved = only || alone.has(how) ? thread : undefined
  }

  /** Begins another stop, also if a command of the debugger resumed the program. */
  begin(): void {
    if (this.#now.size > 0) this.resuming("continue", unnamed)
  }

  /** Returns the breakpoints of a reported stop that its thread has hit. */
  take({ breakpoints, thread = unnamed }: Pick<Stopped, "breakpoints" | "thread">): ReadonlyArray<number> {
    const seen = this.#now.get(thread) ?? new Set()
    const waited = this.#moved === undefined || this.#moved === thread ? undefined : this.#before.get(thread)
    const hits = breakpoints.filter((id) => !seen.has(id) && waited?.has(id) !== true)
    this.#now.set(thread, new Set([...seen, ...breakpoints]))
    return hits
  }
}
