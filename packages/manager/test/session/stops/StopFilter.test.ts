import { assert, describe, it } from "@effect/vitest"
import { Errors, type Event, Expression } from "@sigtrap/protocol"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as TextAnchor from "../../../src/model/sources/TextAnchor.ts"
import { cppType } from "../../../src/model/crashes/CppException.ts"
import { Behaviour, FakeBackend, SimulatedProgram } from "../../../src/testing/index.ts"
import { call, code, fakeWith, over, settle } from "../../support.ts"

/** The report that another thread is at a breakpoint. */
const other = (thread: number, breakpoint: number): Event.Event => ({
  _tag: "Stopped",
  reason: "breakpoint",
  raw_reason: "breakpoint",
  thread,
  breakpoints: [breakpoint],
  focus: false
})

describe("a breakpoint that several threads hit", () => {
  it.effect("is counted for each thread, but not again for a thread that did not run", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:2"] })
        const debuggee = yield* fake.newest
        const hits = Effect.map(call.breakpoints(), ({ data }) => data.breakpoints[0]?.hit_count)
        for (const thread of [21, 21, 22]) debuggee.emit(other(thread, 1))
        assert.strictEqual(yield* hits, 3)
        yield* call.next()
        for (const thread of [21, 22, 23]) debuggee.emit(other(thread, 1))
        assert.strictEqual(yield* hits, 4)
        yield* call.continue()
      })
    )
  })
})

describe("a stop by SIGTRAP", () => {
  const trapping = (trapped: NonNullable<Behaviour.Behaviour["trapped"]>) => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.break("app.c:3")
        fake.behaviour = { ...fake.behaviour, trapped }
        const { data } = yield* call.continue()
        return { data, breakpoint: (yield* call.breakpoints()).data.breakpoints[1] }
      })
    )
  }

  it.effect("is one at the breakpoint whose trap instruction is there", () =>
    Effect.gen(function* () {
      const { breakpoint, data } = yield* trapping((hit) => hit)
      assert.deepInclude(data, { event: "stopped", reason: "breakpoint", breakpoints: [2], hit_counts: [1] })
      assert.notProperty(data, "signal")
      assert.notProperty(data, "description")
      assert.strictEqual(breakpoint?.hit_count, 1)
    })
  )

  it.effect("is not reported if no breakpoint there stops the program, as by its condition", () =>
    Effect.gen(function* () {
      const { breakpoint, data } = yield* trapping(() => [])
      assert.deepInclude(data, { event: "exited" })
      assert.strictEqual(breakpoint?.hit_count, 0)
    })
  )

  it.effect("is one by the signal if no breakpoint is there", () =>
    Effect.gen(function* () {
      const { data } = yield* trapping(() => undefined)
      assert.deepInclude(data, { event: "stopped", reason: "signal", signal: "SIGTRAP" })
    })
  )
})

describe("a breakpoint that is changed while the program runs", () => {
  /** Runs the program until the test stops it. */
  const running = (fake: FakeBackend.Fake) =>
    Effect.gen(function* () {
      yield* call.start({ break: ["app.c:2"] })
      yield* call.break("app.c:3")
      fake.behaviour = { ...fake.behaviour, pace: "on demand" }
      yield* call.continue({ wait: false })
      return yield* fake.newest
    })

  it.effect("does not stop the program after it was removed or disabled", () =>
    Effect.forEach([call.remove([2]), call.disable([2])], (change) => {
      const fake = FakeBackend.make()
      return over(
        fake,
        Effect.gen(function* () {
          const debuggee = yield* running(fake)
          yield* change
          fake.behaviour = { ...Behaviour.plain, pace: "on demand", trapped: () => [] }
          debuggee.emit(other(1, 2))
          yield* settle
          assert.strictEqual(debuggee.count("goOn"), 1)
        })
      )
    })
  )

  it.effect("stops the program only if the condition that it was set with holds", () => {
    const fake = FakeBackend.make({ ...SimulatedProgram.sample, expressions: { "n > 5": "false", "n < 5": "true" } })
    return over(
      fake,
      Effect.gen(function* () {
        const debuggee = yield* running(fake)
        yield* call.break("app.c:11", { condition: "n > 5" })
        debuggee.stopAt([3])
        yield* settle
        assert.strictEqual(debuggee.count("goOn"), 1)
        yield* call.break("app.c:12", { condition: "n < 5" })
        debuggee.stopAt([4])
        assert.deepInclude((yield* call.wait()).data, { reason: "breakpoint", breakpoints: [4], hit_counts: [1] })
      })
    )
  })
})

