import { assert, describe, it } from "@effect/vitest"
import { Envelope, Errors } from "@sigtrap/protocol"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FakeBackend } from "../../src/testing/index.ts"
import { ask, begin, call, code, fakeWith, gone, hanging, line, over, settle } from "../support.ts"

describe("wait", () => {
  it.effect("answers at once while the program is stopped, unless a newer stop is requested", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.strictEqual((yield* call.wait()).stop, 1)
        assert.strictEqual((yield* call.wait({ timeout: "0" })).stop, 1)
        const newer = yield* begin(call.wait({ after: 1 }))
        assert.isTrue(yield* newer.pending)
        yield* call.next()
        assert.strictEqual((yield* newer.done).stop, 2)
      })
    )
  })

  it.effect("says at its timeout that the program is stopped, if it is", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const waiting = yield* begin(call.wait({ for: "exit", timeout: "2s" }))
        yield* TestClock.adjust("2 seconds")
        const error = yield* Effect.flip(waiting.done)
        assert.deepInclude(error, { _tag: "WaitTimeout", state: "stopped" })
        assert.include(error.message, "the program is stopped")
        assert.deepInclude(
          Envelope.failure(error, () => ""),
          { ok: false, state: "stopped" }
        )
        assert.notInclude(JSON.stringify(Envelope.failure(error, () => "")), "running")
      })
    )
  )

  it.effect("fails at its timeout, with the output written meanwhile", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        const debuggee = yield* hanging(fake)
        const waiting = yield* begin(call.wait({ timeout: "2s" }))
        debuggee.write("one\ntwo\n")
        yield* TestClock.adjust("1999 millis")
        assert.isTrue(yield* waiting.pending)
        yield* TestClock.adjust("1 millis")
        const error = yield* Effect.flip(waiting.done)
        assert.deepInclude(error, {
          _tag: "WaitTimeout",
          waited_ms: 2000,
          output_bytes: 8,
          output_tail: "two",
          state: "running"
        })
        assert.strictEqual(yield* code(call.wait({ timeout: "0" })), "WAIT_TIMEOUT")
        debuggee.exit({ signal: "SIGKILL" })
        assert.deepInclude((yield* call.wait()).data, { event: "exited", signal: "SIGKILL" })
      })
    )
  })

  for (const request of ["stack", "threads", "resume"] as const) {
    it.effect(`and next end a second after their timeout although the debugger never answers: ${request}`, () => {
      const fake = FakeBackend.make()
      return over(
        fake,
        Effect.gen(function* () {
          yield* call.start({ break: ["main"] })
          fake.fault(request, { kind: "hold", until: Effect.never }, 20)
          const stepping = yield* begin(call.next({ timeout: "3s" }))
          yield* TestClock.adjust("4 seconds")
          assert.deepInclude(yield* Effect.flip(stepping.done), { _tag: "RequestTimeout", after_ms: 3000 })
        })
      )
    })
  }

  it.effect("start, restart, eval and raw end after their timeout although the debugger never answers", () => {
    const fake = FakeBackend.make()
    const held = (request: "stack" | "evaluate" | "command") =>
      fake.fault(request, { kind: "hold", until: Effect.never }, 20)
    return over(
      fake,
      Effect.gen(function* () {
        const late = { _tag: "RequestTimeout", after_ms: 3000 } as const
        yield* call.start({ break: ["main"] })
        held("evaluate")
        const evaluating = yield* begin(call.eval("total = 2", { timeout: "3s" }))
        yield* TestClock.adjust("8 seconds")
        assert.deepInclude(yield* Effect.flip(evaluating.done), late)
        held("command")
        const commanding = yield* begin(call.raw("version", { timeout: "3s" }))
        yield* TestClock.adjust("8 seconds")
        assert.deepInclude(yield* Effect.flip(commanding.done), late)
        held("stack")
        const restarting = yield* begin(call.restart({ timeout: "3s" }))
        yield* TestClock.adjust("4 seconds")
        assert.deepInclude(yield* Effect.flip(restarting.done), late)
        held("stack")
        const starting = yield* begin(call.start({ break: ["main"], replace: true, timeout: "3s" }))
        yield* TestClock.adjust("4 seconds")
        assert.deepInclude(yield* Effect.flip(starting.done), late)
      })
    )
  })

  it.effect("start, run and restart end after their timeout although the debugger never starts", () => {
    const fake = FakeBackend.make()
    const held = () => fake.faultAtStart("launch", { kind: "hold", until: Effect.never })
    return over(
      fake,
      Effect.gen(function* () {
        held()
        const starting = yield* begin(call.start({ timeout: "6s" }))
        yield* TestClock.adjust("7 seconds")
        const late = yield* Effect.flip(starting.done)
        assert.deepInclude(late, { _tag: "RequestTimeout", after_ms: 6000 })
        assert.deepInclude(late.hints[0], { operation: "start", input: { program: "/src/app", timeout: "2m" } })
        held()
        const running = yield* begin(ask("run", { program: "/src/app", timeout: "6s" }))
        yield* TestClock.adjust("7 seconds")
        assert.deepInclude(yield* Effect.flip(running.done), { _tag: "RequestTimeout", after_ms: 6000 })
        assert.deepEqual((yield* call.sessions()).data.sessions, [])
        // A debugger gets some seconds to start, however short the wait for the stop is.
        held()
        const short = yield* begin(call.start({ timeout: "0" }))
        yield* TestClock.adjust("3999 millis")
        assert.isTrue(yield* short.pending)
        yield* TestClock.adjust("1 millis")
        assert.deepInclude(yield* Effect.flip(short.done), { _tag: "RequestTimeout", after_ms: 3000 })
        yield* call.start({ break: ["main"] })
        held()
        const restarting = yield* begin(call.restart({ timeout: "6s" }))
        yield* TestClock.adjust("7 seconds")
        assert.deepInclude(yield* Effect.flip(restarting.done), { _tag: "RequestTimeout", after_ms: 6000 })
      })
    )
  })

  it.effect("and next fail at their timeout, and a later wait returns the stop", () => {
    const fake = fakeWith({})
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        fake.behaviour = { ...fake.behaviour, pace: "on demand" }
        const next = yield* begin(call.next())
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(yield* code(next.done), "WAIT_TIMEOUT")
        const wait = yield* begin(call.wait())
        ;(yield* fake.newest).go()
        assert.strictEqual(line(yield* wait.done), 10)
      })
    )
  })

  it.effect("by many callers gets the stop of a pause for each", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* hanging(fake)
        const one = yield* begin(call.wait())
        const two = yield* begin(call.wait({ timeout: "inf" }))
        const paused = yield* call.pause()
        for (const answer of [paused, yield* one.done, yield* two.done]) {
          assert.deepStrictEqual([answer.stop, line(answer), answer.data.reason], [2, 10, "pause"])
        }
      })
    )
  })

  it.effect("that is interrupted does not affect the program or other callers", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        const debuggee = yield* hanging(fake)
        const one = yield* begin(call.wait())
        const two = yield* begin(call.wait())
        yield* Fiber.interrupt(one.fiber)
        assert.strictEqual((yield* call.status()).data.state, "running")
        assert.isFalse(debuggee.closed)
        yield* call.pause()
        assert.strictEqual((yield* two.done).stop, 2)
      })
    )
  })

  it.effect("fails at once when the debugger is lost", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        const debuggee = yield* hanging(fake)
        const one = yield* begin(call.wait({ timeout: "inf" }))
        const two = yield* begin(call.wait())
        debuggee.lose("killed by SIGKILL")
        assert.strictEqual(yield* code(one.done), "SESSION_LOST")
        assert.strictEqual(yield* code(two.done), "SESSION_LOST")
        assert.deepInclude((yield* call.status()).data, { state: "lost", lost: "killed by SIGKILL" })
        assert.strictEqual(yield* code(call.locals()), "SESSION_LOST")
        yield* gone(fake)
      })
    )
  })
})

