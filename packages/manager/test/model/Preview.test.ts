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

  it("of a container that is only named gets its elements", () => {
    const elements = [
      { name: "[0]", value: "1" },
      { name: "[1]", value: "2" }
    ]
    assert.strictEqual(Preview.completed("std::set with 2 elements {...}", elements), "std::set with 2 elements {1, 2}")
    const shown = ["{...}", "std::set with 2 elements {...}", "0x7ffe {...}", "{a:{...}}", '"text"']
    assert.deepStrictEqual(shown.map(Preview.showsNoMembers), [true, true, false, false, false])
    assert.isFalse(Preview.isStoppedEarly("main.S {A: 1, ...}"))
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

describe("a preview with its members", () => {
  const inner = {
    value: "{...}",
    members: new Map<string, Preview.Tree>([
      ["a", { value: "1" }],
      ["b", { value: "2" }]
    ])
  }
  const tree = {
    value: "{m:{...}, k:3}",
    members: new Map<string, Preview.Tree>([
      ["m", inner],
      ["k", { value: "3" }]
    ])
  }
  const shown = ({ value }: Preview.Member) => value

  it("is whole if it fits", () => {
    assert.strictEqual(Preview.whole(tree, 72, shown), "{m:{a:1, b:2}, k:3}")
    assert.strictEqual(
      Preview.whole({ ...tree, value: "0x7ffe {m:{...}, ...}" }, 72, shown),
      "0x7ffe {m:{a:1, b:2}, k:3}"
    )
    const list = {
      value: "{{...}, {...}}",
      members: new Map<string, Preview.Tree>([
        ["[0]", inner],
        ["[1]", { value: "{a:3, b:4}" }]
      ])
    }
    assert.strictEqual(Preview.whole(list, 72, shown), "{{a:1, b:2}, {a:3, b:4}}")
    assert.strictEqual(Preview.whole(tree, 19, shown), "{m:{a:1, b:2}, k:3}")
  })

  it("stays cut if it does not fit, or if a member was not read", () => {
    assert.isUndefined(Preview.whole(tree, 18, shown))
    assert.isUndefined(Preview.whole({ ...tree, more: true }, 72, shown))
    assert.isUndefined(
      Preview.whole(
        { value: "{m:{...}}", members: new Map<string, Preview.Tree>([["m", { value: "{...}" }]]) },
        72,
        shown
      )
    )
  })

  it("hides what is secret", () => {
    const hidden = ({ name, value }: Preview.Member) => (name === "b" ? "***" : value)
    assert.strictEqual(Preview.whole(tree, 72, hidden), "{m:{a:1, b:***}, k:3}")
  })
})
