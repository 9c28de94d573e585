// What is shown inside of an open value between a stop and the answer that reads its members again.
import { assert, describe, it } from "@effect/vitest"
import { awaitedMembers, awaitedTotal, readAgain } from "../../../src/session/values/AwaitedMembers.ts"

const named = (names: ReadonlyArray<string>) => names.map((name) => ({ name, value: `value of ${name}` }))

const read = (count: number, first = 0) => ({
  values: named(Array.from({ length: count }, (_, at) => `[${first + at}]`)),
  first,
  total: first + count,
  counted: first + count
})

const textOf = (values: ReadonlyArray<{ readonly name: string; readonly value: string }>) =>
  values.map(({ name, value }) => `${name}=${value}`)

describe("members that are awaited", () => {
  it("are those of the stop before, without those that are gone", () => {
    assert.deepStrictEqual(textOf(awaitedMembers(read(3), 2)), ["[0]=value of [0]", "[1]=value of [1]"])
    assert.deepStrictEqual(awaitedMembers(read(3), 0), [])
    assert.strictEqual(awaitedTotal(read(3), 2), 2)
  })

  it("have new ones without a value, named after the last one", () => {
    assert.deepStrictEqual(textOf(awaitedMembers(read(1), 3)), ["[0]=value of [0]", "[1]=", "[2]="])
    assert.deepStrictEqual(textOf(awaitedMembers({ ...read(0), values: named(["'a'"]), total: 1, counted: 1 }, 2)), [
      "'a'=value of 'a'",
      "="
    ])
  })

  it("are as many as before if the number is the same or unknown", () => {
    assert.lengthOf(awaitedMembers(read(3), 3), 3)
    assert.lengthOf(awaitedMembers(read(3), undefined), 3)
    assert.lengthOf(awaitedMembers({ ...read(3), counted: undefined }, 5), 3)
  })

  it("count what the debugger adds to the members", () => {
    // Python: two elements and the length of the list.
    const values = named(["0", "1", "len()"])
    assert.lengthOf(awaitedMembers({ values, first: 0, total: 3, counted: 2 }, 1), 2)
  })

  it("fill at most the pages that are read again", () => {
    assert.lengthOf(awaitedMembers(read(100), 101), 100)
    assert.lengthOf(awaitedMembers(read(99), 250), 100)
    assert.lengthOf(awaitedMembers(read(150), 151), 151)
    assert.lengthOf(awaitedMembers(read(10, 40), 52), 12)
    assert.deepStrictEqual([readAgain(0), readAgain(100), readAgain(101)], [100, 100, 200])
  })
})
