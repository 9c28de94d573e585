import { assert, describe, it } from "@effect/vitest"
import { Highlighter, languageOf, tokensOf } from "../../src/language/Tokens.ts"

const kinds = (text: string, file = "a.c", state = "") =>
  tokensOf(text, state, languageOf(file)).tokens.filter(({ kind }) => kind !== "plain")

describe("tokens", () => {
  it("are words, numbers, texts and comments", () => {
    assert.deepStrictEqual(kinds('for (int i = 0x1f; i < 2.5e3; i++) puts("a\\"b"); // end'), [
      { kind: "kw", text: "for" },
      { kind: "type", text: "int" },
      { kind: "num", text: "0x1f" },
      { kind: "num", text: "2.5e3" },
      { kind: "str", text: '"a\\"b"' },
      { kind: "com", text: "// end" }
    ])
  })

  it("of a line are all of its text", () => {
    for (const line of [
      "a = 'x",
      "/* open",
      "x\t= y /* c */ + 1",
      '"never closed\\',
      "#include <stdio.h>",
      "日本 = 1"
    ]) {
      assert.strictEqual(
        tokensOf(line, "", languageOf("a.c"))
          .tokens.map(({ text }) => text)
          .join(""),
        line
      )
    }
  })

  it("know comments and texts of several lines", () => {
    const c = new Highlighter("a.c", ["/* one", "two */ int x;", "y"])
    assert.deepStrictEqual(c.line(1).slice(0, 2), [
      { kind: "com", text: "two */" },
      { kind: "plain", text: " " }
    ])
    assert.deepStrictEqual(c.line(2), [{ kind: "plain", text: "y" }])
    const python = new Highlighter("a.py", ['"""one', 'two""" + x # c'])
    assert.deepStrictEqual(
      python.line(1).map(({ kind }) => kind),
      ["str", "plain", "com"]
    )
  })
})
