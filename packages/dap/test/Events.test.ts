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

  it("with numbers that are not integers have none there", () => {
    for (const wrong of ["1e300", "1.5", "1e999", "9007199254740993", '"7"', "[]", "{}", "true", "null"]) {
      const read = (name: string, body: string) =>
        Events.parse(event(name, JSON.parse(body.replaceAll("N", wrong)))).body
      assert.deepStrictEqual(
        read("stopped", '{"reason":"step","threadId":N,"hitBreakpointIds":[N,2]}'),
        { reason: "step", hitBreakpointIds: [2] },
        wrong
      )
      assert.deepStrictEqual(read("stopped", '{"reason":"step","hitBreakpointIds":N}'), {
        reason: "step",
        hitBreakpointIds: []
      })
      assert.deepStrictEqual(read("continued", '{"threadId":N}'), {})
      assert.deepStrictEqual(read("exited", '{"exitCode":N}'), {}, wrong)
      assert.deepStrictEqual(read("process", '{"name":"a","systemProcessId":N}'), { name: "a" }, wrong)
      assert.deepStrictEqual(read("breakpoint", '{"reason":"new","breakpoint":{"id":1,"line":N}}'), {
        reason: "new",
        breakpoint: { id: 1, verified: false }
      })
    }
    const stopped = { reason: "step", threadId: -5, hitBreakpointIds: [-1] }
    assert.deepStrictEqual<unknown>(Events.parse(event("stopped", stopped)), { event: "stopped", body: stopped })
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
