// The outline of TOML text has its syntax alone, and tells its size and the lines of its values.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as SettingsFile from "../../src/config/SettingsFile.ts"
import * as TomlOutline from "../../src/config/TomlOutline.ts"
import * as TomlText from "../../src/config/TomlText.ts"

const { make } = TomlOutline

describe("the outline of TOML text", () => {
  it("has no strings and comments, and the same length", () => {
    for (const [text, outline] of [
      ['a = "x=[#" # [b]\nc = 1', `a = ${"~".repeat(6)} ${"_".repeat(5)}\nc = 1`],
      ["a = 'x\\' # y", `a = ~~~~ ___`],
      ['a = "x\\"[" = 1', `a = ~~~~~~ = 1`],
      ['a = """\n[\n"" "" \\""""""', `a = ~~~\v~\v${"~".repeat(13)}`],
      ["a = '''x''''' = 1", `a = ~~~~~~~~~ = 1`],
      ['a = "open\n[b]', `a = ~~~~~\n[b]`],
      ['a = """open\n', `a = ~~~~~~~\v`]
    ] as const) {
      assert.strictEqual(make(text), outline, text)
      assert.lengthOf(make(text), text.length)
    }
  })

  it("bounds values and parts of keys before a parser gets the text", () => {
    const excess = (text: string) => TomlOutline.excess(make(text))
    assert.isUndefined(excess(`a = "${"=,[.".repeat(2000)}"\n# ${"=".repeat(2000)}`))
    assert.strictEqual(excess("k = 1\n".repeat(1001)), "the file has more than 1000 values")
    assert.strictEqual(excess(`a = [${"1,".repeat(1001)}]`), "the file has more than 1000 values")
    assert.strictEqual(excess(`${"a.".repeat(20)}b = 1`), "a key has more than 16 parts")
    const text = "\\U00000061".repeat(16_384)
    assert.isUndefined(excess(`a = "${text}"`))
    assert.strictEqual(
      excess(`[b] # ${text.repeat(2)}\na = '''\n${text}1234567'''`),
      "line 2: a value has at most 16384 characters"
    )
    assert.isUndefined(excess("a.b = 1.5\n".repeat(100)))
    const parsed = SettingsFile.parse(`alias.a = "${"x".repeat(20_000)}"`)
    assert.include(Result.isFailure(parsed) ? parsed.failure.join() : "", "at most 16384 characters")
  })

  it("tells the lines of values that span lines", () => {
    const text = 'a = [\n "]", # ]\n]\nb = """\nc = 1\n\n""" \n[t]\r\nd = 2\r\ne = { f = [\n1] }\n'
    assert.deepStrictEqual(
      TomlText.entries(text).map(({ key, last, line }) => [key, line, last]),
      [
        ["a", 1, 3],
        ["b", 4, 7],
        ["t.d", 9, 9],
        ["t.e", 10, 11]
      ]
    )
  })
})
