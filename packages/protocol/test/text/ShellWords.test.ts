import { assert, describe, it } from "@effect/vitest"
import { ShellWords } from "@sigtrap/protocol"
import { execFileSync } from "node:child_process"
import * as Schema from "effect/Schema"

describe("a quoted word", () => {
  it.each([
    ["app", "app"],
    ["--file=a/b.c:3", "--file=a/b.c:3"],
    ["", "''"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["n > 2", "'n > 2'"],
    ["$HOME", "'$HOME'"],
    ["a\nb", String.raw`$'a\nb'`],
    ["it's\u001b[201~\r", String.raw`$'it\'s\033[201~\r'`],
    ["\u009b1m\\", String.raw`$'\302\2331m\\'`],
    ["é ü", "'é ü'"]
  ])("%j is written %s", (word, expected) => assert.strictEqual(ShellWords.quote(word), expected))

  it("has quotes on request even if it needs none", () => assert.strictEqual(ShellWords.quoteAlways("app"), "'app'"))

  it.prop("lines of any words are split into the same words", [Schema.Array(Schema.String)], ([words]) =>
    assert.deepStrictEqual(ShellWords.split(ShellWords.join(words)), words)
  )
})

describe("a word with control characters", () => {
  it("is read back by a shell", () => {
    const word = Array.from({ length: 0x9f }, (_, at) => String.fromCodePoint(at + 1)).join("")
    const written = execFileSync("bash", ["-c", `printf %s ${ShellWords.quote(word)}`], { encoding: "utf8" })
    assert.strictEqual(written, word)
    assert.isFalse(/\p{Cc}/u.test(ShellWords.quote(word)))
  })

  it("is split as a shell reads it", () =>
    assert.deepStrictEqual(ShellWords.split(String.raw`a$'\x41\101\t\q\e'b $'c d'`), ["aAA\t\\q\u001bb", "c d"]))

  it("has an open quote without its end", () => {
    assert.isTrue(ShellWords.parse(String.raw`echo $'a\'`).open)
    assert.isUndefined(ShellWords.parse("echo $'a'").operator)
  })
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