describe("a breakpoint whose hits the manager counts", () => {
  it.effect("stops at the requested hits and reports no others", () =>
    Effect.forEach(
      ["before the answer", "after the answer"] as const,
      (pace) => {
        const fake = fakeWith({ pace })
        return over(
          fake,
          Effect.gen(function* () {
            yield* call.start({ break: ["main"] })
            assert.deepInclude((yield* call.break("app.c:3", { hits: "==2" })).data, {
              by: "manager",
              hits_wanted: "==2"
            })
            const second = yield* call.continue()
            assert.deepStrictEqual([second.stop, second.data.breakpoints, second.data.hit_counts], [2, [2], [2]])
            assert.deepInclude((yield* call.continue()).data, { event: "exited" })
            const [, counted] = (yield* call.breakpoints()).data.breakpoints
            // The debugger does not have it after its hit.
            assert.strictEqual(counted?.hit_count, 2)
          })
        )
      },
      { discard: true }
    )
  )

  it.effect("counts and writes the hits of all threads beside the stop of another breakpoint", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.break("app.c:3")
        yield* call.logpoint("app.c:11", "worker", { hits: "<9" })
        const answered = Deferred.makeUnsafe<void>()
        fake.fault("threads", { kind: "hold", until: Deferred.await(answered) })
        const continued = yield* Effect.forkChild(call.continue())
        yield* settle
        const debuggee = yield* fake.newest
        for (const thread of [21, 22]) debuggee.emit(other(thread, 3))
        Deferred.doneUnsafe(answered, Exit.void)
        const { data } = yield* Fiber.join(continued)
        assert.deepInclude(data, { reason: "breakpoint", breakpoints: [2], hit_counts: [1] })
        assert.strictEqual((yield* call.output({ channel: ["log"] })).data.text, "worker\nworker\n")
        assert.strictEqual((yield* call.breakpoints()).data.breakpoints[2]?.hit_count, 2)
      })
    )
  })

  it.effect("writes a message with its values and resumes", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.logpoint("app.c:3", "n={n} {nothing}", { hits: "<3" })
        assert.deepInclude((yield* call.continue()).data, { event: "exited" })
        const { text } = (yield* call.output({ channel: ["log"] })).data
        assert.match(text, /^n=1 <.*nothing.*>\nn=2 <.*>\n$/)
      })
    )
  })

  it.effect("reports the stop when the debugger cannot resume", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.break("app.c:3", { hits: "==3" })
        fake.fault("goOn", { kind: "refuse", error: new Errors.AdapterError({ command: "continue", detail: "no" }) })
        const told = yield* call.continue()
        assert.deepInclude(told.data, { event: "stopped", reason: "breakpoint" })
        yield* settle
      })
    )
  })

  it.effect("keeps its number and its count when its options change", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.break("app.c:3")
        yield* call.continue()
        const off = (yield* call.disable([2])).data.breakpoints[0]
        assert.deepInclude(off, { id: 2, enabled: false, hit_count: 1 })
        const edited = (yield* call.edit(2, { hits: ">2", condition: "n > 0" })).data.breakpoints[0]
        assert.deepInclude(edited, { id: 2, hits_wanted: ">2", condition: "n > 0", hit_count: 1 })
        yield* call.enable([2])
        assert.deepStrictEqual((yield* call.continue()).data.hit_counts, [3])
        const plain = (yield* call.edit(2, { no_hits: true, no_condition: true })).data.breakpoints[0]
        assert.notProperty(plain, "hits_wanted")
        assert.notProperty(plain, "condition")
        assert.strictEqual(yield* code(call.edit(2)), "USAGE")
        assert.strictEqual(yield* code(call.disable([2, 7])), "BREAKPOINT_NOT_FOUND")
        assert.strictEqual(yield* code(call.enable([])), "USAGE")
        assert.strictEqual((yield* call.breakpoints()).data.breakpoints[1]?.enabled, true)
      })
    )
  })

  it.effect("reports a suppressed stop as the end of a step that finishes there", () => {
    const fake = FakeBackend.make(SimulatedProgram.sample)
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:2"] })
        yield* call.break("app.c:3", { hits: "==9" })
        const next = yield* call.next()
        assert.deepInclude(next.data, { reason: "step", breakpoints: [] })
        assert.strictEqual(next.data.location?.line, 3)
      })
    )
  })
})

