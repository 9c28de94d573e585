/** Threads and stacks that are requested when a stop is recorded. */
import { assert, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import { Deferred, Effect } from "effect"
import * as ReadAhead from "../../src/dap/ReadAhead.ts"

/** The requests of a connection, and what was sent. */
const reading = () => {
  const sent: Array<string> = []
  const ahead = ReadAhead.make({
    begin: (effect) => void Effect.runFork(effect),
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
    ahead.start(1)
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
    ahead.start(1)
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
    ahead.start(1)
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
      threads: request([]),
      stack: () => request({ frames: [] })
    })
    for (let stop = 0; stop < 1000; stop++) ahead.start(1)
    assert.strictEqual(sent, 2)
    yield* Deferred.succeed(answered, undefined)
    // The answers of the first stop are not those of the last.
    yield* ahead.threads
    yield* ahead.stack(1, 0, 20)
    assert.strictEqual(sent, 4)
    ahead.start(1)
    yield* ahead.threads
    yield* ahead.stack(1, 0, 20)
    assert.strictEqual(sent, 6)
  })
)
