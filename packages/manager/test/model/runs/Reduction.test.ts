/** The reduction of inputs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Reduction from "../../../src/model/runs/Reduction.ts"

/** Reduces the letters of a text that keep a property; also the number of tests. */
const reduce = (text: string, isKept: (text: string) => boolean, most = Infinity) => {
  let tests = 0
  const test = (parts: ReadonlyArray<string>) =>
    Effect.sync((): Reduction.Verdict => {
      if (tests >= most) return "over"
      tests += 1
      return isKept(parts.join("")) ? "kept" : "lost"
    })
  return Effect.map(Reduction.minimize([...text], test), ({ complete, parts }) => ({
    text: parts.join(""),
    complete,
    tests
  }))
}

describe("an input", () => {
  it.effect("is reduced to the parts that keep the property", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [text: string, isKept: (text: string) => boolean, least: string]> = [
        ["abcdefghijklmnop", (text) => text.includes("f"), "f"],
        ["abcdefghijklmnop", (text) => text.includes("a") && text.includes("p"), "ap"],
        ["((()))", (text) => text.includes("(") && text.includes(")"), "()"],
        ["abc", () => true, ""],
        ["abc", (text) => text === "abc", "abc"],
        ["", () => true, ""]
      ]
      for (const [text, isKept, least] of rows) {
        const found = yield* reduce(text, isKept)
        assert.strictEqual(found.text, least, text)
        assert.isTrue(found.complete)
      }
    })
  )

  it.effect("of which no single part can be removed is the result", () =>
    Effect.gen(function* () {
      // Every second letter is needed, so that each removal of two neighbours loses the property.
      const needed = (text: string) => ["b", "d", "f", "h"].every((letter) => text.includes(letter))
      const { text } = yield* reduce("abcdefghij", needed)
      assert.strictEqual(text, "bdfh")
    })
  )

  it.effect("that a limit ends is the smallest so far", () =>
    Effect.gen(function* () {
      const { complete, tests, text } = yield* reduce("abcdefghijklmnop", (one) => one.includes("p"), 3)
      assert.isFalse(complete)
      assert.strictEqual(tests, 3)
      assert.include(text, "p")
    })
  )

  it("is the same after it was split", () => {
    const text = new TextEncoder().encode("one\ntwo\n\nlast")
    assert.strictEqual(Reduction.linesOf(text).length, 4)
    assert.deepStrictEqual(Reduction.joined(Reduction.linesOf(text)), text)
    assert.deepStrictEqual(Reduction.joined(Reduction.bytesOf(text)), text)
    assert.deepStrictEqual(Reduction.linesOf(new Uint8Array()), [])
  })
})
