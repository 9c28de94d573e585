// Pauses that a debugger does not answer, and when the program gets a signal instead.
import { assert, describe, it } from "@effect/vitest"
import { Processes } from "@sigtrap/manager"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as StuckCall from "../../src/process/StuckCall.ts"

const program = 4000

/** The bounds of a connection to a program that runs, and the signals sent to it. The kernel shows it stopped at a breakpoint. */
const made = Effect.fnUntraced(function* ({ local = true, traced = true } = {}) {
  const sent: Array<string> = []
  const processes = Layer.mock(Processes.Processes, {
    self: 1,
    describe: (pid) =>
      Effect.succeedSome({
        pid,
        started: "1",
        parent: 1,
        name: "program",
        command: [],
        sameUser: true,
        traced,
        stopped: true
      }),
    kill: ({ pid }, signal) => Effect.sync(() => sent.push(`${signal} ${pid}`) > 0)
  })
  const service = yield* Effect.provide(Processes.Processes, processes)
  const stuckCall = StuckCall.make({
    processes: service,
    local,
    listener: { emit: () => undefined, placed: () => undefined, spawned: () => Effect.void }
  })
  stuckCall.listener.emit({ _tag: "Process", pid: program, name: "program" })
  return { sent, stuckCall }
})

describe("a pause", () => {
  it.effect("that is not answered stops the program by a signal, three times at most", () =>
    Effect.gen(function* () {
      const { sent, stuckCall } = yield* made()
      const answer = yield* Deferred.make<string>()
      const fiber = yield* Effect.forkChild(stuckCall.pausing(Deferred.await(answer)), { startImmediately: true })
      yield* TestClock.adjust("700 millis")
      assert.deepStrictEqual(sent, [])
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(sent, [`SIGSTOP ${program}`])
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(sent.length, 3)
      assert.deepStrictEqual(fiber.pollUnsafe(), undefined)
      yield* Deferred.succeed(answer, "answered")
      assert.strictEqual(yield* Fiber.join(fiber), "answered")
    })
  )

  it.effect("that is answered in time sends no signal", () =>
    Effect.gen(function* () {
      const { sent, stuckCall } = yield* made()
      yield* stuckCall.pausing(Effect.void)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(sent, [])
    })
  )

  it.effect("sends no signal to a program that is reported stopped, is not debugged, or is on another machine", () =>
    Effect.gen(function* () {
      const running = yield* made()
      assert.isFalse(running.stuckCall.isSignalOwed())
      assert.isTrue(yield* running.stuckCall.signalPause)
      running.stuckCall.listener.emit({
        _tag: "Stopped",
        reason: "step",
        raw_reason: "step",
        breakpoints: [],
        focus: true
      })
      assert.isFalse(yield* running.stuckCall.signalPause)
      running.stuckCall.listener.emit({ _tag: "Output", channel: "log", text: "n=0" })
      assert.isTrue(running.stuckCall.hasLogged())
      running.stuckCall.resumed()
      assert.isFalse(running.stuckCall.hasLogged())
      // Another stop came first; the signal stops the program later.
      assert.isTrue(running.stuckCall.isSignalOwed())
      running.stuckCall.signalReceived()
      assert.isFalse(running.stuckCall.isSignalOwed())
      assert.isTrue(yield* running.stuckCall.signalPause)
      assert.strictEqual(running.sent.length, 2)
      for (const other of [{ local: false }, { traced: false }]) {
        const { sent, stuckCall } = yield* made(other)
        assert.isFalse(yield* stuckCall.signalPause)
        assert.isFalse(stuckCall.isSignalOwed())
        assert.deepStrictEqual(sent, [])
      }
    })
  )
})
