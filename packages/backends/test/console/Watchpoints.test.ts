import { assert, describe, it } from "@effect/vitest"
import * as Watchpoints from "../../src/console/lldb/breakpoints/Watchpoints.ts"

describe("the parts of watched memory", () => {
  it("fit debug registers, and cover the memory without what is beside it", () => {
    for (let start = 0; start < 16; start++) {
      for (let size = 1; size <= 40; size++) {
        const parts = Watchpoints.partsOf({ address: `0x${(0x7ffe1000 + start).toString(16)}`, size, access: "write" })
        let at = 0x7ffe1000 + start
        for (const part of parts) {
          assert.strictEqual(Number(part.address), at)
          assert.include([1, 2, 4, 8], part.size)
          assert.strictEqual(at % part.size, 0)
          assert.strictEqual(part.access, "write")
          at += part.size
        }
        assert.strictEqual(at, 0x7ffe1000 + start + size)
      }
    }
  })

  it("are one for memory that fits a register", () => {
    for (const size of [1, 2, 4, 8]) {
      const watch = { address: "0x7fffffffe650", size, access: "write" } as const
      assert.deepStrictEqual(Watchpoints.partsOf(watch), [watch])
    }
  })
})
