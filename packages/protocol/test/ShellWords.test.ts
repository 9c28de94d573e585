import { assert, describe, it } from "@effect/vitest"
import { ShellWords } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"

describe("a quoted word", () => {
  it.each([
    ["app", "app"],
    ["--file=a/b.c:3", "--file=a/b.c:3"],
    ["", "''"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["n > 2", "'n > 2'"],
    ["$HOME", "'$HOME'"]
  ])("%j is written %s", (word, expected) => assert.strictEqual(ShellWords.quote(word), expected))

  it("has quotes on request even if it needs none", () => assert.strictEqual(ShellWords.quoteAlways("app"), "'app'"))

  it.prop("lines of any words are split into the same words", [Schema.Array(Schema.String)], ([words]) =>
    assert.deepStrictEqual(ShellWords.split(ShellWords.join(words)), words)
  )
})

describe("a command line", () => {
  it.each([
    ["", []],
    ["  cc  -g\tapp.c ", ["cc", "-g", "app.c"]],
    ["cc -g\n  app.c\r\n", ["cc", "-g", "app.c"]],
    ["cc \\\n app.c", ["cc", "app.c"]],
    [`break 'a b.c:3 if n > 2' --x="y z" c\\ d ''`, ["break", "a b.c:3 if n > 2", "--x=y z", "c d", ""]],
    [`"a\\"b\\n"`, ['a"b\\n']]
  ])("%j is split into %j", (line, expected) => assert.deepStrictEqual(ShellWords.split(line), expected))

  it.each([
    ["make && ./app", "&"],
    ["make > log", ">"],
    ['echo "$HOME"', "$"],
    ["echo '$HOME'", undefined],
    ["make\n./app", "a second line"]
  ])("%j has the operator %s", (line, expected) => assert.strictEqual(ShellWords.parse(line).operator, expected))

  it("reports a quote that is not closed", () => assert.isTrue(ShellWords.parse("echo 'a").open))
})
