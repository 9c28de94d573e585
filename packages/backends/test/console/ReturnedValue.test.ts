// Which returned values are shown. The texts are those of sigtrap's Python and of LLDB 19.
import { assert, describe, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import * as ReturnedValue from "../../src/console/lldb/values/ReturnedValue.ts"

const returned = (type: string, value: string): Backend.Value => ({
  name: "return",
  kind: "return",
  handle: 0,
  type,
  value
})

describe("a returned value", () => {
  it("is that of the command", () => {
    assert.deepStrictEqual(ReturnedValue.parse('{"type": "Color", "value": "Green"}\n'), returned("Color", "Green"))
    assert.deepStrictEqual(ReturnedValue.parse('{"type": "char", "value": "\'c\'"}'), returned("char", "99 'c'"))
  })

  it("is said to be unknown if only its type is known", () => {
    const value = ReturnedValue.parse('{"type": "Guard"}')
    assert.include(typeof value === "object" ? value.value : "", "<unknown: ")
  })

  it("is absent for a function that returns none", () => assert.strictEqual(ReturnedValue.parse("{}"), "none"))

  it("is LLDB's own without Python, if it is a scalar", () => {
    const info = (value: string) => `thread #1: tid = 7, stop reason = step out\nReturn value: ${value}\n`
    assert.strictEqual(ReturnedValue.parse("error: 'sigtrap-returned' is not a valid command.\n"), "other")
    assert.deepStrictEqual(ReturnedValue.scalar(info("(int) $0 = 60")), returned("int", "60"))
    assert.isUndefined(ReturnedValue.scalar(info("(Number) $0 = {\n  i = 235\n}")))
    assert.isUndefined(ReturnedValue.scalar(info("(pair) $0 = (a = 1, b = 2)")))
  })
})
