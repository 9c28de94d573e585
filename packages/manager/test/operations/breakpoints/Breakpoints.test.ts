// Breakpoints that are set, moved, replaced and removed: what answers show, and what the debugger has.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FakeBackend } from "../../../src/testing/index.ts"
import { call, code, fakeWith, over } from "../../support.ts"
import { file, ids, list, sent } from "../../breakpoints/breakpointLists.ts"
import { inMain } from "../../stoppedSessions.ts"

describe("a breakpoint", () => {
  it.effect("has its resolved location", () =>
    inMain(() =>
      Effect.gen(function* () {
        const { data } = yield* call.break("app.c:9")
        assert.deepInclude(data, { id: 2, kind: "line", resolved: true, moved: true, by: "adapter" })
        assert.deepStrictEqual(data.locations, [{ file, line: 10 }])
        assert.deepStrictEqual(data.requested, { text: "app.c:9", file, line: 9, line_text: "/* a comment */" })
        assert.isFalse((yield* call.break("app.c:10")).data.moved)
        const square = (yield* call.break("square")).data
        assert.deepInclude(square, { id: 4, kind: "function", moved: false })
      })
    )
  )

  it.effect("can be relative to the current line", () =>
    inMain(() =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* call.break("+3")).data.locations, [{ file, line: 10 }])
        assert.deepStrictEqual((yield* call.break("13")).data.locations, [{ file, line: 13 }])
        assert.strictEqual(yield* code(call.break("-100")), "INVALID_LOCATION")
        yield* call.remove([], { all: true })
        yield* call.continue()
        assert.strictEqual(yield* code(call.break("app.c:10")), "PROCESS_ENDED")
      })
    )
  )

  it.effect.each([
    ["squar", ["square"]],
    ["ap.c:10", ["app.c"]],
    ["nofunction", []],
    ["app.c:9999", ["app.c:13"]]
  ] as const)("at %s names similar functions, files and lines: %j", ([at, near]) =>
    inMain(() =>
      Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(call.break(at)), { _tag: "BreakpointUnresolved", near: [...near] })
      })
    )
  )

  it.effect.each(["app.c:9999", "nofile.c:3", "nofunction"])("at %s is an error and creates nothing", (at) =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        yield* call.break("app.c:10")
        assert.strictEqual(yield* code(call.break(at)), "BREAKPOINT_UNRESOLVED")
        assert.deepStrictEqual(yield* ids, [1, 2])
        assert.deepStrictEqual(sent(debuggee), [[2, 10]])
        assert.deepStrictEqual(sent(debuggee, ""), [[1, undefined]])
      })
    )
  )

  it.effect("that is pending is resolved when its library is loaded", () =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        assert.isFalse((yield* call.break("plugin.c:3", { pending: true })).data.resolved)
        debuggee.load()
        const [, found] = yield* list
        assert.deepInclude(found, { resolved: true, moved: false, locations: [{ file: "/src/plugin.c", line: 3 }] })
        assert.isUndefined(found?.reason)
      })
    )
  )

  it.effect("is updated when the debugger moves it or loses its location", () =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        yield* call.break("app.c:10")
        debuggee.placed({ id: 2, resolved: true, locations: [{ file, line: 11 }] })
        assert.deepInclude((yield* list)[1], { moved: true, locations: [{ file, line: 11 }] })
        debuggee.placed({ id: 2, resolved: false, locations: [], reason: "unloaded" })
        assert.deepInclude((yield* list)[1], { resolved: false, moved: false, reason: "unloaded" })
        debuggee.placed({ id: 99, resolved: true, locations: [] })
        assert.deepStrictEqual(yield* ids, [1, 2])
      })
    )
  )

  it.effect("at the place of another one replaces its condition", () =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        const first = (yield* call.break("app.c:10 if i > 1")).data
        assert.isUndefined(first.existing)
        const again = (yield* call.break("./app.c:10")).data
        assert.deepInclude(again, { id: first.id, existing: true, condition: "i > 1" })
        const before = debuggee.count("setBreakpoints")
        yield* call.break("app.c:10", { condition: "i > 1" })
        assert.strictEqual(debuggee.count("setBreakpoints"), before)
        const changed = (yield* call.break("app.c:10", { condition: "i > 2" })).data
        assert.deepInclude(changed, { id: first.id, existing: true, condition: "i > 2" })
        assert.deepStrictEqual(sent(debuggee), [[2, 10, "i > 2"]])
        assert.strictEqual(yield* code(call.break("app.c:10 if a", { condition: "b" })), "USAGE")
        const unclosed = yield* Effect.flip(call.break("app.c:11 if n > (2"))
        assert.strictEqual(unclosed.message, "the condition 'n > (2' cannot be parsed: '(' is not closed")
      })
    )
  )

  it.effect("is sent at a start in one list for each file", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:10", "main", "app.c:13", "app.c:10 if i > 1"] })
        const debuggee = yield* fake.newest
        assert.deepStrictEqual(yield* ids, [1, 2, 3, 4])
        assert.deepStrictEqual(sent(debuggee), [
          [1, 10],
          [3, 13],
          [4, 10, "i > 1"]
        ])
        // One list of lines and one of functions.
        assert.strictEqual(debuggee.count("setBreakpoints"), 2)
      })
    )
  })

  it.effect("that must not move is refused also at the place of one that moved", () =>
    inMain(() =>
      Effect.gen(function* () {
        assert.isTrue((yield* call.break("app.c:9")).data.moved)
        assert.strictEqual(yield* code(call.break("app.c:9", { snap: "off" })), "BREAKPOINT_UNRESOLVED")
        assert.deepStrictEqual(yield* ids, [1, 2])
      })
    )
  )

  it.effect("does not stop while its condition is false", () => {
    const fake = fakeWith({})
    fake.program = {
      ...fake.program,
      holds: (condition, { stack }) => stack[0].variables?.["i"] === condition.replace("i == ", "")
    }
    return over(
      fake,
      Effect.gen(function* () {
        const { data } = yield* call.start({ break: ["app.c:10 if i == 3"] })
        assert.strictEqual(data.locals?.find(({ name }) => name === "i")?.value, "3")
        assert.deepStrictEqual(data.hit_counts, [1])
      })
    )
  })
})

