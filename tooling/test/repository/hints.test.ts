// Hints are data: below the surfaces no text is a command line for a person, and nothing parses one.
import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")

/** The strings and templates of a module, comments left out. */
const codeOf = (text: string): string =>
  text.replaceAll(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "$1")

/** The modules of a package that contain a pattern, with what they contain. */
const found = (folder: string, pattern: RegExp): ReadonlyArray<string> => {
  const sources = join(root, folder, "src")
  return readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      [...codeOf(readFileSync(join(sources, file), "utf8")).matchAll(pattern)].map(([text]) => `${file}: ${text}`)
    )
}

it.each(["packages/protocol", "packages/manager", "packages/backends"])("%s holds no command line", (folder) => {
  assert.deepStrictEqual(found(folder, /\bsigtrap [a-z]+\b/g), [])
})

it.each(["apps/cli", "apps/mcp", "apps/http", "packages/scenario", "packages/text"])("%s parses no hint", (folder) => {
  assert.deepStrictEqual(found(folder, /\bhint(?:\.text)?\.(?:startsWith|match|split|exec|slice|replace)\(/g), [])
  assert.deepStrictEqual(found(folder, /\.exec\([^)\n]*\bhint\b/g), [])
})

it("strings in comments are not read, and comments in strings are not removed", () => {
  assert.strictEqual(codeOf('/* sigtrap a */ const x = "// sigtrap b" // sigtrap c'), ' const x = "// sigtrap b" ')
})
