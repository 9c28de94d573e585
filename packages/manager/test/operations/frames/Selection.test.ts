// The selected frame and thread: what names them, and which operations they apply to.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FakeBackend, SimulatedProgram } from "../../../src/testing/index.ts"
import { call, calls, code, fakeWith, over } from "../../support.ts"
import { inSquare } from "../../stoppedSessions.ts"

describe("the selection", () => {
  it.effect("applies to locals, print, source and context until the program is resumed", () =>
    inSquare(() =>
      Effect.gen(function* () {
        assert.deepInclude((yield* call.frame()).data.frame, { index: 0, function: "square" })
        assert.deepInclude((yield* call.up()).data.frame, { index: 1, function: "main" })
        assert.strictEqual((yield* call.locals()).data.frame.function, "main")
        assert.strictEqual((yield* call.print(["i"])).data.values[0]?.value, "1")
        assert.strictEqual((yield* call.source()).data.current, 10)
        assert.strictEqual((yield* call.context()).data.location?.function, "main")
        assert.strictEqual((yield* call.backtrace()).data.selected, 1)
        assert.strictEqual((yield* call.locals({ frame: 0 })).data.frame.function, "square")
        yield* call.next()
        assert.strictEqual((yield* call.frame()).data.frame.index, 0)
      })
    )
  )

  it.effect("stops at either end of the stack, and the answer says so", () =>
    inSquare(() =>
      Effect.gen(function* () {
        yield* call.frame("1")
        const outer = (yield* call.up(9)).data
        assert.deepStrictEqual([outer.frame.index, outer.end], [1, "outermost"])
        const inner = (yield* call.down()).data
        assert.deepStrictEqual([inner.frame.index, inner.end], [0, undefined])
        const past = (yield* call.down(2)).data
        assert.deepStrictEqual([past.frame.index, past.end], [0, "innermost"])
        assert.strictEqual((yield* call.frame()).data.frame.index, 0)
      })
    )
  )

  it.effect("accepts references of frames, which are stale after a step", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const main = (yield* call.backtrace()).data.frames[1]?.ref ?? ""
        assert.strictEqual((yield* call.frame(main)).data.frame.function, "main")
        yield* call.step()
        assert.strictEqual(yield* code(call.frame(main)), "STALE_REF")
      })
    )
  )

  it.effect("of a thread begins at its innermost frame", () => {
    const program = {
      ...SimulatedProgram.sample,
      threads: [
        { id: 1, name: "app" },
        { id: 2, name: "worker" }
      ] as const
    }
    return inSquare(
      () =>
        Effect.gen(function* () {
          const { threads } = (yield* call.threads()).data
          assert.deepStrictEqual(
            threads.map(({ current, id, location }) => [id, current, location?.function]),
            [
              [1, true, "square"],
              [2, false, "worker"]
            ]
          )
          yield* call.up()
          yield* call.thread(2)
          assert.strictEqual((yield* call.frame()).data.frame.function, "worker")
          assert.strictEqual((yield* call.locals({ thread: 1 })).data.frame.function, "square")
          assert.strictEqual(yield* code(call.thread(7)), "THREAD_NOT_FOUND")
          assert.deepStrictEqual(
            (yield* call.threads({ match: "WORKER" })).data.threads.map(({ id }) => id),
            [2]
          )
          const all = (yield* call.backtrace({ all_threads: true })).data.threads ?? []
          assert.deepStrictEqual(
            all.map(({ frames }) => frames[0]?.function),
            ["square", "worker"]
          )
        }),
      FakeBackend.make(program)
    )
  })

  it.effect("is of the first thread if the debugger does not list the one that stopped", () => {
    const fake = FakeBackend.make()
    return inSquare(
      () =>
        Effect.gen(function* () {
          const debuggee = yield* fake.newest
          for (const thread of [-5, undefined]) {
            debuggee.emit({ _tag: "Continued" })
            debuggee.emit({
              _tag: "Stopped",
              reason: "pause",
              raw_reason: "pause",
              breakpoints: [],
              focus: true,
              ...(thread === undefined ? {} : { thread })
            })
            assert.strictEqual((yield* call.wait()).data.location?.function, "square")
            assert.strictEqual((yield* call.locals()).data.frame.function, "square")
            assert.deepInclude((yield* call.threads()).data.threads[0], { id: 1, current: true })
          }
        }),
      fake
    )
  })

  it.effect("is of the thread that a short number or an id of the system names", () => {
    const program = {
      ...SimulatedProgram.sample,
      threads: [
        { id: 4711, os_id: 4711, name: "app" },
        { id: 4713, os_id: 4713, name: "worker" }
      ] as const
    }
    return inSquare(
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(
            (yield* call.threads()).data.threads.map(({ id, label, number }) => [id, number, label]),
            [
              [4711, 1, "Thread 1 (app)"],
              [4713, 2, "Thread 2 (worker)"]
            ]
          )
          assert.strictEqual((yield* call.backtrace({ thread: 2 })).data.frames[0]?.function, "worker")
          assert.strictEqual((yield* call.locals({ thread: 1 })).data.frame.function, "square")
          assert.strictEqual((yield* call.thread(4713)).data.thread.number, 2)
          assert.deepInclude(yield* Effect.flip(call.thread(3)), { id: 3, known: [1, 2] })
          assert.strictEqual((yield* call.break("main", { thread: 2 })).data.thread, 4713)
          assert.strictEqual((yield* call.next({ thread: 1 })).data.thread?.number, 1)
        }),
      FakeBackend.make(program)
    )
  })

  it.effect("is not needed to list the threads of a running program", () => {
    const fake = fakeWith({ pace: "on demand" })
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ wait: false })
        const [thread] = (yield* call.threads()).data.threads
        assert.deepInclude(thread, { id: 1, state: "running", current: false })
        for (const asked of calls(call.frame(), call.up(), call.args(), call.registers(), call.memoryRead("0x1000"))) {
          assert.strictEqual(yield* code(asked), "NOT_STOPPED")
        }
      })
    )
  })
})
