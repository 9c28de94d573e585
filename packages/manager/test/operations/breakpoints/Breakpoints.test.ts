import { assert, describe, it } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FakeBackend } from "../../../src/testing/index.ts"
import { call, calls, code, fakeWith, over, settle } from "../../support.ts"

const file = "/src/app.c"
const refusal = new Errors.AdapterError({ command: "setBreakpoints", detail: "no" })

/** A session stopped in `main`, by breakpoint 1. */
const stopped = <A, E, R>(
  test: (fake: FakeBackend.Fake, debuggee: Effect.Success<FakeBackend.Fake["newest"]>) => Effect.Effect<A, E, R>
) => {
  const fake = FakeBackend.make()
  return {
    fake,
    run: Effect.andThen(
      call.start({ break: ["main"] }),
      Effect.flatMap(fake.newest, (debuggee) => test(fake, debuggee))
    )
  }
}

const list = Effect.map(call.breakpoints(), ({ data }) => data.breakpoints)
const ids = Effect.map(list, (all) => all.map(({ id }) => id))

const sent = (debuggee: Effect.Success<FakeBackend.Fake["newest"]>, group = file) =>
  debuggee.lists
    .get(group)
    ?.map(({ condition, id, line }) => (condition === undefined ? [id, line] : [id, line, condition]))

