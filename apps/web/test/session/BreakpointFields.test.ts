import { assert, describe, it } from "@effect/vitest"
import { breakCommand, clearedOf, editCommand, fieldsOf } from "../../src/session/BreakpointFields.ts"

describe("the fields of a breakpoint", () => {
  it("name the options of the command that sets it", () => {
    const fields = fieldsOf({ condition: "i > 2 && *p == 'a'", hits: "3", log: "" })
    assert.strictEqual(
      breakCommand("app.c", 14, fields, "app"),
      String.raw`sigtrap break app.c:14 --if 'i > 2 && *p == '\''a'\''' --hits 3 --session app`
    )
  })

  it("name the options of the command that changes it, also of those that it removes", () => {
    const known = { condition: "i > 1", hits_wanted: ">=3", log: "i is {i}" }
    const fields = fieldsOf({ condition: "i > 2", hits: "", log: "" })
    assert.deepStrictEqual(clearedOf({}, fields), {})
    assert.deepStrictEqual(clearedOf(known, fields), { no_hits: true, no_log: true })
    assert.strictEqual(
      editCommand(2, { ...fields, ...clearedOf(known, fields) }, "app"),
      "sigtrap breakpoint edit 2 --condition 'i > 2' --no-hits --no-log --session app"
    )
  })
})
