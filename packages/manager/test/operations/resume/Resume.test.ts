import { assert, describe, it } from "@effect/vitest"
import { Caller, Errors, Hint } from "@sigtrap/protocol"
import { Effect, Result, Schema } from "effect"
import { FakeBackend } from "../../../src/testing/index.ts"
import {
  begin,
  call,
  calls,
  code,
  eventOrder,
  fakeWith,
  gone,
  hanging,
  honest,
  line,
  over,
  settle,
  withSecondThread
} from "../../support.ts"

describe("resuming", () => {
  it.effect("steps through the program", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const over = yield* call.next()
        assert.strictEqual(line(over), 10)
        assert.deepStrictEqual(over.data.ran, [{ line: 7 }])
        const inside = yield* call.step()
        assert.strictEqual(line(inside), 2)
        assert.deepStrictEqual(inside.data.ran, [{ line: 10 }])
        assert.deepStrictEqual(
          inside.data.frames?.map((frame) => frame.function),
          ["square", "main"]
        )
        const back = yield* call.finish()
        assert.deepStrictEqual([line(back), back.data.reason], [11, "finish"])
        assert.isUndefined(back.data.ran)
        const third = yield* call.next({ count: 3 })
        assert.deepStrictEqual([line(third), third.data.ran], [10, [{ line: 11 }]])
        const end = yield* call.continue()
        assert.deepInclude(end.data, { event: "exited", exit_code: 14 })
        assert.strictEqual(end.stop, 7)
        honest(fake)
      })
    )
  })

  it.effect("with a count ends early at another kind of stop", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:10", "app.c:3"] })
        const third = yield* call.next({ count: 5 })
        assert.deepStrictEqual([line(third), third.data.breakpoints], [3, [2]])
        yield* call.remove([2])
        const skipped = yield* call.continue({ count: 2 })
        assert.deepInclude(
          skipped.data.locals?.find(({ name }) => name === "i"),
          { value: "2" }
        )
      })
    )
  )

  it.effect("with a count ends at another breakpoint, also when the stop comes before the answer", () =>
    over(
      fakeWith({ pace: "before the answer" }),
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:10", "app.c:3"] })
        assert.deepStrictEqual((yield* call.continue({ count: 3 })).data.breakpoints, [2])
      })
    )
  )

  it.effect("needs a stopped program and a known thread", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        const debuggee = yield* hanging(fake)
        for (const again of [call.continue(), call.next(), call.step(), call.finish()]) {
          const error = yield* Effect.flip(again)
          assert.deepInclude(error, { _tag: "NotStopped", state: "running", session: "default" })
        }
        assert.strictEqual(debuggee.count("resume"), 1)
        yield* call.pause()
        assert.strictEqual(yield* code(call.next({ thread: 9 })), "THREAD_NOT_FOUND")
      })
    )
  })

  it.effect("that the debugger refuses keeps the stop", () => {
    const fake = FakeBackend.make()
    const refusals = [
      new Errors.AdapterError({ command: "next", detail: "no" }),
      new Errors.Unsupported({ what: "next", by: "fake", remedies: [Hint.call("step", {})] })
    ]
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        for (const error of refusals) {
          fake.fault("resume", { kind: "refuse", error })
          assert.strictEqual(yield* code(call.next()), Errors.meta(error).code)
          assert.deepInclude((yield* call.status()).data, { state: "stopped", stop: 1 })
        }
        assert.strictEqual((yield* call.next()).stop, 2)
      })
    )
  })

  it.effect("to a place without waiting leaves no breakpoint, also if the program stops before", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        const known = Effect.map(call.breakpoints(), ({ data }) => data.breakpoints.map(({ id }) => id))
        yield* call.start({ break: ["main"] })
        yield* call.break("square")
        const ids = yield* known
        const begun = yield* call.until("11", { wait: false })
        assert.strictEqual(begun.data.event, "running")
        const { data } = yield* call.wait()
        assert.deepInclude(data, { event: "stopped", breakpoints: [2] })
        yield* settle
        assert.deepStrictEqual(yield* known, ids)
      })
    )
  )

  it.effect("without an answer is settled by its events", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const timeout = new Errors.RequestTimeout({ command: "next", after_ms: 30_000 })
        fake.behaviour = { ...fake.behaviour, pace: "before the answer" }
        fake.fault("resume", { kind: "deny", error: timeout })
        assert.strictEqual(line(yield* call.next()), 10)
        fake.fault("resume", { kind: "refuse", error: timeout })
        assert.strictEqual(yield* code(call.next()), "REQUEST_TIMEOUT")
        assert.strictEqual((yield* call.status()).data.state, "running")
      })
    )
  })

  it.effect("is settled by an exit that comes before its answer", () => {
    const fake = fakeWith({ pace: "before the answer" })
    return over(
      fake,
      Effect.gen(function* () {
        assert.deepInclude((yield* call.start()).data, { event: "exited", exit_code: 14 })
        yield* call.start({ break: ["app.c:13"] })
        assert.deepInclude((yield* call.continue()).data, { event: "exited", exit_code: 14 })
        yield* gone(fake)
      })
    )
  })
})

