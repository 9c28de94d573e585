/**
 * Short numbers of threads whose ids are those of the operating system: 1, 2, 3 in the order in which the session saw them.
 * Threads that a debugger numbers by itself have none.
 */
import type { Thread } from "../../ports/ProgramState.ts"

/** The short numbers of the threads of one session. A number is never used again. */
export class ThreadNumbers {
  #numbers: ReadonlyMap<number, number> = new Map()
  #last = 0

  /** Returns the threads with their numbers. Threads that are not among them have ended. */
  numbered(threads: ReadonlyArray<Thread>): ReadonlyArray<Thread> {
    const before = this.#numbers
    const own = threads.flatMap(({ id, os_id }) =>
      id === os_id ? [[id, before.get(id) ?? ++this.#last] as const] : []
    )
    this.#numbers = new Map(own)
    return threads.map((thread) => {
      const number = this.#numbers.get(thread.id)
      // A number that is also the id of a thread would name two threads.
      return number === undefined || threads.some(({ id }) => id === number) ? thread : { ...thread, number }
    })
  }

  /** Returns the id of the thread that an id or a short number names. An id comes first. */
  idOf(named: number): number {
    if (this.#numbers.has(named)) return named
    return [...this.#numbers].find(([, number]) => number === named)?.[0] ?? named
  }
}