describe("a condition that the debugger cannot evaluate", () => {
  const { moments } = SimulatedProgram.sample
  const program: SimulatedProgram.Program = {
    ...SimulatedProgram.sample,
    compiles: () => false,
    moments: moments.map((moment) => {
      const [first, ...callers] = moment.stack
      const isTwo = first.variables?.["n"] === "2"
      return { ...moment, stack: [{ ...first, variables: { ...first.variables, is_two: `${isTwo}` } }, ...callers] }
    })
  }

  it.effect("is evaluated by the manager at each hit", () =>
    over(
      FakeBackend.make(program),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.deepInclude((yield* call.break("app.c:3", { condition: "is_two" })).data, { by: "manager" })
        const stopped = (yield* call.continue()).data
        assert.deepInclude(stopped, { reason: "breakpoint", breakpoints: [2], hit_counts: [1] })
        assert.strictEqual(stopped.locals?.find(({ name }) => name === "n")?.value, "2")
        assert.deepInclude((yield* call.continue()).data, { event: "exited" })
      })
    )
  )

  it.effect("stops the program and says why, if the manager cannot evaluate it either", () =>
    over(
      FakeBackend.make(program),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.break("app.c:3", { condition: "nothing" })
        const { data, warnings } = yield* call.continue()
        assert.deepInclude(data, { reason: "breakpoint", breakpoints: [2] })
        assert.include(warnings[0]?.message ?? "", "undeclared identifier 'nothing'")
      })
    )
  )
})

describe("a line found by its text", () => {
  const lines = ["int a;", "  return a;", "return b; // return a;", ""]

  it("is the line that equals the text, else the one that contains it", () => {
    assert.deepStrictEqual(TextAnchor.matches(lines, "return a;"), [2])
    assert.deepStrictEqual(TextAnchor.matches(lines, "return"), [2, 3])
    assert.deepStrictEqual(TextAnchor.matches(lines, "nothing"), [])
  })
})

describe("a message", () => {
  it("is text and expressions in turn", () => {
    assert.deepStrictEqual(Expression.messageParts("a {b} c{d{e}}"), ["a ", "b", " c", "d{e}", ""])
    assert.deepStrictEqual(Expression.messageParts("plain }"), ["plain }"])
  })
})

describe("the type of an exception", () => {
  it("is read from its mangled name", () => {
    assert.strictEqual(cppType('0x00007ffff7d9c420 "St13runtime_error"'), "std::runtime_error")
    assert.strictEqual(cppType('0x1 "N3app5errorE"'), "app::error")
    assert.strictEqual(cppType('0x1 "7Failure"'), "Failure")
    assert.strictEqual(cppType('0x1 "i"'), "int")
    assert.strictEqual(cppType('0x1 "NSt10filesystem7__cxx1116filesystem_errorE"'), "std::filesystem::filesystem_error")
    assert.strictEqual(cppType('0x1 "*N12_GLOBAL__N_14LossE"'), "(anonymous namespace)::Loss")
    assert.strictEqual(cppType('0x1 "PKc"'), "const char *")
    assert.isUndefined(cppType('0x1 "P7Failure"'))
  })
})
