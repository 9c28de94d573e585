import { assert, describe, it } from "@effect/vitest"
import { Capabilities, Events } from "../src/index.ts"
import { event } from "./support.ts"

describe("events", () => {
  it("are decoded leniently, whichever fields are absent", () => {
    const check = (name: string, body: unknown, expected: unknown) => {
      assert.deepStrictEqual<unknown>(Events.parse(event(name, body)), { event: name, body: expected })
    }
    check("initialized", undefined, {})
    check("terminated", null, {})
    check("stopped", { reason: "pause", threadId: null }, { reason: "pause", hitBreakpointIds: [] })
    check(
      "stopped",
      { reason: "x", threadId: 0, hitBreakpointIds: [0] },
      { reason: "x", threadId: 0, hitBreakpointIds: [0] }
    )
    check("exited", {}, {})
    check(
      "breakpoint",
      { reason: "changed", breakpoint: { id: 0 } },
      { reason: "changed", breakpoint: { id: 0, verified: false } }
    )
    check(
      "module",
      { reason: "new", module: { id: "m", addressRange: "12" } },
      { reason: "new", module: { id: "m", name: "", addressRange: "12" } }
    )
    check("invalidated", {}, { areas: [] })
  })

  it("all have a schema", () => {
    for (const kind of Events.all) assert.include([kind.event, "invalid"], Events.parse(event(kind.event, {})).event)
  })

  it("that are unknown or invalid are data", () => {
    assert.deepStrictEqual(Events.parse(event("custom", { a: 1 })), { event: "other", name: "custom", body: { a: 1 } })
    const invalid = Events.parse(event("stopped", { reason: 7 }))
    assert(invalid.event === "invalid")
    assert.match(invalid.issue, /reason/)
    assert.deepStrictEqual([invalid.name, invalid.body], ["stopped", { reason: 7 }])
  })
})

describe("capabilities", () => {
  it("have the exception filters with an id", () => {
    const merged = Capabilities.merge(Capabilities.none, {
      exceptionBreakpointFilters: [
        { filter: "cpp_throw", label: "C++ Throw", default: null },
        { label: "no filter" },
        7
      ]
    })
    assert.deepStrictEqual(Capabilities.exceptionFilters(merged), [{ filter: "cpp_throw", label: "C++ Throw" }])
    assert.deepStrictEqual(Capabilities.exceptionFilters(Capabilities.none), [])
  })

  it("are not changed by an announcement that is not an object", () => {
    for (const bad of [undefined, null, [], "x"])
      assert.strictEqual(Capabilities.merge(Capabilities.none, bad), Capabilities.none)
  })
})