describe("the numbers of breakpoints", () => {
  it.effect("are never reused", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:10")
        yield* call.remove([2])
        assert.strictEqual((yield* call.break("app.c:10")).data.id, 3)
        yield* call.remove([], { all: true })
        assert.strictEqual((yield* call.break("main")).data.id, 4)
      })
    )
  )
})

describe("removing breakpoints", () => {
  it.effect("sends the remaining list", () =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        for (const at of ["app.c:10", "app.c:11", "square"]) yield* call.break(at)
        const { data } = yield* call.remove([2, 4])
        assert.deepStrictEqual(data.ids, [2, 4])
        assert.deepStrictEqual(sent(debuggee), [[3, 11]])
        assert.deepStrictEqual(sent(debuggee, ""), [[1, undefined]])
        assert.deepStrictEqual(yield* ids, [1, 3])
      })
    )
  )

  it.effect("removes none when one is unknown", () =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        yield* call.break("app.c:10")
        const before = debuggee.count("setBreakpoints")
        const error = yield* Effect.flip(call.remove([1, 7, 2]))
        assert.deepInclude(error, { _tag: "BreakpointNotFound", ids: [7], known: [1, 2], session: "default" })
        assert.strictEqual(debuggee.count("setBreakpoints"), before)
        assert.strictEqual(yield* code(call.remove([])), "USAGE")
        assert.deepStrictEqual(yield* ids, [1, 2])
      })
    )
  )

  it.effect("works after the program has ended", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:13"] })
        yield* call.continue()
        assert.deepInclude((yield* list)[0], { id: 1, hit_count: 1 })
        assert.deepStrictEqual((yield* call.remove([1])).data.ids, [1])
        assert.deepStrictEqual(yield* ids, [])
      })
    )
  )
})
