// Documents: widths, budgets, colours.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Doc from "../src/Doc.ts"
import * as View from "../src/View.ts"

const bytes = (text: string) => new TextEncoder().encode(text).length
const entries = (count: number) => Array.from({ length: count }, (_, index) => [Doc.line(`entry ${index}`)])

describe("a document", () => {
  it("has no trailing spaces, and no colours by default", () => {
    const doc = Doc.lines(Doc.line(Doc.span("a", "error"), "  ", Doc.span(" ", "dim")), Doc.line(""))
    assert.strictEqual(Doc.render(doc), "a\n\n")
    assert.strictEqual(Doc.render(doc, { color: true }), "\u001b[31ma\u001b[0m\n\n")
  })

  it("contains no escape from outside, also with colours", () => {
    const doc = Doc.lines(Doc.line(Doc.span("\u001b[2J", "name"), "\u009b31m"))
    assert.strictEqual(Doc.render(doc, { color: true }), "\u001b[32m\\x1b[2J\u001b[0m\\x9b31m\n")
  })

  it("aligns columns by the width of characters on a terminal", () => {
    assert.deepStrictEqual(
      Doc.table([
        ["日本", "x", ""],
        ["a", "yy", "z"]
      ]),
      ["日本  x", "a     yy  z"]
    )
    assert.strictEqual(Doc.width("e\u0301"), 1)
  })

  it("cuts between characters, never inside one", () => {
    assert.strictEqual(Doc.cut("😀😀😀", 2), "😀…")
    assert.strictEqual(Doc.cut("😀😀😀", 3), "😀😀😀")
  })
})

describe("a budget", () => {
  const doc = Doc.concat(
    Doc.lines(Doc.line("first")),
    Doc.list(entries(100), (shown) => `more --start ${shown}`),
    Doc.lines(Doc.line("last"))
  )

  it("leaves out whole entries and names the command that shows them", () => {
    const text = Doc.render(Doc.fit(doc, 100))
    assert.strictEqual(
      text,
      "first\nentry 0\nentry 1\nentry 2\nentry 3\nentry 4\nentry 5\nentry 6\n… 93 more · more --start 7\nlast\n"
    )
    assert.isAtMost(bytes(text), 100)
  })

  it("shows the beginning of a first entry that is longer, and the commands for its rest and for the others", () => {
    const long = [Doc.line(Doc.span("items", "name"), ` = ${"é".repeat(200)}`)]
    const one = Doc.list(
      [long],
      () => "more",
      () => "whole"
    )
    const text = Doc.render(Doc.fit(one, 120))
    assert.match(text, /^items = é{30,}…\n… the rest of it · whole\n$/)
    assert.isAtMost(bytes(text), 120)
    const members = Array.from({ length: 50 }, (_, index) => Doc.line(`member ${index}`))
    const two = Doc.render(
      Doc.fit(
        Doc.list(
          [members, ...entries(3)],
          (shown) => `more ${shown}`,
          () => "whole"
        ),
        120
      )
    )
    assert.match(two, /^member 0\nmember 1\n(?:member \d\n)*… the rest of it · whole\n… 3 more · more 1\n$/)
    // A small budget shows something of the value nevertheless.
    assert.match(Doc.render(Doc.fit(one, 10)), /^items = é{5,}…\n/)
  })

  it("of 0 bytes means unlimited", () => {
    assert.strictEqual(Doc.fit(doc, 0), doc)
  })

  it.prop(
    "is kept whenever what must be shown leaves room for it",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 3000 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))
    ],
    ([budget, count]) => {
      const whole = Doc.concat(
        Doc.lines(Doc.line("head")),
        Doc.list(entries(count), () => "more")
      )
      const text = Doc.render(Doc.fit(whole, budget))
      assert.isAtMost(bytes(text), budget)
      const left = text.split("\n").filter((line) => line.startsWith("entry")).length
      const said = Number(/… (\d+) more/.exec(text)?.[1] ?? 0)
      assert.strictEqual(left + said, count)
    }
  )
})

describe("a path", () => {
  it.each([
    ["/src/demo", "/src/demo/app.c", "app.c"],
    ["/src/demo/", "/src/demo/lib/a.c", "lib/a.c"],
    ["/src/demo", "/src/demo2/app.c", "demo2/app.c"],
    ["/src/demo", "/usr/include/x86/stdio.h", "x86/stdio.h"],
    ["/src/demo", "app.c", "app.c"],
    ["C:\\src", "C:\\other\\lib\\a.c", "lib/a.c"]
  ])("from %s: %s is shown as %s", (directory, file, expected) => {
    assert.strictEqual(View.path({ directory }, file), expected)
  })
})
