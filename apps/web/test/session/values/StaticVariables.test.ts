import { assert, describe, it } from "@effect/vitest"
import { keyed, StaticVariables, withPlainName } from "../../../src/session/values/StaticVariables.ts"

const value = (name: string, text: string, more: object = {}) => ({ name, value: text, ...more })

describe("the static variables of a file", () => {
  it("are compared with the last reading before, whatever was read since", () => {
    const variables = new StaticVariables()
    const read = (stop: number, ...values: ReadonlyArray<{ readonly name: string; readonly value: string }>) =>
      variables.record({ file: "/a.c", stop, values, total: values.length }, 1)
    read(2, value("n", "1"), value("m", "5"))
    read(5, value("m", "5"), value("n", "3", { address: "0x10" }))
    read(7, value("n", "3"), value("m", "6"))
    assert.deepStrictEqual(variables.at("/a.c", 5)?.values, [
      { name: "m", value: "5" },
      { name: "n", value: "3", address: "0x10", changed: true, old: "1" }
    ])
    assert.deepStrictEqual(variables.at("/a.c", 2)?.values, [value("m", "5"), value("n", "1")])
    assert.isUndefined(variables.at("/a.c", 3))
    assert.isTrue(variables.wasNotRead("/a.c"))
  })

  it("keep their places; new ones follow by name", () => {
    const variables = new StaticVariables()
    const order = (stop: number, ...names: ReadonlyArray<string>) => {
      variables.record({ file: "/a.c", stop, values: names.map((name) => value(name, "1")), total: names.length }, 1)
      return variables.at("/a.c", stop)?.values.map(({ name }) => name)
    }
    assert.deepStrictEqual(order(1, "n10", "n9", "c"), ["c", "n9", "n10"])
    assert.deepStrictEqual(order(2, "b", "a", "n10", "c", "n9"), ["c", "n9", "n10", "a", "b"])
  })

  it("are not compared with those of an earlier run", () => {
    const variables = new StaticVariables()
    variables.record({ file: "/a.c", stop: 1, values: [value("n", "1")], total: 1 }, 1)
    variables.record({ file: "/a.c", stop: 2, values: [value("n", "2")], total: 1 }, 9)
    assert.deepStrictEqual(variables.at("/a.c", 2)?.values, [value("n", "2")])
  })

  it("are not read again in a run if there are none, or they cannot be read", () => {
    const variables = new StaticVariables()
    variables.record({ file: "/a.c", stop: 1, values: [], total: 0 }, 1)
    variables.refuse("/c.c", 1)
    assert.deepStrictEqual(
      ["/a.c", "/b.c", "/c.c"].map((file) => [variables.mayHave(file, 1), variables.mayHave(file, 2)]),
      [
        [false, true],
        [true, true],
        [false, true]
      ]
    )
    assert.isFalse(variables.wasNotRead("/a.c"))
    assert.isTrue(variables.wasNotRead("/b.c"))
  })

  it("of one name have a row each", () => {
    const two = [value("calls", "1"), value("calls", "100")]
    assert.deepStrictEqual([...keyed(two).keys()], ["calls", "calls 2"])
  })

  it("have the names that their file has for them", () => {
    assert.deepStrictEqual(withPlainName(value("::n", "1")), { name: "n", value: "1", expression: "::n" })
    assert.deepStrictEqual(withPlainName(value("app::n", "1")), value("app::n", "1"))
    const mangled = "shapes::COUNT::h933009ec521ff0f0"
    assert.deepStrictEqual(withPlainName(value(mangled, "1")), {
      name: "shapes::COUNT",
      value: "1",
      expression: mangled
    })
  })
})
