import { assert, it } from "@effect/vitest"
import {
  cutClass,
  isMasked,
  matching,
  toneOf,
  valueWords,
  withOld,
  rowWords
} from "../../../src/session/words/ValueWords.ts"

it("a value is shown without zeros before an address, and as a sentence if it cannot be read", () => {
  for (const [value, attributes, words, tone] of [
    ["0x0000000000000000", [], "0x0", "plain"],
    ["0x00007fffffffe550", [], "0x7fffffffe550", "plain"],
    ["0x00007fffffffe550 {value:1, next:0x0000000000000000}", [], "→ {value:1, next:0x0}", "plain"],
    [`{text:"0x00ff", one:'"', next:0x00ff}`, [], `{text:"0x00ff", one:'"', next:0xff}`, "plain"],
    ['{next:0x00000000000000, text:"cut 0x00f', [], '{next:0x0, text:"cut 0x00f', "plain"],
    ["42", [], "42", "num"],
    ["-4.5e-310", [], "-4.5e-310", "num"],
    ["97 'a'", [], "97 'a'", "num"],
    ["2 {1,2}", [], "2 {1,2}", "plain"],
    ['"gamma"', [], '"gamma"', "str"],
    ["<masked>", ["masked"], "hidden, name looks secret", "none"],
    ["?", ["optimized-out"], "optimized out", "none"],
    ["<cannot access memory at 0x10>", ["unreadable"], "cannot be read at 0x10", "none"],
    ["<unreadable>", ["unreadable"], "cannot be read", "none"],
    ["0x1000 <cannot access memory>", ["unreadable"], "0x1000 <cannot access memory>", "none"],
    ["7", ["read-only"], "7", "num"]
  ] as const) {
    const one = { name: "x", value, attributes }
    assert.deepStrictEqual([valueWords(one), toneOf(one)], [words, tone])
    assert.strictEqual(
      isMasked(one),
      attributes.some((name) => name === "masked")
    )
  }
})

it("a value says what it was at the stop before, if the list of stops knows it for this value", () => {
  const values = [
    { name: "i", value: "2" },
    { name: "n", value: "3" },
    { name: "total", value: "30" },
    { name: "sum", value: "8", changed: true, old: "7" }
  ]
  const changed = [
    { name: "i", old: "1", new: "2" },
    { name: "total", old: "10", new: "20" },
    { name: "sum", old: "1", new: "8" }
  ]
  assert.deepStrictEqual(withOld(values, changed), [
    { name: "i", value: "2", changed: true, old: "1" },
    { name: "n", value: "3" },
    { name: "total", value: "30" },
    { name: "sum", value: "8", changed: true, old: "1" }
  ])
})

it("values are found by a part of their name, in either case", () => {
  const values = ["items", "n", "Total"].map((name) => ({ name, value: "1" }))
  const names = (text: string | undefined) => matching(values, text).map(({ name }) => name)
  assert.deepStrictEqual(names("t"), ["items", "Total"])
  assert.deepStrictEqual(names("TOTAL"), ["Total"])
  assert.deepStrictEqual(names("x"), [])
  for (const none of ["", undefined]) assert.deepStrictEqual(names(none), ["items", "n", "Total"])
})

it("a text from right to left is cut after its first words", () => {
  assert.deepStrictEqual(['"שלום"', '{name = "سلام"}', '"naïve 日本 😀"', "0x7ffe"].map(cutClass), [
    " cutByWords",
    " cutByWords",
    "",
    ""
  ])
})

it("an object of Python is short in its row, and whole elsewhere", () => {
  const value = "[<__main__.Account object at 0x7f7c46ad4f10>]"
  assert.strictEqual(rowWords({ name: "accounts", type: "list", value }), "[<Account …4f10>]")
  assert.strictEqual(valueWords({ name: "accounts", type: "list", value }), value)
})