describe("a breakpoint", () => {
  it.effect("has its resolved location", () => {
    const { fake, run } = stopped(() =>
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
    return over(fake, run)
  })

  it.effect("is sent in one list with those of other callers, and is refused alone", () => {
    const { fake, run } = stopped((_, debuggee) =>
      Effect.gen(function* () {
        const before = debuggee.requests.length
        const [one, refused, two, same] = yield* Effect.all(
          [
            call.break("app.c:10"),
            Effect.flip(call.break("app.c:999")),
            call.break("app.c:13"),
            call.break("app.c:13"),
            call.break("app.c:7"),
            call.break("app.c:8"),
            call.break("app.c:11")
          ],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(refused._tag, "BreakpointUnresolved")
        assert.deepInclude(one.data, { resolved: true, locations: [{ file, line: 10 }] })
        assert.deepInclude(two.data, { resolved: true, locations: [{ file, line: 13 }] })
        assert.strictEqual(same.data.id, two.data.id)
        assert.deepStrictEqual((yield* ids).slice(0, 3), [1, one.data.id, two.data.id])
        assert.deepStrictEqual(
          sent(debuggee)?.map(([, line]) => line),
          [10, 13, 7, 8, 11]
        )
        const lists = debuggee.requests.slice(before).filter(({ request }) => request === "setBreakpoints")
        // The first one, all that waited meanwhile, and the list without the refused one.
        assert.lengthOf(lists, 3)
      })
    )
    return over(fake, run)
  })

  for (const yields of [0, 1, 2, 4, 8, 16, 32, 64]) {
    it.effect(`is set although other callers give up beside it, after ${yields} turns`, () => {
      const { fake, run } = stopped((_, debuggee) =>
        Effect.gen(function* () {
          const lines = [7, 8, 10, 11, 13]
          const fibers = yield* Effect.forEach(lines, (line) => Effect.forkChild(call.break(`app.c:${line}`)))
          for (let turn = 0; turn < yields; turn++) yield* Effect.yieldNow
          const [first, second, third, fourth, fifth] = fibers
          yield* Effect.all(
            [first, second, fourth].flatMap((one) => (one === undefined ? [] : Fiber.interrupt(one))),
            {
              concurrency: "unbounded"
            }
          )
          const stayed = yield* Effect.forEach([third, fifth], (one) =>
            one === undefined ? Effect.die("no fiber") : Fiber.join(one)
          )
          assert.deepStrictEqual(
            stayed.map(({ data }) => data.locations[0]?.line),
            [10, 13]
          )
          const last = yield* call.break("app.c:9")
          assert.includeMembers([...(yield* ids)], [...stayed.map(({ data }) => data.id), last.data.id])
          assert.includeMembers(sent(debuggee)?.map(([, line]) => line) ?? [], [10, 13, 9])
        })
      )
      return over(fake, run)
    })
  }

  it.effect("that a debugger refuses with others is tried alone", () => {
    const { fake, run } = stopped((debuggers) =>
      Effect.gen(function* () {
        const [one, , two, three] = yield* Effect.all(
          [
            call.break("app.c:7"),
            Effect.sync(() => debuggers.fault("setBreakpoints", { kind: "refuse", error: refusal })),
            call.break("app.c:10"),
            call.break("app.c:13")
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* ids, [1, one.data.id, two.data.id, three.data.id])
      })
    )
    return over(fake, run)
  })

  it.effect("with the count ==N leaves the debugger after hit N, and returns when the count changes", () => {
    const { fake, run } = stopped((_, debuggee) =>
      Effect.gen(function* () {
        const { id } = (yield* call.break("app.c:10", { hits: "==1" })).data
        assert.deepStrictEqual((yield* call.continue()).data.breakpoints, [id])
        assert.deepStrictEqual(sent(debuggee), [[id, 10]])
        yield* call.continue()
        assert.deepStrictEqual(sent(debuggee), [])
        assert.deepInclude((yield* list).find((one) => one.id === id) ?? {}, { enabled: true, hit_count: 1 })
      })
    )
    return over(fake, run)
  })

  it.effect("can be relative to the current line", () => {
    const { fake, run } = stopped(() =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* call.break("+3")).data.locations, [{ file, line: 10 }])
        assert.deepStrictEqual((yield* call.break("13")).data.locations, [{ file, line: 13 }])
        assert.strictEqual(yield* code(call.break("-100")), "INVALID_LOCATION")
        yield* call.remove([], { all: true })
        yield* call.continue()
        assert.strictEqual(yield* code(call.break("app.c:10")), "PROCESS_ENDED")
      })
    )
    return over(fake, run)
  })

  it.effect.each([
    ["squar", ["square"]],
    ["ap.c:10", ["app.c"]],
    ["nofunction", []],
    ["app.c:9999", ["app.c:13"]]
  ] as const)("at %s names similar functions, files and lines: %j", ([at, near]) => {
    const { fake, run } = stopped(() =>
      Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(call.break(at)), { _tag: "BreakpointUnresolved", near: [...near] })
      })
    )
    return over(fake, run)
  })

  it.effect.each(["app.c:9999", "nofile.c:3", "nofunction"])("at %s is an error and creates nothing", (at) => {
    const { fake, run } = stopped((_, debuggee) =>
      Effect.gen(function* () {
        yield* call.break("app.c:10")
        assert.strictEqual(yield* code(call.break(at)), "BREAKPOINT_UNRESOLVED")
        assert.deepStrictEqual(yield* ids, [1, 2])
        assert.deepStrictEqual(sent(debuggee), [[2, 10]])
        assert.deepStrictEqual(sent(debuggee, ""), [[1, undefined]])
      })
    )
    return over(fake, run)
  })

  it.effect("that is pending is resolved when its library is loaded", () => {
    const { fake, run } = stopped((_, debuggee) =>
      Effect.gen(function* () {
        assert.isFalse((yield* call.break("plugin.c:3", { pending: true })).data.resolved)
        debuggee.load()
        const [, found] = yield* list
        assert.deepInclude(found, { resolved: true, moved: false, locations: [{ file: "/src/plugin.c", line: 3 }] })
        assert.isUndefined(found?.reason)
      })
    )
    return over(fake, run)
  })

  it.effect("is updated when the debugger moves it or loses its location", () => {
    const { fake, run } = stopped((_, debuggee) =>
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
    return over(fake, run)
  })

  it.effect("at the place of another one replaces its condition", () => {
    const { fake, run } = stopped((_, debuggee) =>
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
    return over(fake, run)
  })

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

  it.effect("that must not move is refused also at the place of one that moved", () => {
    const { fake, run } = stopped(() =>
      Effect.gen(function* () {
        assert.isTrue((yield* call.break("app.c:9")).data.moved)
        assert.strictEqual(yield* code(call.break("app.c:9", { snap: "off" })), "BREAKPOINT_UNRESOLVED")
        assert.deepStrictEqual(yield* ids, [1, 2])
      })
    )
    return over(fake, run)
  })

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
  it.effect("are never reused", () => {
    const { fake, run } = stopped(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:10")
        yield* call.remove([2])
        assert.strictEqual((yield* call.break("app.c:10")).data.id, 3)
        yield* call.remove([], { all: true })
        assert.strictEqual((yield* call.break("main")).data.id, 4)
      })
    )
    return over(fake, run)
  })
})