it.effect.prop(
  "every order of answers and events gives the same stops, and wait never returns an earlier one",
  [
    eventOrder(5),
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))).check(Schema.isMaxLength(4))
  ],
  ([order, pauses]) => {
    const fake = withSecondThread(fakeWith(order))
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:10", "app.c:11"] })
        const lines = [11, 10, 11, 10, 11]
        for (const [index, expected] of lines.entries()) {
          assert.strictEqual((yield* call.continue({ wait: false })).data.event, "running")
          for (let turn = pauses[index] ?? 0; turn > 0; turn--) yield* Effect.yieldNow
          const answer = yield* call.wait()
          assert.deepStrictEqual([answer.stop, line(answer)], [index + 2, expected])
          assert.strictEqual(answer.data.thread?.id, 1)
        }
        yield* call.continue({ wait: false })
        assert.deepInclude((yield* call.wait()).data, { event: "exited", exit_code: 14 })
        honest(fake)
      })
    )
  },
  { arbitrary: { runs: 100 } }
)

describe("a program that has ended", () => {
  it.effect("fails with its exit code for every request", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start()
        for (let time = 0; time < 2; time++) {
          for (const asked of calls(
            call.continue(),
            call.locals(),
            call.print(["a"]),
            call.eval("a"),
            call.raw("x"),
            call.backtrace(),
            call.pause()
          )) {
            assert.deepInclude(yield* Effect.flip(asked), { _tag: "ProcessEnded", exit_code: 14, state: "exited" })
          }
          assert.deepInclude((yield* call.status()).data, { state: "exited", exit_code: 14 })
          assert.deepInclude((yield* call.context()).data, { event: "exited", exit_code: 14 })
          assert.deepInclude((yield* call.wait()).data, { event: "exited", exit_code: 14 })
        }
        yield* gone(fake)
      })
    )
  })
})

describe("an adapter that dies with a request pending", () => {
  it.effect.each(["resume", "threads", "stack", "locals", "evaluate"] as const)("ends it: %s", (request) => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"], context: "none" })
        yield* call.next({ context: "none" })
        const asks = {
          resume: call.next(),
          threads: call.next(),
          stack: call.next(),
          locals: call.locals(),
          evaluate: call.print(["i"])
        }
        fake.fault(request, { kind: "lose" })
        const [asked = call.next()] = calls(asks[request])
        assert.include(["SESSION_LOST", "ADAPTER_CRASHED"], yield* code(asked))
        assert.strictEqual((yield* call.status()).data.state, "lost")
        yield* gone(fake)
      })
    )
  })
})

