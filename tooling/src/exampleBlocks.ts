/**
 * The programs of `examples/` in documents. A comment `<!-- example: PATH -->` is followed by a code block, which has the text of that
 * file; `npm run reference` writes it. The `text` block after it is what the program prints.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = new URL("../../", import.meta.url)

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, root)), "utf8")

const block = /^<!-- example: (\S+) -->\n\n```(.*)\n[^]*?^```$/gm

/** Returns the text of a document with the examples as their files are. */
export const filled = (path: string): string =>
  read(path).replaceAll(
    block,
    (_, file: string, language: string) => `<!-- example: ${file} -->\n\n\`\`\`${language}\n${read(file)}\`\`\``
  )

/** A program of a document. */
export interface Program {
  readonly file: string
  /** True for a test file. */
  readonly isTest: boolean
  /** What it prints. */
  readonly output: string
}

/** Returns the programs of a document, in order. */
export const programs = (path: string): ReadonlyArray<Program> =>
  [...read(path).matchAll(/^<!-- example: (\S+) -->\n\n```(.*)\n[^]*?^```\n(?:\n```text\n([^]*?)^```$)?/gm)].map(
    ([, file = "", language = "", output = ""]) => ({ file, isTest: language.includes("vitest"), output })
  )

/** Returns what is printed as a pattern: `…` is anything. */
export const pattern = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .split("…")
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"))
      .join("[^]*"),
    "u"
  )
