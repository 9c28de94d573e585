import { assert, describe, it } from "@effect/vitest"
import { scopeLines } from "../../../src/session/source/FunctionLines.ts"

/** Returns the first and the last line of the function of the line that ends with `// here`. */
const span = (text: string, isIndented = false) => {
  const lines = text.split("\n")
  const current = lines.findIndex((line) => line.includes("here")) + 1
  const found = scopeLines((index) => (lines[index] ?? "").replace(/(?:\/\/|#).*/, ""), current, isIndented)
  assert.strictEqual(found[0], current)
  return found.map((line) => (lines[line - 1] ?? "").trim()).toReversed()
}

describe("the lines of a function", () => {
  it("begin at its header, not in the function before it", () => {
    const text = [
      "double Cart::total(double sum) const {",
      "  for (auto &item : items) {",
      "    sum += item.price;",
      "  }",
      "  return sum;",
      "}",
      "int main() {",
      "  if (a) {",
      "    x();",
      "  }",
      "  double sum = cart.total(0.1); // here"
    ].join("\n")
    assert.strictEqual(span(text)[0], "int main() {")
    assert.lengthOf(span(text), 5)
  })

  it("begin at a header of several lines, and at one whose brace has a line of its own", () => {
    assert.strictEqual(
      span("}\nstatic int sum(\n  int *items,\n  int n)\n{\n  return n; // here")[0],
      "static int sum("
    )
  })

  it("are those of a method in a class, and at its closing brace", () => {
    const text = "class A {\n  int x;\n  void f(int n) {\n    g(n);\n  }\n  void g(int n) {\n    h(n);\n  } // here"
    assert.strictEqual(span(text)[0], "void g(int n) {")
  })

  it("do not reach into the function above when the program is at the header", () => {
    assert.deepStrictEqual(span("int f(int n) {\n  return n;\n}\n\nint main(void) // here"), [
      "",
      "int main(void) // here"
    ])
  })

  it("contain blocks, arrays and matches, and end at a closure", () => {
    assert.strictEqual(
      span("fn main() {\n  let a = [1];\n  let b = match a { _ => 1 };\n  if b > 0 {\n    c(b); // here")[0],
      "fn main() {"
    )
    assert.strictEqual(span("int main() {\n  int a[] = {\n    1,\n  };\n  use(a); // here")[0], "int main() {")
    assert.strictEqual(span("const n = 1;\nrun((n) => {\n  use(n) // here")[0], "run((n) => {")
  })

  it("are those of the whole function where statements have no semicolons", () => {
    const text = [
      "function total(cart, rate) {",
      "  const lines = cart.items.length",
      "  outer: for (const item of cart.items) {",
      "    sum(item)",
      "  }",
      "  const tax = lines * rate // here"
    ].join("\n")
    assert.lengthOf(span(text), 6)
    const go =
      "func total(n int) int {\n  for i := 0; i < n; i = next(i) {\n    add(i)\n  }\n  if v := f(); g(v) {\n    h(v)\n  }\n  return n // here"
    assert.lengthOf(span(go), 8)
  })

  it("are also those above an inner function, without its own", () => {
    const text = [
      "function total(items) {",
      "  const rate = 2",
      "  const all = items.map((item) => {",
      "    return item * rate",
      "  })",
      "  const old = make(items(), {",
      "    rate",
      "  })",
      "  return all // here"
    ]
    assert.deepStrictEqual(
      span(text.join("\n")),
      text.filter((_, at) => at < 2 || at > 4).map((line) => line.trim())
    )
    assert.deepStrictEqual(span("function f(n) {\n  run((n) => { use(n) }) // here"), [
      "function f(n) {",
      "run((n) => { use(n) }) // here"
    ])
  })

  it("are found by the indentation in Python", () => {
    const text = [
      "def total(items):",
      "    result = 0",
      "    return result",
      "",
      "def main(items):",
      "    def inner(result):",
      "        return result",
      "    result = total(items)",
      "    for n in range(3):",
      "        print(result) # here"
    ].join("\n")
    assert.deepStrictEqual(span(text, true), [
      "def main(items):",
      "result = total(items)",
      "for n in range(3):",
      "print(result) # here"
    ])
    assert.deepStrictEqual(span("def f(n):\n    return n\n\nn = 1\nprint(n) # here", true), [
      "n = 1",
      "print(n) # here"
    ])
  })
})