describe("two clients that resume at once", () => {
  const both = (input: { readonly at_stop?: number } = {}) =>
    Effect.all([call.next(input), call.next(input)].map(Effect.result), { concurrency: "unbounded" })

  it.effect("each answer with their own stop", () =>
    Effect.forEach(
      ["before the answer", "after the answer"] as const,
      (pace) =>
        over(
          fakeWith({ pace, turns: 3 }),
          Effect.gen(function* () {
            yield* call.start({ break: ["main"] })
            let last = 1
            for (let time = 0; time < 3; time++) {
              const answers = (yield* both()).flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
              const stops = answers.map(({ stop }) => stop ?? 0).toSorted((a, b) => a - b)
              assert.strictEqual(new Set(stops).size, stops.length, `answers of one stop: ${stops.join(", ")}`)
              for (const { data, stop } of answers) {
                assert.isDefined(data.location?.line, `a place of stop ${stop}`)
                assert.isUndefined(data.moved_on)
              }
              last = Math.max(last, ...stops)
            }
            assert.isAbove(last, 3)
          })
        ),
      { discard: true }
    )
  )

  it.effect("with at_stop move the program once, and the other answer says where it is", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        for (let stop = 1; stop < 6; stop++) {
          const answers = yield* both({ at_stop: stop })
          const errors = answers.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
          const answered = answers.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
          assert.deepStrictEqual(
            answered.map((answer) => answer.stop),
            [stop + 1]
          )
          assert.deepStrictEqual(
            errors.map((error) => Errors.meta(error).code),
            ["STALE_STOP"]
          )
        }
      })
    )
  )

  it.effect("with an earlier at_stop is refused, sets nothing and names the current stop", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.next()
        for (const again of [
          call.continue({ at_stop: 1, break: ["app.c:3"] }),
          call.finish({ at_stop: 1 }),
          call.until("11", { at_stop: 1, wait: false }),
          call.continue({ at_stop: 1, to: "11" })
        ]) {
          const error = yield* Effect.flip(again)
          assert.deepInclude(error, { _tag: "StaleStop", at_stop: 1, stop: 2, state: "stopped" })
          assert.strictEqual(
            error.message,
            "the session is at stop #2, not at #1; library resumed it last; nothing was resumed"
          )
        }
        assert.lengthOf((yield* call.breakpoints()).data.breakpoints, 1)
        assert.strictEqual((yield* call.next({ at_stop: 2 })).stop, 3)
      })
    )
  })

  it.effect("at_stop 0 is a program that is loaded and not started", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"], run: false })
        assert.strictEqual(yield* code(call.continue({ at_stop: 4 })), "STALE_STOP")
        assert.strictEqual((yield* call.continue({ at_stop: 0 })).stop, 1)
      })
    )
  )
})

it.effect("a wait whose stop was left before it was read reports that stop, and where the session is now", () => {
  const fake = FakeBackend.make()
  return over(
    fake,
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      // The waiting client reads the threads of stop 2 while another resumes.
      fake.fault("threads", { kind: "hold", until: Effect.repeat(Effect.yieldNow, { times: 1000 }) })
      const waiting = yield* begin(call.wait({ after: 1 }))
      const person: Caller.Caller = {
        actor: { kind: "cli", name: "pts/3", person: true },
        allowance: Caller.everything
      }
      yield* Effect.provideService(call.next({ wait: false }), Caller.Current, person)
      yield* settle
      const next = yield* Effect.provideService(call.next(), Caller.Current, person)
      const late = yield* waiting.done
      assert.deepStrictEqual([next.stop, late.stop], [3, 2])
      assert.deepInclude(late.data, { event: "stopped", reason: "step" })
      const by = { id: "cli:pts/3", kind: "cli", role: "person", name: "pts/3" } as const
      assert.deepStrictEqual(late.data.moved_on, { stop: 2, state: "running", by })
    })
  )
})

describe("continue to a later stop without waiting", () => {
  it.effect("answers at once and continues at the stops in between", () => {
    const fake = fakeWith({ pace: "on demand" })
    return over(
      fake,
      Effect.gen(function* () {
        const start = yield* begin(call.start({ break: ["app.c:10"] }))
        const debuggee = yield* fake.newest
        debuggee.go()
        yield* start.done
        const answer = yield* call.continue({ count: 2, wait: false })
        assert.strictEqual(answer.data.event, "running")
        debuggee.go()
        yield* settle
        assert.deepStrictEqual([(yield* call.status()).data.state, debuggee.count("resume")], ["running", 2])
      })
    )
  })
})
