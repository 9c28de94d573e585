/**
 * Which breakpoints that a debugger names at a stop are new hits.
 *
 * A debugger names a breakpoint once for each thread that is at it. After a step it names the breakpoint again for a thread that waited,
 * because a step runs its thread alone as long as it can. Only the system tells whether such a thread has run and hit the breakpoint again.
 */
import type { Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Resume } from "../../ports/Backend.ts"
import type { Processes } from "../../ports/Processes.ts"

type Stopped = Extract<Event.Event, { readonly _tag: "Stopped" }>

/** The breakpoints that a debugger names for a thread. */
export interface Named {
  /** New hits. */
  readonly hits: ReadonlyArray<number>
  /** New hits only if the thread has run. */
  readonly doubtful: ReadonlyArray<number>
}

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
  /** How often threads that wait at breakpoints were taken off a processor, when the program was resumed. */
  #switches = new Map<number, number>()
  readonly #count: (thread: number) => ReturnType<NonNullable<Processes["Service"]["switches"]>>

  /** `count` returns how often a thread was taken off a processor. */
  constructor(count: (thread: number) => Effect.Effect<number | undefined>) {
    this.#count = count
  }

  /** Records how the program is resumed. With `only` no other thread runs. */
  resumed(how: Resume, thread: number, only = false): void {
    this.#before = this.#now
    this.#now = new Map()
    this.#moved = only || alone.has(how) ? thread : undefined
    this.#switches.clear()
  }

  /** Records how the program is resumed, and the threads that wait. Called before each resume. */
  resuming(how: Resume, thread: number, only = false): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.resumed(how, thread, only)
      return Effect.forEach(
        only ? [] : this.#waiting(),
        (waiting) =>
          Effect.map(this.#count(waiting), (count) => {
            if (count !== undefined) this.#switches.set(waiting, count)
          }),
        { discard: true }
      )
    })
  }

  #waiting(): ReadonlyArray<number> {
    if (this.#moved === undefined) return []
    return [...this.#before].flatMap(([thread, ids]) => (thread === this.#moved || ids.size === 0 ? [] : [thread]))
  }

  /** True if a thread that waited may have hit its breakpoint again. */
  get isDoubtful(): boolean {
    return this.#switches.size > 0
  }

  /** Begins another stop, also if a command of the debugger resumed the program. */
  begin(): void {
    if (this.#now.size > 0) this.resumed("continue", unnamed)
  }

  /** Returns the breakpoints of a reported stop that its thread has hit. */
  take({ breakpoints, thread = unnamed }: Pick<Stopped, "breakpoints" | "thread">): Named {
    const seen = this.#now.get(thread) ?? new Set()
    const waited = this.#moved === undefined || this.#moved === thread ? undefined : this.#before.get(thread)
    const added = breakpoints.filter((id) => !seen.has(id))
    this.#now.set(thread, new Set([...seen, ...breakpoints]))
    return {
      hits: added.filter((id) => waited?.has(id) !== true),
      doubtful: this.#switches.has(thread) ? added.filter((id) => waited?.has(id) === true) : []
    }
  }

  /** Returns whether a thread that waited when the program was resumed has run since. */
  hasRun(thread: number): Effect.Effect<boolean> {
    return Effect.map(this.#count(thread), (count) => count !== undefined && count !== this.#switches.get(thread))
  }
}
