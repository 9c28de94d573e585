/**
 * The source text that the page shows. Each file is read once; a file that is not on this machine is asked for again after the
 * program was started again.
 */
import { batch, signal } from "@preact/signals"
import type { Data } from "../../connection/Answers.ts"
import type { Calls } from "../../connection/Calls.ts"
import { mapped } from "./PathMaps.ts"
import type { Session } from "../Session.ts"
import { absentOf, type NoSource, type SourceText } from "./SourceText.ts"

/** The source text of one session. */
export class ShownSource {
  readonly text = signal<SourceText | undefined>(undefined)
  /** Why there is no text. */
  readonly missing = signal<NoSource | undefined>(undefined)
  readonly #session: Session
  readonly #calls: Calls
  readonly #sources = new Map<string, SourceText>()
  /** Files that are not on this machine, until the program is started again. */
  readonly #absent = new Map<string, NoSource>()

  constructor(session: Session, calls: Calls) {
    this.#session = session
    this.#calls = calls
  }

  /** Forgets the texts, because the program may have been built anew. What is shown stays. */
  clear(): void {
    this.#sources.clear()
    this.#absent.clear()
  }

  /** Shows that a place has no source. */
  showNone(message: string): void {
    this.#show(undefined, { absent: true, message })
  }

  /** Shows the text of a file. `isWanted` returns false if another file is to be shown by the time the text was read. */
  async show(file: string, isWanted: () => boolean): Promise<void> {
    const known = this.#sources.get(file)
    if (known !== undefined) return this.#show(known)
    const missing = this.#absent.get(file)
    if (missing !== undefined) return this.#show(undefined, missing)
    const outcome = await this.#read(mapped(file) ?? file)
    const failed = outcome.ok ? undefined : absentOf(file, outcome.failure)
    // A file that is refused is not absent: it is asked for again, as the rules of the session may change.
    if (failed?.absent === true && !outcome.ok && outcome.failure.code === "SOURCE_NOT_FOUND")
      this.#absent.set(file, failed)
    if (!isWanted()) return
    if (outcome.ok) this.#keep(file, outcome.answer.data)
    else this.#show(undefined, failed)
  }

  /** Shows a file with the text of another path. Returns why that is not possible. */
  async showMapped(file: string, path: string): Promise<string | undefined> {
    const outcome = await this.#read(path)
    if (!outcome.ok) return outcome.failure.message
    // Other files may be below the directory.
    this.#absent.clear()
    this.#keep(file, outcome.answer.data)
    return undefined
  }

  #read(path: string) {
    return this.#calls.call("source", { session: this.#session.name, at: `${path}:1`, whole: true })
  }

  #keep(file: string, { lines, stale }: Pick<Data<"source">, "lines" | "stale">): void {
    const text = { file, lines, stale: stale === true }
    this.#sources.set(file, text)
    this.#show(text)
  }

  #show(text: SourceText | undefined, missing?: NoSource): void {
    batch(() => ([this.text.value, this.missing.value] = [text, missing]))
  }
}
