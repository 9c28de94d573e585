// Every command line of `sigtrap` in a document is one that the command accepts; also in changesets, which become changelogs.
import { assert, describe, it } from "@effect/vitest"
import { ShellWords } from "@sigtrap/protocol"
import * as Argv from "@sigtrap/protocol/grammar/Argv"
import { Result } from "effect"
import { files, none, read } from "./sources.ts"

const documents = files.filter(
  (path) => path.endsWith(".md") && !/^(?:docs\/(?:decisions|reference|internals)\/|tooling\/)/.test(path)
)

/** Returns the command lines in a document: those of code blocks, and inline code that begins with `sigtrap `. */
const linesOf = (text: string): ReadonlyArray<string> => {
  const blocks = [...text.matchAll(/^```(?:sh|console|text)?\n([^]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block.split("\n").flatMap((line) => /^(?:\$ )?(sigtrap .*)$/.exec(line)?.[1] ?? [])
  )
  const inline = [...text.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/`(sigtrap [^`]+)`/g)].map(
    ([, line = ""]) => line
  )
  return [...blocks, ...inline].map((line) => line.replace(/\s+#\s.*$/, ""))
}

/** Returns why a command line is not accepted. `PID` and `N` are placeholders of numbers; a server reads its own options. */
const problem = (line: string): string | undefined => {
  const [, ...words] = ShellWords.split(line.replaceAll(/\b(?:PID|N)\b/g, "3"))
  const { request } = Argv.parse(words[0] === "mcp" ? ["mcp"] : words, {})
  return Result.isFailure(request) ? request.failure.message : undefined
}

describe("command lines in documents", () => {
  it("are accepted by the grammar", () => {
    none(
      documents.flatMap((path) =>
        linesOf(read(path)).flatMap((line) => {
          const found = problem(line)
          return found === undefined ? [] : [`${path}: ${line}: ${found}`]
        })
      )
    )
  })

  it("that have an unknown command or option are found", () => {
    assert.deepStrictEqual(
      linesOf("`sigtrap a` `b`\n\n```sh\nsigtrap c   # why\n$ x\n```\n\n```ts\nsigtrap d\n```\n"),
      ["sigtrap c", "sigtrap a"]
    )
    assert.isUndefined(problem("sigtrap start ./app --break main"))
    assert.isDefined(problem("sigtrap begin"))
    assert.isDefined(problem("sigtrap start ./app --brake main"))
  })
})
