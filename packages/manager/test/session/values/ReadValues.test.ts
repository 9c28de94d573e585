/** Values that were read at one stop. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { ReadValues } from "../../../src/session/values/ReadValues.ts"

const counted = <A>(value: A) => {
  let count = 0
  return { read: Effect.sync(() => (count++, value)), count: () => count }
}

it.effect("are read once if they have members, and again after they are cleared", () =>
  Effect.gen(function* () {
    const values = new ReadValues()
    const map = counted({ name: "m", value: "size=3", handle: 7 })
    const number = counted({ name: "n", value: "1", handle: 0 })
    const page = counted([{ name: "[0]", value: "1", handle: 0 }])
    for (let round = 0; round < 3; round++) {
      yield* values.expression(1, "m", map.read)
      yield* values.expression(1, "n", number.read)
      yield* values.page(7, 0, 10, page.read)
    }
    assert.deepStrictEqual([map.count(), number.count(), page.count()], [1, 3, 1])
    yield* values.expression(2, "m", map.read)
    yield* values.page(7, 10, 10, page.read)
    values.clear()
    yield* values.expression(1, "m", map.read)
    assert.deepStrictEqual([map.count(), page.count()], [3, 2])
  })
)

it.effect("are not kept if they were cleared while they were read", () =>
  Effect.gen(function* () {
    const values = new ReadValues()
    const gate = yield* Deferred.make<void>()
    const page = counted([{ name: "[0]", value: "1", handle: 0 }])
    const fiber = yield* Effect.forkChild(values.page(7, 0, 10, Effect.andThen(Deferred.await(gate), page.read)), {
      startImmediately: true
    })
    values.clear()
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(fiber)
    yield* values.page(7, 0, 10, page.read)
    assert.strictEqual(page.count(), 2)
  })
)

it.effect("are dropped, the oldest first, when they are too many", () =>
  Effect.gen(function* () {
    const values = new ReadValues()
    const page = counted(Array.from({ length: 1000 }, (_, index) => ({ name: `[${index}]`, value: "1", handle: 0 })))
    for (let start = 0; start < 6000; start += 1000) yield* values.page(7, start, 1000, page.read)
    yield* values.page(7, 5000, 1000, page.read)
    assert.strictEqual(page.count(), 6)
    yield* values.page(7, 0, 1000, page.read)
    assert.strictEqual(page.count(), 7)
  })
)
