import { assert, describe, it } from "@effect/vitest"
import { Selection } from "@sigtrap/simctl"
import { unchosen } from "../../src/simulator/Errors.ts"

describe("a device that is not found", () => {
  it("is answered with the five names closest in spelling", () => {
    const names = ["iPad Air", "Apple TV", "iPhone 17", "iPhone 17 Pro", "iPhone 16", "iPhone 17e", "Apple Watch"]
    const error = unchosen(new Selection.DeviceNotFound({ selector: "iphone 71 Pro", others: [], names }))
    assert.strictEqual(error.candidates.length, 5)
    assert.strictEqual(error.candidates[0], "iPhone 17 Pro")
    assert.include(error.detail, "no simulator is called 'iphone 71 Pro'; nearest: iPhone 17 Pro, ")
  })

  it("is answered with the runtimes of the name, if there are any", () => {
    const others = ["iPhone 17@26.0"]
    const error = unchosen(new Selection.DeviceNotFound({ selector: "iPhone 17@25", others, names: [] }))
    assert.deepStrictEqual(error.candidates, others)
  })

  it("is answered without candidates if it was named by UDID", () => {
    const selector = "00000000-0000-4000-8000-000000000000"
    const error = unchosen(new Selection.DeviceNotFound({ selector, others: [], names: [] }))
    assert.strictEqual(error.detail, `no simulator is called '${selector}'`)
  })
})
