/** Facts that adapters report only as text, in `output` events (DAP) of the category `console`. */
import type { Quirks } from "../../adapters/Quirks.ts"

/** The facts that the texts of one adapter told. */
export class TextFacts {
  #exitCode: number | undefined
  #stepIsKept = false

  /** The exit code of adapters that report it as text. */
  get exitCode(): number | undefined {
    return this.#exitCode
  }

  /** True if the debugger still has the step that the last stop interrupted, and refuses another one. */
  get stepIsKept(): boolean {
    return this.#stepIsKept
  }

  /** Reads a text. */
  read(output: string, { exitCodeInText, keepsStep }: Pick<Quirks, "exitCodeInText" | "keepsStep">): void {
    const [, code] = exitCodeInText?.exec(output) ?? []
    if (code !== undefined) this.#exitCode = Number(code)
    if (keepsStep?.test(output) === true) this.#stepIsKept = true
  }

  /** Records that the program was resumed. */
  resumed(): void {
    this.#stepIsKept = false
  }
}
