/**
 * The stacks of the threads at one stop. A stack is read by pages, and what was read is kept.
 *
 * Frames of runtimes are marked as hidden, so that lists can fold them.
 */
import { Errors, type Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Connection, Failure, Stack, StackFrame } from "../../ports/Backend.ts"
import type { Activations } from "./Activations.ts"
import type { References } from "./References.ts"
import type { StopReadings } from "./StopReadings.ts"

/** Failures of reading a stop. */
export type ViewFailure = Failure | Errors.NotStopped

/** What the stacks of a stop are read from. */
export interface Source {
  readonly stop: number
  readonly connection: Connection
  readonly references: References
  /** Receives what is read, with secrets masked. */
  readonly readings: () => StopReadings | undefined
  readonly activations: Activations
  /** Returns the thread that stopped at the entry of a function, if one did. */
  readonly entering: () => number | undefined
}

/** A frame with the debugger's handle for it. */
export interface Located {
  readonly frame: Frame.Frame
  readonly handle: number
  readonly activation?: string
}

/** A page of a stack. `cut` is true if it has the last frame, and callers of that frame may be missing. */
export interface Page {
  readonly frames: ReadonlyArray<Frame.Frame>
  readonly total?: number
  readonly cut?: boolean
}

/** Maximum number of frames that are read to find the depth of a stack. */
const maxDepth = 1000

/** Runs a read, and fails if the program has left the stop meanwhile. */
type OfThisStop = <A, E>(read: Effect.Effect<A, E>) => Effect.Effect<A, E | ViewFailure>

/** The stacks of one stop. */
export class StopStacks {
  readonly #source: Source
  readonly #ofThisStop: OfThisStop
  readonly #frames = new Map<number, Map<number, Located>>()
  readonly #totals = new Map<number, number>()
  readonly #cut = new Set<number>()

  constructor(source: Source, ofThisStop: OfThisStop) {
    this.#source = source
    this.#ofThisStop = ofThisStop
  }

  /**
   * Returns `count` frames of a thread from `start` on. In a stack with a user's frame, the frames of runtimes are marked as
   * hidden, and those without source at the outer end.
   */
  page(thread: number, start: number, count: number): Effect.Effect<Page, ViewFailure> {
    return Effect.suspend(() => {
      const known = this.#frames.get(thread) ?? new Map<number, Located>()
      const total = this.#totals.get(thread)
      const indexes = Array.from(
        { length: Math.max(0, Math.min(count, (total ?? Infinity) - start)) },
        (_, i) => start + i
      )
      const cached = indexes.map((index) => known.get(index)?.frame).filter((frame) => frame !== undefined)
      if (cached.length === indexes.length) return Effect.succeed(this.#pageOf(thread, start, cached))
      return this.#ofThisStop(this.#source.connection.stack(thread, start, count)).pipe(
        Effect.map((read) => this.#take(thread, start, count, read))
      )
    })
  }

  /** Reads the innermost `count` frames of all threads in one request, if supported, for later calls of `page`. */
  prefetch(count: number): Effect.Effect<void, ViewFailure> {
    return this.#ofThisStop(this.#source.connection.inspection.stacks(count)).pipe(
      Effect.map((stacks) => {
        for (const [thread, frames] of stacks) this.#take(thread, 0, count, { frames })
      })
    )
  }

  #take(thread: number, start: number, count: number, read: Stack): Page {
    const known = this.#frames.get(thread) ?? new Map<number, Located>()
    this.#frames.set(thread, known)
    // A page that is not full ends the stack. An empty page may be anywhere beyond its end.
    const ends = read.frames.length < count && (read.frames.length > 0 || start === 0)
    const total = read.total ?? (ends ? start + read.frames.length : undefined)
    if (total !== undefined) this.#totals.set(thread, total)
    if (read.cut === true) this.#cut.add(thread)
    // Start-up code without source is at the outer end of a stack only.
    const outermost = total !== undefined && start + read.frames.length >= total
    const lastOwn = outermost ? read.frames.findLastIndex(RuntimeFrames.isUserFrame) : read.frames.length
    const owned =
      read.frames.some(RuntimeFrames.isUserFrame) ||
      [...known.values()].some(({ frame }) => frame.index < start && RuntimeFrames.isUserFrame(frame))
    const isFolded = (at: StackFrame, i: number) =>
      at.label === true || (owned && (i > lastOwn || RuntimeFrames.runtimeOf(at) !== undefined))
    const frames = read.frames.map((frame, i) => this.#remember(known, thread, start + i, frame, isFolded(frame, i)))
    const page = this.#pageOf(thread, start, frames)
    if (start === 0 && page.total !== undefined && !this.#cut.has(thread)) {
      const functions = frames.map((frame) => frame.function)
      const entered = this.#source.entering() === thread
      this.#source.activations.observe(this.#source.stop, thread, { functions, total: page.total, entered })
    }
    this.#source.readings()?.recordFrames(thread, frames, page)
    return page
  }

  #pageOf(thread: number, start: number, frames: ReadonlyArray<Frame.Frame>): Page {
    const total = this.#totals.get(thread)
    if (total === undefined) return { frames }
    return { frames, total, ...(this.#cut.has(thread) && start + frames.length >= total ? { cut: true } : {}) }
  }

  #remember(known: Map<number, Located>, thread: number, index: number, frame: StackFrame, hidden: boolean) {
    const { activation, handle, ...shown } = RuntimeFrames.isNamed(frame) ? frame : { ...frame, function: "??" }
    const ref = this.#source.references.of("f", this.#source.stop, `${thread}/${index}`, {
      handle,
      frame: index,
      within: `${thread}/${index}`,
      expression: shown.function
    })
    const located: Frame.Frame = { index, ref, ...shown, ...(hidden ? { hidden: true } : {}) }
    known.set(index, { frame: located, handle, ...(activation === undefined ? {} : { activation }) })
    return located
  }

  /** Returns a text that identifies the activation of the function of a frame, as far as its stack was read. */
  activation(thread: number, { activation, frame }: Located): string {
    const total = this.#totals.get(thread)
    const id = total === undefined ? undefined : this.#source.activations.at(thread, total - frame.index)
    return id === undefined ? (activation ?? `${(total ?? 0) - frame.index}`) : `#${id}`
  }

  /** Returns one frame of a thread. */
  frame(thread: number, index: number): Effect.Effect<Located, ViewFailure | Errors.FrameNotFound> {
    return Effect.gen({ self: this }, function* () {
      const { total } = yield* this.page(thread, index, 1)
      const located = this.#frames.get(thread)?.get(index)
      if (located !== undefined) return located
      const count = total ?? (yield* this.page(thread, 0, Math.min(index, maxDepth))).frames.length
      return yield* new Errors.FrameNotFound({ index, count })
    })
  }
}
