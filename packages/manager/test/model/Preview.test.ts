// Previews that lldb-dap 19 stops after 10 ms. The texts are those of one struct on an idle and on a busy machine.
import { assert, describe, it } from "@effect/vitest"
import * as Preview from "../../src/model/Preview.ts"

const members = [
  { name: "id", value: "1" },
  { name: "name", value: '0x000055555555601a "beta"' },
  { name: "next", value: "0x00007fffffffe000 {id:2, ...}" },
  { name: "inner", value: "{x:1, y:2}" }
]

describe("a preview", () => {
  for (const cut of ["{...}", "{id:1, ...}", '{id:1, name:"beta", ...}'])
    it(`that was stopped at ${cut} gets the members up to the adapter's own limit`, () => {
      assert.strictEqual(Preview.completed(cut, members), '{id:1, name:"beta", next:0x00007fffffffe000, ...}')
      assert.strictEqual(Preview.completed(cut, members.slice(0, 2)), '{id:1, name:"beta"}')
      assert.strictEqual(Preview.completed(`0x00007ffe ${cut}`, members.slice(0, 2)), '0x00007ffe {id:1, name:"beta"}')
    })

  it("names no elements, and says that a member has members", () => {
    const elements = [
      { name: "[0]", value: "10" },
      { name: "[1]", value: "{x:1}" }
    ]
    assert.strictEqual(Preview.completed("{10, ...}", elements), "{10, {...}}")
  })

  it("that the adapter cut at its limit, is whole, is of another form or has other members stays", () => {
    for (const text of [
      "{id:1, next:0x00007fffffffe000, name:1, ...}",
      '{id:1, name:"beta"}',
      "{id = 1, ...}",
      "{id:2, ...}",
      "main.S {A: 1, ...}"
    ])
      assert.strictEqual(Preview.completed(text, members), text)
    assert.strictEqual(Preview.completed("{id:1, ...}", []), "{id:1, ...}")
  })
})
