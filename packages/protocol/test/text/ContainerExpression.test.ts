import { assert, describe, it } from "@effect/vitest"
import { Expression } from "../../src/index.ts"

describe("an expression over containers", () => {
  for (const text of ['m["x"]', "v.size()", "p->at(1)", 'a.b["k"][2].c', "s.count(key)", "m['c'].front().x"]) {
    it(`may be read from memory: ${text}`, () => assert.isTrue(Expression.readsContainer(text)))
  }
  for (const text of [
    "f()",
    "v.clear()",
    "v.size() + f()",
    "v.at(f())",
    "v.size()(1)",
    "v[i++]",
    "v.push_back(1)",
    "(f)(1)"
  ]) {
    it(`may run code: ${text}`, () => assert.isFalse(Expression.readsContainer(text)))
  }

  it("begins with a variable", () => {
    assert.strictEqual(Expression.rootOf(' m["x"].size()'), "m")
    assert.strictEqual(Expression.rootOf("a + b"), "a + b")
  })
})
