import { assert, describe, it } from "@effect/vitest"
import {
  contains,
  isIn,
  markedWords,
  placeExpressions,
  placeOfAnswers,
  rowOf
} from "../../../src/session/values/MarkedBytes.ts"

describe("the bytes of a value", () => {
  const place = placeOfAnswers("0x00007fffffffe5d8 {id:1}", "8")

  it("are asked for by its address and its size", () => {
    assert.deepStrictEqual(placeExpressions("items[2].score"), ["&(items[2].score)", "sizeof(items[2].score)"])
    assert.deepStrictEqual(place, { start: 0x7fffffffe5d8n, size: 8 })
  })

  it("are unknown without an address or a size", () => {
    assert.isUndefined(placeOfAnswers(undefined, "8"))
    assert.isUndefined(placeOfAnswers("it has no address", "8"))
    assert.isUndefined(placeOfAnswers("0x10", undefined))
    assert.isUndefined(placeOfAnswers("0x10", "0"))
  })

  it("begin at the address and end before the next value", () => {
    assert.deepStrictEqual(
      [0x7fffffffe5d7n, 0x7fffffffe5d8n, 0x7fffffffe5dfn, 0x7fffffffe5e0n].map((address) => isIn(place, address)),
      [false, true, true, false]
    )
    assert.isFalse(isIn(undefined, 0n))
  })

  it("are in a piece of memory that has the first of them", () => {
    assert.isDefined(place)
    if (place === undefined) return
    assert.strictEqual(rowOf(place), "0x7fffffffe5d0")
    assert.isTrue(contains(0x7fffffffe5d0n, 256, place))
    assert.isFalse(contains(0x7fffffffe5d0n, 8, place))
    assert.isFalse(contains(0n, 0, { start: 0n, size: 4 }))
  })

  it("are described by the expression, the type and the value", () => {
    const value = { name: "score", expression: "items[2].score", value: "30.75", type: "double" }
    assert.strictEqual(markedWords(value), "items[2].score, a double: 30.75")
    assert.strictEqual(markedWords({ name: "n", value: "3", type: "int" }), "n, an int: 3")
    assert.strictEqual(markedWords({ name: "n", value: "3" }), "n: 3")
    assert.match(markedWords({ name: "s", value: `"${"a".repeat(80)}"`, type: "char *" }), /^s, a char \*: "a{58}…$/)
  })
})
