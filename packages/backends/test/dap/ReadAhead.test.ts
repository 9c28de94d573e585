/** Threads, stacks and locals that are requested when a stop is recorded. */
import { assert, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import { CallRequests, Errors, type Stop } from "@sigtrap/protocol"
import { Deferred, Effect, Fiber } from "effect"
import * as ReadAhead from "../../src/dap/ReadAhead.ts"

/** The requests of a connection, and what was sent. */
const reading = (recurs = true) => {
  const sent: Array<string> = []
  const ahead = ReadAhead.make({
    begin: (effect) => void Effect.runFork(effect),
    recurs,
    locals: (frame) =>
      Effect.sync(() => {
        sent.push(`locals ${frame}`)
        return [{ name: `${sent.length}`, value: "", handle: 0 }]
      }),
    threads: Effect.sync((): ReadonlyArray<Backend.Thread> => {
      sent.push("threads")
      return [{ id: 1, name: "main" }]
    }),
    stack: (thread, start, count) =>
      Effect.sync(() => {
        sent.push(`stack ${thread} ${start} ${count}`)
        if (start > 0 || thread !== 1) return { frames: [] }
        return {
          frames: ["leaf", "main", "_start"].slice(0, count).map((name, handle) => ({ handle, function: name }))
        }
      })
  })
  return { ahead, sent }
}

it.effect("are sent at once, and each answer is used once, for the same question", () =>
  Effect.gen(function* () {
    const { ahead, sent } = reading()
    ahead.start(1, "step")
    assert.deepStrictEqual(sent, ["threads", "stack 1 0 20"])
    yield* ahead.threads
    yield* ahead.stack(2, 0, 20)
    yield* ahead.stack(1, 20, 20)
    yield* ahead.stack(1, 0, 20)
    assert.deepStrictEqual(sent.slice(2), ["stack 2 0 20", "stack 1 20 20"])
    yield* ahead.threads
    yield* ahead.stack(1, 0, 20)
    assert.deepStrictEqual(sent.slice(4), ["threads", "stack 1 0 20"])
  })
)

it.effect("answer questions about fewer frames, until the program may have changed", () =>
  Effect.gen(function* () {
    const { ahead, sent } = reading()
    const namesOf = (count: number) =>
      Effect.map(ahead.stack(1, 0, count), ({ frames }) => frames.map((frame) => frame.function))
    ahead.start(1, "step")
    assert.deepStrictEqual(yield* namesOf(1), ["leaf"])
    yield* ahead.stack(1, 0, 20)
    assert.deepStrictEqual(yield* namesOf(2), ["leaf", "main"])
    assert.deepStrictEqual(yield* namesOf(8), ["leaf", "main", "_start"])
    assert.lengthOf(sent, 2)
    yield* ahead.changing(Effect.void)
    assert.deepStrictEqual(yield* namesOf(1), ["leaf"])
    assert.deepStrictEqual(sent.slice(2), ["stack 1 0 1"])
  })
)

it.effect("are dropped before what may change the program", () =>
  Effect.gen(function* () {
    const { ahead, sent } = reading()
    ahead.start(1, "step")
    yield* ahead.changing(Effect.void)
    yield* ahead.stack(1, 0, 20)
    yield* ahead.threads
    assert.lengthOf(sent, 4)
  })
)

it.effect("are not sent for further stops while they are pending, and then again", () =>
  Effect.gen(function* () {
    const answered = Deferred.makeUnsafe<void>()
    let sent = 0
    const request = <A>(answer: A) =>
      Effect.suspend(() => {
        sent += 1
        return Effect.as(Deferred.await(answered), answer)
      })
    const ahead = ReadAhead.make({
      begin: (effect) => void Effect.runFork(effect),
      recurs: true,
      locals: () => request([]),
      threads: request([]),
      stack: () => request({ frames: [] })
    })
    for (let stop = 0; stop < 1000; stop++) ahead.start(1, "step")
    assert.strictEqual(sent, 2)
    yield* Deferred.succeed(answered, undefined)
    // The answers of the first stop are not those of the last.
    yield* ahead.threads
    yield* ahead.stack(1, 0, 20)
    assert.strictEqual(sent, 4)
    ahead.start(1, "step")
    yield* ahead.threads
    yield* ahead.stack(1, 0, 20)
    assert.strictEqual(sent, 6)
  })
)

/** The requests after a stop whose thread was in a frame before, and whose report shows the locals. */
const stepped = Effect.fnUntraced(function* ({ ahead, sent }: ReturnType<typeof reading>, thread = 1) {
  yield* ahead.stack(thread, 0, 20)
  ahead.resuming({ locals: true })
  sent.length = 0
})

it.effect(
  "of a reported stop are those of the frame's id at the stop before, and answer one question about this frame",
  () =>
    Effect.gen(function* () {
      const all = reading()
      const { ahead, sent } = all
      yield* stepped(all)
      ahead.start(1, "step")
      assert.deepStrictEqual(sent, ["threads", "stack 1 0 20", "locals 0"])
      const namesOf = (frame: number) => Effect.map(ahead.locals(frame), (values) => values.map(({ name }) => name))
      assert.deepStrictEqual(yield* namesOf(7), ["4"])
      assert.deepStrictEqual(yield* namesOf(0), ["3"])
      assert.deepStrictEqual(yield* namesOf(0), ["5"])
    })
)

it.effect("have no locals of an earlier stop, and none from before a change of the program", () =>
  Effect.gen(function* () {
    const all = reading()
    const { ahead, sent } = all
    for (const change of [
      () => ahead.start(1, "step"),
      () => ahead.forget(),
      () => ahead.resuming({ locals: true }),
      () => Effect.runSync(ahead.changing(Effect.void))
    ]) {
      yield* stepped(all)
      ahead.start(1, "step")
      change()
      const [value] = yield* ahead.locals(0)
      assert.notStrictEqual(value?.name, "3", String(change))
      assert.strictEqual(sent.at(-1), "locals 0")
    }
  })
)

it.effect("have no locals that no report shows, and none of a frame whose id is not known", () =>
  Effect.gen(function* () {
    const sentAt = Effect.fnUntraced(function* (
      reason: Stop.StopReason,
      manner: Backend.ResumeOptions,
      thread = 1,
      recurs = true
    ) {
      const all = reading(recurs)
      yield* stepped(all)
      all.ahead.resuming(manner)
      all.ahead.start(thread, reason)
      return all.sent.filter((request) => request.startsWith("locals"))
    })
    assert.lengthOf(yield* sentAt("breakpoint", { locals: true }), 1)
    assert.lengthOf(yield* sentAt("breakpoint", {}), 0)
    assert.lengthOf(yield* sentAt("signal", { locals: true }), 0)
    assert.lengthOf(yield* sentAt("step", { locals: true }, 2), 0)
    assert.lengthOf(yield* sentAt("step", { locals: true }, 1, false), 0)
  })
)

it.effect("count as requests of the call that awaits them, and are not sent again if the debugger did not answer", () =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<ReadonlyArray<Backend.Value>, Errors.RequestTimeout>()
    let sent = 0
    const ahead = ReadAhead.make({
      begin: (effect) => void Effect.runFork(effect),
      recurs: true,
      locals: () => Effect.suspend(() => CallRequests.noted("variables", ((sent += 1), Deferred.await(answer)))),
      threads: Effect.succeed([{ id: 1, name: "main" }]),
      stack: () => Effect.succeed({ frames: [{ handle: 0, function: "main" }] })
    })
    ahead.start(1, "step")
    yield* ahead.stack(1, 0, 20)
    ahead.resuming({ locals: true })
    ahead.start(1, "step")
    const requests = CallRequests.make(undefined)
    const reading = yield* Effect.forkChild(
      Effect.flip(Effect.provideService(ahead.locals(0), CallRequests.Current, requests)),
      { startImmediately: true }
    )
    assert.strictEqual(CallRequests.longest(requests), "variables")
    yield* Deferred.fail(answer, new Errors.RequestTimeout({ command: "variables", after_ms: 30_000 }))
    assert.strictEqual((yield* Fiber.join(reading))._tag, "RequestTimeout")
    assert.strictEqual(sent, 1)
  })
)
