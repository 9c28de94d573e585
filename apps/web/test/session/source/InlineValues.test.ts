import { assert, describe, it } from "@effect/vitest"
import type { Value } from "../../../src/connection/Answers.ts"
import { inlineValues as valuesIn } from "../../../src/session/source/InlineValues.ts"
import { scopeLines } from "../../../src/session/source/FunctionLines.ts"

const inlineValues = (
  text: ReadonlyArray<string>,
  current: number,
  values: ReadonlyArray<Value>,
  members: { readonly [name: string]: ReadonlyArray<Value> } = {},
  isOld = false,
  columns = Infinity
) => {
  const code = (index: number) => text[index] ?? ""
  const variables = values.map((value) => ({ value, members: members[value.name] ?? [], isOld }))
  return valuesIn(code, scopeLines(code, current, false), current, variables, () => columns)
}

const lines = [
  "int sum(int *items, int n)",
  "{",
  "  int total = 0;",
  "  for (int i = 0; i < n; i++) {",
  "    total += items[i];",
  "  }"
]

describe("inline values", () => {
  it("that no line below shows have the room of a line before those that are shown below", () => {
    const text = ["total() {", "  for (const { item, count } of lines) {", "    sum += item.price * count", "  }", "}"]
    const code = (index: number) => text[index] ?? ""
    const variables = [
      { name: "sum", type: "number", value: "2.5" },
      { name: "item", type: "Object", value: "{id: 2, price: 4}" },
      { name: "count", type: "number", value: "3" }
    ].map((value) => ({ value, members: [], isOld: false }))
    const values = valuesIn(code, [3, 2, 1], 3, variables, (line) => (line === 3 ? 42 : 27))
    assert.deepStrictEqual(
      [3, 2].map((line) => values.get(line)?.map(({ name }) => name)),
      [["sum", "item"], ["count"]]
    )
  })

  it("of numbers need less room than others, and long ones leave room for those beside them", () => {
    const text = ["int sum(int total, int i, int *items) {", "  total += items[i];", "}"]
    const code = (index: number) => text[index] ?? ""
    const shownIn = (columns: number, values: ReadonlyArray<Value>) =>
      valuesIn(
        code,
        [2, 1],
        2,
        values.map((value) => ({ value, members: [], isOld: false })),
        () => columns
      )
        .get(2)
        ?.map(({ name, value }) => `${name} = ${value}`)
    const [total, i] = [
      { name: "total", value: "30" },
      { name: "i", value: "2" }
    ]
    assert.deepStrictEqual(
      shownIn(28, [
        { ...total, type: "int" },
        { ...i, type: "int" }
      ]),
      ["total = 30", "i = 2"]
    )
    assert.deepStrictEqual(
      shownIn(28, [
        { ...total, type: "Money" },
        { ...i, type: "Money" }
      ]),
      ["total = 30"]
    )
    const items = { name: "items", value: '3 {{name:"The C Programming Language", price:20.25}}' }
    assert.deepStrictEqual(shownIn(42, [{ name: "total", value: '{name:"The C Programming Language"}' }, items]), [
      'total = {name:"The…',
      'items = 3 {{name:"…'
    ])
  })

  it("read each line once, however many members are open", () => {
    let reads = 0
    const code = (index: number) => {
      reads += 1
      return lines[index] ?? ""
    }
    const members = Array.from({ length: 1000 }, (_, at) => ({
      name: `[${at}]`,
      expression: `items[${at}]`,
      value: "7"
    }))
    const variables = [{ value: { name: "items", value: "{...}" }, members, isOld: false }]
    const values = valuesIn(code, [5, 4, 3, 2, 1], 5, variables)
    assert.deepStrictEqual([...values.keys()], [5, 1])
    assert.strictEqual(reads, 5)
  })

  it("are shown where their names occur, pointers above the current line", () => {
    const values = inlineValues(lines, 5, [
      { name: "items", value: "0x00007fffffffe650" },
      { name: "n", value: "3" },
      { name: "total", value: "10", changed: true, old: "0" },
      { name: "i", value: "1" }
    ])
    assert.deepStrictEqual(Object.fromEntries(values), {
      1: [{ name: "items", value: "0x…e650", whole: "0x00007fffffffe650" }],
      3: [{ name: "total", value: "10", old: "0" }],
      4: [
        { name: "i", value: "1" },
        { name: "n", value: "3" }
      ],
      5: [
        { name: "total", value: "10", old: "0" },
        { name: "i", value: "1" }
      ]
    })
  })

  it("are not shown at the same name in another function", () => {
    const text = ["double total(void) {", "  return sum * 2;", "}", "int main(void) {", "  double sum = total();"]
    assert.deepStrictEqual([...inlineValues(text, 5, [{ name: "sum", value: "1" }]).keys()], [5])
    assert.deepStrictEqual([...inlineValues(text.slice(0, 4), 4, [{ name: "sum", value: "1" }]).keys()], [])
  })

  it("take no member and no part of a word for a name, and show no value that cannot be read", () => {
    assert.strictEqual(inlineValues(["a.n = nn;", "p->n"], 2, [{ name: "n", value: "3" }]).size, 0)
    assert.strictEqual(inlineValues(["n = 1"], 1, [{ name: "n", value: "", attributes: ["optimized-out"] }]).size, 0)
  })

  it("are at most three on a line, and short", () => {
    const values = ["a", "b", "c", "d"].map((name) => ({ name, value: "x".repeat(100) }))
    assert.strictEqual(inlineValues(["a b c d"], 1, values).get(1)?.length, 3)
    assert.strictEqual(inlineValues(["a b c d"], 1, values, {}, false, 92).get(1)?.[0]?.value.length, 24)
    assert.strictEqual(inlineValues(["a"], 1, values).get(1)?.[0]?.value.length, 40)
  })

  it("without room on their line are shown on the last line above that has their name and room", () => {
    const text = ["int a = 1, d = 2, e = 3;", "use(d, e);", "use(a, b, c, d, e);", "here();"]
    const names = [..."abcde"]
    const values = inlineValues(
      text,
      4,
      names.map((name) => ({ name, value: "1" }))
    )
    assert.deepStrictEqual(
      [...values].map(([line, row]) => [line, row.map(({ name }) => name).join("")]),
      [
        [3, "abc"],
        [2, "de"]
      ]
    )
  })

  it("are on a line above where the text of their line leaves no room", () => {
    const code = (index: number) => ["int a = 1, b;", "use(a, b);"][index] ?? ""
    const variables = ["a", "b"].map((name) => ({ value: { name, value: "1" }, members: [], isOld: false }))
    const shown = (columns: number) =>
      [...valuesIn(code, [3, 2, 1], 3, variables, (line) => (line === 2 ? columns : 80))].map(([line, row]) => [
        line,
        row.length
      ])
    assert.deepStrictEqual(shown(80), [[2, 2]])
    assert.deepStrictEqual(shown(20), [
      [2, 1],
      [1, 1]
    ])
    assert.deepStrictEqual(shown(0), [[1, 2]])
  })

  it("are shorter where they share a line, with the whole value for a pointer over them", () => {
    const value = { name: "s", value: "{'pen', 'lamp'}", changed: true, old: "{'a', 'b', 'c', 'd'}" }
    const whole = "{'pen', 'lamp'} was {'a', 'b', 'c', 'd'}"
    assert.deepStrictEqual(inlineValues(["s"], 1, [value]).get(1), [
      { name: "s", value: "{'pen', 'lamp'}", old: "{'a', 'b', 'c',…", whole }
    ])
    const long = { name: "t", value: "x".repeat(30) }
    const shown = (text: string) =>
      inlineValues([text], 1, [value, long], {}, false, 70)
        .get(1)
        ?.find(({ name }) => name === "t")
    assert.deepStrictEqual(shown("t"), long)
    assert.deepStrictEqual(shown("s, t"), { name: "t", value: `${"x".repeat(21)}…`, whole: long.value })
  })

  it("are in the order of the text, functions last", () => {
    const text = ['console.log("line", label, format(total)) + big']
    const values = [
      { name: "big", value: "1n", type: "bigint" },
      { name: "format", value: "(value) => value.toFixed(2)", type: "Function" },
      { name: "label", value: "'1 x desk'", type: "string" },
      { name: "total", value: "350", type: "number" }
    ]
    const names = (found: ReadonlyArray<Value>) =>
      inlineValues(text, 1, found)
        .get(1)
        ?.map(({ name }) => name)
    assert.deepStrictEqual(names(values), ["label", "total", "big"])
    assert.deepStrictEqual(names(values.slice(1)), ["label", "total", "format"])
  })
})

