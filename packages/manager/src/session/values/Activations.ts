/**
 * Tells activations of one function apart, from stop to stop, so that a local variable is not compared with one of an earlier call.
 *
 * Debuggers report no identity of an activation. A frame has ended if a later stack of its thread is shorter or has another function
 * at its depth or below, or if the program stopped at the entry of its function. Only stacks that were read are known: a function that
 * returned and was called again between two stops at the same depth counts as one activation.
 */

/** A stack, or its inner part. */
export interface Chain {
  /** Names of functions, the innermost first. */
  readonly functions: ReadonlyArray<string>
  /** Depth of the whole stack. */
  readonly total: number
  /** True if the program stopped at the entry of the innermost function. */
  readonly entered: boolean
}

/** An activation of a function. */
interface Activation {
  readonly function: string
  readonly id: number
}

/** What is known of one thread: its activations by depth, 1 for the outermost frame. */
interface Known {
  readonly stop: number
  readonly frames: Map<number, Activation>
}

/** Maximum number of threads that are recorded. */
const maxThreads = 256

/** The activations of one run of a program. */
export class Activations {
  /** By thread, the one whose stack was read last at the end. */
  readonly #threads = new Map<number, Known>()
  #next = 1

  /** Records the stack of a thread at a stop. Recording it again at the same stop changes nothing. */
  observe(stop: number, thread: number, { entered, functions, total }: Chain): void {
    const known = this.#threads.get(thread)
    const frames = known?.frames ?? new Map<number, Activation>()
    for (const depth of frames.keys()) if (depth > total) frames.delete(depth)
    let isNew = false
    for (const [index, name] of [...functions.entries()].toReversed()) {
      const depth = total - index
      const before = frames.get(depth)
      const isEntry = entered && index === 0 && known?.stop !== stop
      isNew ||= before?.function !== name || isEntry
      if (isNew) frames.set(depth, { function: name, id: this.#next++ })
    }
    this.#threads.delete(thread)
    this.#threads.set(thread, { stop, frames })
    const oldest = this.#threads.size > maxThreads ? this.#threads.keys().next().value : undefined
    if (oldest !== undefined) this.#threads.delete(oldest)
  }

  /** Returns the number of the activation at a depth; undefined if its frame was not read. */
  at(thread: number, depth: number): number | undefined {
    return this.#threads.get(thread)?.frames.get(depth)?.id
  }
}