describe("removing breakpoints", () => {
  it.effect("sends the remaining list", () => {
    const { fake, run } = stopped((_, debuggee) =>
      Effect.gen(function* () {
        for (const at of ["app.c:10", "app.c:11", "square"]) yield* call.break(at)
        const { data } = yield* call.remove([2, 4])
        assert.deepStrictEqual(data.ids, [2, 4])
        assert.deepStrictEqual(sent(debuggee), [[3, 11]])
        assert.deepStrictEqual(sent(debuggee, ""), [[1, undefined]])
        assert.deepStrictEqual(yield* ids, [1, 3])
      })
    )
    return over(fake, run)
  })

  it.effect("removes none when one is unknown", () => {
    const { fake, run } = stopped((_, debuggee) =>
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
    return over(fake, run)
  })

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

describe("a list that the debugger refuses", () => {
  it.effect("leaves the breakpoints of debugger and registry unchanged", () => {
    const { fake, run } = stopped((fake, debuggee) =>
      Effect.gen(function* () {
        yield* call.break("app.c:10 if i")
        const before = yield* list
        for (const kind of ["refuse", "deny"] as const) {
          for (const change of calls(call.break("app.c:11"), call.break("app.c:10 if n"), call.remove([2]))) {
            fake.fault("setBreakpoints", { kind, error: refusal })
            assert.strictEqual(yield* code(change), "ADAPTER_ERROR")
            assert.deepStrictEqual(yield* list, before)
            assert.deepStrictEqual(sent(debuggee), [[2, 10, "i"]])
          }
        }
      })
    )
    return over(fake, run)
  })
})

describe("a debugger that does not answer", () => {
  it.effect("fails the edit at its deadline, and is asked to undo it for one second only", () => {
    const { fake, run } = stopped(() =>
      Effect.gen(function* () {
        const before = yield* list
        const late = new Errors.RequestTimeout({ command: "setBreakpoints", after_ms: 30_000 })
        for (const change of calls(call.break("app.c:11"), call.remove([1]))) {
          fake.fault("setBreakpoints", { kind: "refuse", error: late })
          fake.fault("setBreakpoints", { kind: "hold", until: Effect.never })
          const failing = yield* Effect.forkChild(code(change))
          yield* TestClock.adjust("1 second")
          assert.strictEqual(yield* Fiber.join(failing), "REQUEST_TIMEOUT")
          assert.deepStrictEqual(yield* list, before)
        }
      })
    )
    return over(fake, run)
  })
})

describe("hits", () => {
  it.effect("are counted for each thread that reports them, in any order", () => {
    const fake = fakeWith({})
    fake.program = {
      ...fake.program,
      threads: [{ id: 1, name: "app" }, { id: 2 }, { id: 3 }],
      moments: fake.program.moments.map((moment) => ({ ...moment, others: [2, 3] }))
    }
    return over(
      fake,
      Effect.gen(function* () {
        for (const [focus, others] of [
          ["first", "together"],
          ["first", "late"],
          ["first", "later"],
          ["last", "together"],
          ["last", "late"]
        ] as const) {
          fake.conduct = { ...fake.conduct, focus, others }
          const first = yield* call.start({ break: ["app.c:10"], replace: true })
          const hits = Effect.map(
            Effect.andThen(settle, call.breakpoints()),
            ({ data }) => data.breakpoints[0]?.hit_count
          )
          assert.deepStrictEqual([first.stop, yield* hits], [1, 3])
          assert.strictEqual(first.data.thread?.id, 1)
          assert.deepStrictEqual(first.data.other_threads?.map(({ id }) => id).toSorted(), [2, 3])
          const second = yield* call.continue()
          assert.deepStrictEqual([second.stop, second.data.breakpoints, yield* hits], [2, [1], 6])
        }
      })
    )
  })

  it.effect("are not counted after the end", () => {
    const { fake, run } = stopped((_, debuggee) =>
      Effect.gen(function* () {
        yield* call.break("app.c:10")
        debuggee.exit({ exit_code: 0 })
        debuggee.emit({
          _tag: "Stopped",
          reason: "breakpoint",
          raw_reason: "",
          thread: 1,
          breakpoints: [2],
          focus: true
        })
        yield* settle
        assert.deepStrictEqual(
          (yield* list).map(({ hit_count }) => hit_count),
          [1, 0]
        )
      })
    )
    return over(fake, run)
  })
})
