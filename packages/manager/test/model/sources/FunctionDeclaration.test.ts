import { assert, describe, it } from "@effect/vitest"
import * as FunctionDeclaration from "../../../src/model/sources/FunctionDeclaration.ts"

const text = [
  "function add(a, b) {",
  "  return a + b",
  "}",
  "class Bank {",
  "  async deposit(n) {",
  "    this.n = add(n, 1)",
  "    if (deposit(n)) {",
  "      return",
  "    }",
  "  }",
  "}",
  "const twice = (n) => n * 2",
  "exports.later = async function () {",
  "  await twice(2)",
  "}",
  "function* $gen<T>(n: T): Iterable<T> {",
  "}",
  "def total(items):",
  `function ${"x".repeat(600)}long() {`
]

describe("the declaration of a function", () => {
  it("is found in the forms of several languages, and no call is", () => {
    const found = (name: string) => FunctionDeclaration.lines(text, name)
    assert.deepStrictEqual(found("add"), [2])
    assert.deepStrictEqual(found("deposit"), [6])
    assert.deepStrictEqual(found("twice"), [12])
    assert.deepStrictEqual(found("later"), [14])
    assert.deepStrictEqual(found("$gen"), [17])
    assert.deepStrictEqual(found("total"), [18])
    assert.deepStrictEqual(found("Bank"), [])
    assert.deepStrictEqual(found("dd"), [])
  })

  it("has the last part of a name with its class, and no name that is not an identifier", () => {
    assert.deepStrictEqual(
      ["Bank.deposit", "a::b", "add", "a+", "", "x(y)"].map((name) => FunctionDeclaration.nameOf(name)),
      ["deposit", "b", "add", undefined, undefined, undefined]
    )
  })
})
