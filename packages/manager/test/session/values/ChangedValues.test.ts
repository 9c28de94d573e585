import { assert, it } from "@effect/vitest"
import { ChangedValues, differ, type SeenValue } from "../../../src/session/values/ChangedValues.ts"

it.each([
  ["1", "1", false],
  ["1", "2", true],
  ["<masked>", "2", undefined],
  ['"a..."', '"b..."', true],
  ['{id:1, name:"a", ...}', '{id:1, name:"a", score:2}', undefined],
  ['{id:1, name:"a", ...}', '{id:1, name:"a", ...}', undefined],
  ["{id:1, ...}", '{id:1, name:"a", ...}', undefined],
  ["{...}", "{id:1}", undefined],
  ["{a:1, in:{...}}", "{a:1, in:{b:2}}", undefined],
  ["{a:1, in:{...}}", "{a:2, in:{...}}", true],
  ["{id:2, ...}", '{id:1, name:"a", score:2}', true],
  ["0x10", "0x10 {id:1}", undefined],
  ["0x10 {id:1, ...}", "0x20 {id:1, score:2}", true]
])("of %s and %s it is known whether they differ: %s", (a, b, expected) => {
  assert.strictEqual(differ({ value: a }, { value: b }), expected)
  assert.strictEqual(differ({ value: b }, { value: a }), expected)
})

const seen = (value: string, members: { readonly [name: string]: string }, more = false): SeenValue => ({
  value,
  members: new Map(Object.entries(members).map(([name, text]) => [name, { value: text }])),
  ...(more ? { more } : {})
})

it("cut values are compared by their members", () => {
  const cut = "{id:1, ...}"
  assert.strictEqual(differ(seen(cut, { id: "1", last: "2" }), seen(cut, { id: "1", last: "2" })), false)
  assert.strictEqual(differ(seen(cut, { id: "1", last: "2" }), seen(cut, { id: "1", last: "3" })), true)
  assert.strictEqual(differ(seen(cut, { id: "1" }), seen("{id:1, last:2}", { id: "1", last: "2" })), true)
  assert.strictEqual(differ(seen(cut, { id: "1", in: "{...}" }), seen(cut, { id: "1", in: "{...}" })), undefined)
  assert.strictEqual(differ(seen(cut, { id: "1" }, true), seen(cut, { id: "1" }, true)), undefined)
  assert.strictEqual(differ(seen(cut, { id: "1" }, true), seen(cut, { id: "2" }, true)), true)
})

it("a changed value has the text of the earlier stop, and an unknown one no mark", () => {
  const changes = new ChangedValues()
  const at = (stop: number, total: string, item: string, last: string) =>
    changes.mark(
      stop,
      "f",
      [
        { name: "total", value: total },
        { name: "item", value: item },
        { name: "rest", value: "{...}" }
      ],
      new Map([["item", seen(item, { last })]])
    )
  at(1, "10", "{id:1, ...}", "5")
  assert.deepStrictEqual(at(2, "20", "{id:1, ...}", "6"), [
    { name: "total", value: "20", changed: true, old: "10" },
    { name: "item", value: "{id:1, ...}", changed: true, old: "{id:1, ...}" },
    { name: "rest", value: "{...}" }
  ])
  assert.deepStrictEqual(
    at(3, "20", "{id:1, ...}", "6").map(({ changed }) => changed),
    [undefined, undefined, undefined]
  )
})
