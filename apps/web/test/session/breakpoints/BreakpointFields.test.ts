import { assert, describe, it } from "@effect/vitest"
import type { Breakpoint } from "../../../src/connection/Answers.ts"
import {
  breakCommand,
  clearedOf,
  editCommand,
  fieldsOf,
  limitsOf,
  signOf
} from "../../../src/session/breakpoints/BreakpointFields.ts"

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

describe("a breakpoint", () => {
  const plain: Breakpoint = {
    id: 2,
    kind: "line",
    requested: { text: "app.c:16" },
    resolved: true,
    locations: [],
    enabled: true,
    hit_count: 0,
    temporary: false,
    moved: false,
    by: "manager"
  }
  const limits = (more: Partial<Breakpoint>) =>
    limitsOf({ ...plain, ...more }).map(({ code, words }) => (code === undefined ? words : `${words} ${code}`))

  it("says when it stops the program, and what it does there", () => {
    assert.deepStrictEqual(limits({}), [])
    assert.deepStrictEqual(limits({ condition: "n > 2", hits_wanted: "==2" }), ["when n > 2", "at hit 2"])
    assert.deepStrictEqual(limits({ hits_wanted: "3" }), ["from hit 3 on"])
    assert.deepStrictEqual(limits({ hits_wanted: ">=3" }), ["from hit 3 on"])
    assert.deepStrictEqual(limits({ hits_wanted: "%3" }), ["at every 3rd hit"])
    assert.deepStrictEqual(limits({ hits_wanted: "<= 3" }), ["at hit <= 3"])
    assert.deepStrictEqual(limits({ log: "i is {i}", max: 10, continue: true }), [
      "writes i is {i}",
      "off after 10 messages"
    ])
    assert.deepStrictEqual(limits({ thread: 2, continue: true }), ["in thread 2", "does not stop"])
  })

  it("has the sign of what it does, also for a hit count", () => {
    const signs = [{}, { condition: "n > 2" }, { hits_wanted: "3" }, { log: "n", condition: "n" }, { enabled: false }]
    assert.deepStrictEqual(
      signs.map((more) => signOf({ ...plain, ...more })),
      ["on", "when", "when", "log", "off"]
    )
  })
})
