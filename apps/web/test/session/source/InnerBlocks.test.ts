import { assert, describe, it } from "@effect/vitest"
import { blocksBefore, linesOfOthers } from "../../../src/session/source/InnerBlocks.ts"

/** Returns the lines, from 1, in which a name is that of another variable than the one of the last line. */
const others = (name: string, ...text: ReadonlyArray<string>): ReadonlyArray<number> => {
  const code = (index: number) => text[index] ?? ""
  const scope = text.map((_, at) => text.length - at)
  return [...linesOfOthers(code, blocksBefore(code, scope), name)]
}

describe("a name of an ended block", () => {
  it("is another variable if the block declares it", () => {
    const loop = ["int i = 100;", "for (int i = 0; i < n; i++) {", "  sum += i;", "}", "return sum + i;"]
    assert.deepStrictEqual(others("i", ...loop), [2, 3, 4])
    assert.deepStrictEqual(others("sum", ...loop), [])
    assert.deepStrictEqual(others("n", "{", "  int *n = &m;", "  use(n);", "}", "use(n);"), [2, 3, 4])
    assert.deepStrictEqual(
      others("e->what", "try {", "} catch (const Error *e) {", "  log(e->what);", "}", "log(e);"),
      [2, 3, 4]
    )
    assert.deepStrictEqual(others("x", "for (const x of xs)", "  use(x);", "let x = 2;", "use(x);"), [1, 2])
    assert.deepStrictEqual(others("x", "if ok {", "  x := 1", "  use(x)", "}", "use(x)"), [1, 2, 3, 4])
    assert.deepStrictEqual(others("i", "for (int i = 0; i < n; i++)", "{", "  sum += i;", "}", "use(i);"), [1, 2, 3, 4])
  })

  it("is the same variable if the block only uses it, or has not ended", () => {
    assert.deepStrictEqual(others("i", "for (i = 0; i < n; i++) {", "  sum = a * i;", "}", "return i;"), [])
    assert.deepStrictEqual(others("i", "for (int i = 0; i < n; i++) {", "  sum += i;", "  total = sum;"), [])
    assert.deepStrictEqual(others("a", "int a[] = {1, 2};", "use(a);"), [])
    assert.deepStrictEqual(others("i", "while (more) {", "  return i;", "}", "use(i);"), [])
  })
})
