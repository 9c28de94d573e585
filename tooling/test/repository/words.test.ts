// Comments, texts and documents use plain words, and modules are named by nouns. Each pattern is a turn of phrase that reads
// as a riddle; the message says what to write instead.
import { assert, describe, it } from "@effect/vitest"
import { basename } from "node:path"
import { texts } from "./syntax.ts"
import { files, none, read, sources } from "./sources.ts"

const phrases: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/\bwhat is there already\b/i, "name it: a running process, a core file, an existing file"],
  [/\b(?:is|are|was|were|be|been) told\b/i, "say who reports what to whom"],
  [/\bso many\b/i, "N, or the name of the limit"],
  [/(?<!\bthere )\bis no (?!longer\b|more\b|such\b)[a-z]/i, "is not a …, or: there is no …"],
  [/(?<!\bthere )\bare no (?!longer\b|more\b|such\b|other\b)[a-z]/i, "are not …, or: there are no …"],
  [/\b(?:go|went) on\b/i, "continue, resume, run"],
  [/\bwhoever\b/i, "each client that …, the user who …"],
  [/\bnothing of (?:it|its|them)\b/i, "no part of …, no process of …"],
  [/\bof ours\b/i, "name the owner: this process, the manager, sigtrap"],
  [/\bstands?\b(?! for\b|-|alone\b)|\bstanding\b/i, "is, is stopped, is paused"],
  [/\bgoes on\b/i, "continues, resumes, runs"],
  [/\b(?:nobody|somebody)\b/i, "no client, no one, a user"],
  [/\bfor whom\b|\bby which\b/i, "say who does it, or: with which, through"],
  [/\bis so when left out\b/i, "(default: …)"]
]

/** Nouns that look like gerunds or adverbs. */
const nouns = new Set(["Disassembly", "Framing", "Listing"])

/** Whether the name of a module is a gerund, an adverb or a mood. */
const isOddName = (name: string) =>
  (/^[A-Z][a-z]+(?:ing|ly)$/.test(name) && !nouns.has(name)) ||
  /^(?:Beyond|Onward|Elsewhere|Kept|Own|Saved|Raw|Wanted|Asked|Begun|Told|Live)$/.test(name)

/** This file, which names what it forbids. */
const own = "tooling/test/repository/words.test.ts"

const violations = (path: string, line: number, text: string) =>
  phrases.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text)
    return found === null ? [] : [`${path}:${line} "${found[0]}" (${instead})`]
  })

describe("words", () => {
  it("of comments and texts are plain", () => {
    none(
      sources
        .filter((path) => path !== own && !path.endsWith(".generated.ts"))
        .flatMap((path) => {
          // Most files have none of the phrases, so they need not be parsed.
          const text = read(path)
          if (violations(path, 0, text.replaceAll(/\s+(?:\/\/|\*)?\s*/g, " ")).length === 0) return []
          return texts(text).flatMap((each) => violations(path, each.line, each.text))
        })
    )
  })

  it("of documents are plain", () => {
    // A decision record is not edited, and the reference is generated from texts.
    const documents = files.filter((path) => path.endsWith(".md") && !/^docs\/(?:decisions|reference)\//.test(path))
    none(
      documents.flatMap((path) =>
        read(path)
          .split("\n")
          .flatMap((text, index) => violations(path, index + 1, text))
      )
    )
  })

  it("that name modules are nouns", () => {
    // Modules of operations are named after them: `raw`.
    const modules = sources.filter((path) => /^(?:packages|apps)\/\w+\/src\/(?!operations\/)/.test(path))
    none(modules.filter((path) => isOddName(basename(path, ".ts"))))
  })

  it("are found in comments and strings, and not in code", () => {
    const text = 'const stands = 1 // it stands still\n/** The client\n * is told. */\nconst a = "goes on here"\n'
    const found = texts(text).flatMap(({ line, text }) => violations("a.ts", line, text))
    assert.deepStrictEqual(
      found.map((each) => each.replace(/ \(.*/, "")),
      ['a.ts:4 "goes on"', 'a.ts:1 "stands"', 'a.ts:2 "is told"']
    )
    assert.deepStrictEqual(texts("const a = 'stopped'\n"), [])
    const allowed = "There is no session, it is no longer stopped, a name stands for a command."
    assert.deepStrictEqual(violations("a.ts", 1, allowed), [])
    assert.lengthOf(violations("a.ts", 1, "A breakpoint is no watchpoint."), 1)
  })
})