describe("pause", () => {
  it.effect.each([1, 2, 3, 4])("stops a program whose adapter loses %i requests", (lost) => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        const debuggee = yield* hanging(fake)
        fake.fault("pause", { kind: "ignore" }, lost)
        const pause = yield* begin(call.pause())
        for (let time = 0; time < lost; time++) {
          assert.strictEqual(debuggee.count("pause"), time + 1)
          yield* TestClock.adjust("300 millis")
          yield* settle
        }
        assert.deepInclude((yield* pause.done).data, { event: "stopped", reason: "pause", elapsed_ms: lost * 300 })
        assert.strictEqual(debuggee.count("pause"), lost + 1)
      })
    )
  })

  it.effect("fails after five ignored requests, and the program keeps running", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        const debuggee = yield* hanging(fake)
        fake.fault("pause", { kind: "ignore" }, 5)
        const pause = yield* begin(call.pause())
        for (let time = 0; time < 100; time++) yield* TestClock.adjust("300 millis").pipe(Effect.andThen(settle))
        assert.strictEqual(yield* code(pause.done), "WAIT_TIMEOUT")
        assert.strictEqual(debuggee.count("pause"), 5)
        assert.strictEqual((yield* call.pause({ timeout: "0" })).data.reason, "pause")
      })
    )
  })

  it.effect("is repeated until the timeout with a debugger that uses up requests", () => {
    const fake = fakeWith({ usesUpPauses: true })
    return over(
      fake,
      Effect.gen(function* () {
        const debuggee = yield* hanging(fake)
        fake.fault("pause", { kind: "ignore" }, 9)
        const pause = yield* begin(call.pause())
        for (let time = 0; time < 100; time++) yield* TestClock.adjust("300 millis").pipe(Effect.andThen(settle))
        assert.deepInclude((yield* pause.done).data, { event: "stopped", reason: "pause", elapsed_ms: 5500 })
        assert.strictEqual(debuggee.count("pause"), 10)
      })
    )
  })

  it.effect("sends no request when the program is already stopped", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.strictEqual((yield* call.pause()).stop, 1)
        assert.strictEqual((yield* fake.newest).count("pause"), 0)
      })
    )
  })

  it.effect("succeeds when the program stops or ends by itself meanwhile", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        fake.fault("pause", { kind: "deny", error: new Errors.AdapterError({ command: "pause", detail: "stopped" }) })
        yield* hanging(fake)
        assert.strictEqual((yield* call.pause()).stop, 2)
        yield* call.continue({ wait: false })
        fake.fault("pause", { kind: "hold", until: Effect.never })
        const pause = yield* begin(call.pause())
        ;(yield* fake.newest).exit({ exit_code: 3 })
        assert.deepInclude((yield* pause.done).data, { event: "exited", exit_code: 3 })
        assert.deepInclude(yield* Effect.flip(call.pause()), { _tag: "ProcessEnded", exit_code: 3 })
      })
    )
  })
})