describe("members that were read", () => {
  const pointer = { name: "p", value: "0x7fffffffe650 {n:46, peak:82}" }
  const n = { name: "n", value: "46", expression: "p->n", changed: true, old: "92" }

  it("are shown where their expressions occur", () => {
    const text = ["void advance(struct path *p)", "{", "  p->n = p->n % 2 ? 3 * p->n + 1 : p->n / 2;"]
    assert.deepStrictEqual(Object.fromEntries(inlineValues(text, 3, [pointer], { p: [n] })), {
      1: [{ name: "p", value: "→ {n:46, peak:82}", whole: "0x7fffffffe650 {n:46, peak:82}" }],
      3: [{ name: "p->n", value: "46", old: "92" }]
    })
    assert.deepStrictEqual(inlineValues(text, 3, [pointer], { p: [n] }, true).get(3), [
      { name: "p->n", value: "46", old: "92", isOld: true }
    ])
  })

  it("of the object of a method are shown at their names, if no variable hides them", () => {
    const text = ["void add(int k) {", "  total += k;"]
    const self = { name: "this", value: "0x7fffffffe650 {total:1}" }
    const total = { name: "total", value: "1", expression: "this->total" }
    const k = { name: "k", value: "9" }
    const members = { this: [total, { name: "k", value: "7", expression: "this->k" }] }
    assert.deepStrictEqual(inlineValues(text, 2, [self, k], members).get(2), [
      { name: "total", value: "1" },
      { name: "k", value: "9" }
    ])
  })
})

it("a null pointer is shown on the current line too", () => {
  const text = ["int third(struct node *node)", "{", "  node->value = 42;"]
  const values = inlineValues(text, 3, [{ name: "node", value: "0x0" }])
  assert.deepStrictEqual(values.get(3), [{ name: "node", value: "0x0" }])
})

it("a value is not beside a variable of the same name in a loop that has ended", () => {
  const text = ["int f(int i) {", "  for (int i = 0; i < 3; i++) {", "    sum += i;", "  }", "  return sum + i;"]
  const values = inlineValues(text, 5, [
    { name: "i", value: "100" },
    { name: "sum", value: "3" }
  ])
  assert.deepStrictEqual([...values.keys()].toSorted(), [1, 3, 5])
  assert.deepStrictEqual(
    values.get(3)?.map(({ name }) => name),
    ["sum"]
  )
})
