/**
 * The lines with code of the files of a session: where a breakpoint can be placed.
 */
import { signal } from "@preact/signals"
import type { Calls } from "../../connection/Calls.ts"
import type { Session } from "../Session.ts"
import { isAlive } from "../words/StopWords.ts"

/** The lines with code, by file, as far as they were asked for. */
export class CodeLines {
  readonly #lines = signal<ReadonlyMap<string, ReadonlySet<number>>>(new Map())
  readonly #asked = new Set<string>()
  readonly #session: Session
  readonly #calls: Calls

  constructor(session: Session, calls: Calls) {
    this.#session = session
    this.#calls = calls
  }

  /** Returns the lines of a file; undefined while they are unknown. */
  of(file: string): ReadonlySet<number> | undefined {
    return this.#lines.value.get(file)
  }

  /** Reads the lines of a file, once. A debugger that cannot say them leaves them unknown. */
  async read(file: string): Promise<void> {
    if (this.#asked.has(file) || !isAlive(this.#session.snapshot.value)) return
    this.#asked.add(file)
    const outcome = await this.#calls.call("breakpoint.lines", { session: this.#session.name, at: file })
    if (!outcome.ok || outcome.answer.data.lines.length === 0) return
    const lines = new Set(outcome.answer.data.lines.map(({ line }) => line))
    this.#lines.value = new Map(this.#lines.value).set(file, lines)
  }

  /** Forgets all lines. */
  clear(): void {
    this.#asked.clear()
    this.#lines.value = new Map()
  }
}
