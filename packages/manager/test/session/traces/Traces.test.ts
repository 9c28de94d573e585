import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Secrets from "../../../src/model/secrets/Secrets.ts"
import type { Connection } from "../../../src/ports/Backend.ts"
import type { Places, Row, Tracer } from "../../../src/ports/Tracer.ts"
import { Traces } from "../../../src/session/traces/Traces.ts"
import { call, fakeWith, over } from "../../support.ts"
import { withoutLogpoints } from "../tracers.ts"

const point = { id: 5, at: "app.c:8", expressions: ["i"] }
const options = { points: [point], max: 10, slow: false, isDecided: () => false, secrets: Secrets.make(undefined) }
const valueOf = (value: string) => [{ expression: "i", value }]

/** A debugger that records what `rows` says after it answered `shown` for the first hit. */
const recording = (shown: ReadonlyArray<string> | undefined, rows: () => ReadonlyArray<Row>) => {
  const begun: Array<number> = []
  const tracer: Tracer = {
    logpoints: withoutLogpoints,
    values: () => Effect.succeed(shown),
    begin: (_id, _expressions, room) => Effect.sync(() => begun.push(room) > 0),
    end: Effect.sync(rows)
  }
  const live: Pick<Connection, "tracer"> = { tracer }
  return { begun, live, tracer }
}

it.effect("the debugger records after the first hit if it shows the same values", () =>
  Effect.gen(function* () {
    let rows: ReadonlyArray<Row> = [
      { id: 5, thread: 7, time: 1, values: ["1"] },
      { id: 5, thread: 7, time: 2, values: ["2"] }
    ]
    const { begun, live } = recording(["0"], () => {
      const found = rows
      rows = []
      return found
    })
    const traces = new Traces()
    const trace = traces.begin(options, 0)
    assert.isFalse(yield* trace.take(live, point, 7, valueOf("0")))
    assert.deepStrictEqual(begun, [8])
    assert.strictEqual(trace.engine, "script")
    yield* trace.drain
    const { hits } = traces.finish(trace)
    assert.deepStrictEqual(
      hits.map(({ hit, values }) => [hit, values["i"]]),
      [
        [1, "0"],
        [2, "1"],
        [3, "2"]
      ]
    )
  })
)

it.effect("a hit that the debugger recorded beside the stop of another thread counts once", () =>
  Effect.gen(function* () {
    const other = { id: 6, at: "app.c:9", expressions: ["n"] }
    let rows: ReadonlyArray<Row> = []
    const { begun, live } = recording(["0"], () => {
      const found = rows
      rows = []
      return found
    })
    const traces = new Traces()
    const trace = traces.begin({ ...options, points: [point, other] }, 0)
    yield* trace.take(live, point, 7, valueOf("0"))
    yield* trace.resuming
    // Thread 8 was recorded when thread 7 came to a point that is not recorded yet. The debugger names both.
    rows = [{ id: 5, thread: 8, time: 1, values: ["3"], isPresent: true }]
    yield* trace.take(live, other, 7, [{ expression: "n", value: "0" }])
    yield* trace.take(live, point, 8, valueOf("3"))
    yield* trace.resuming
    // At the next stop thread 8 is there again.
    yield* trace.take(live, point, 8, valueOf("4"))
    assert.isAbove(begun.length, 2)
    assert.deepStrictEqual(
      traces.finish(trace).hits.map((hit) => [hit.point, hit.thread, hit.values["i"] ?? hit.values["n"]]),
      [
        [5, 7, "0"],
        [5, 8, "3"],
        [6, 7, "0"],
        [5, 8, "4"]
      ]
    )
  })
)

it.effect("the manager records each hit of a point that it decides about", () =>
  Effect.gen(function* () {
    const { begun, live } = recording(["0"], () => [])
    const trace = new Traces().begin({ ...options, learns: true, isDecided: (id) => id === 5 }, 0)
    assert.isFalse(yield* trace.take(live, point, 7, valueOf("0")))
    assert.deepStrictEqual(begun, [])
    assert.strictEqual(trace.engine, "adapter")
    assert.deepStrictEqual(trace.learned, { refused: "app.c:8 cannot be read without a debugger" })
  })
)

it.effect("the manager records each hit if the debugger shows another value, or none", () =>
  Effect.gen(function* () {
    for (const shown of [["0x0"], undefined, []]) {
      const { begun, live } = recording(shown, () => [])
      const traces = new Traces()
      const trace = traces.begin(options, 0)
      for (const value of ["0", "1"]) assert.isFalse(yield* trace.take(live, point, 7, valueOf(value)))
      assert.deepStrictEqual(begun, [])
      assert.strictEqual(trace.engine, "adapter")
      assert.lengthOf(traces.finish(trace).hits, 2)
    }
  })
)

it.effect("a trace stops at its limit, and at the next hit after it was closed", () =>
  Effect.gen(function* () {
    const { live } = recording(undefined, () => [])
    const limited = new Traces().begin({ ...options, max: 2 }, 0)
    assert.isFalse(yield* limited.take(live, point, 7, valueOf("0")))
    assert.isTrue(yield* limited.take(live, point, 7, valueOf("1")))
    const closed = new Traces().begin(options, 0)
    yield* closed.close
    assert.isTrue(yield* closed.take(live, point, 7, valueOf("0")))
    assert.lengthOf(closed.result().hits, 0)
  })
)

it.effect("old records are dropped and counted when the values grow too long", () =>
  Effect.gen(function* () {
    const { live } = recording(undefined, () => [])
    const trace = new Traces().begin({ ...options, max: 10_000 }, 0)
    for (let index = 0; index < 5000; index++)
      yield* trace.take(live, point, 7, valueOf(`${index} ${"x".repeat(1000)}`))
    const { dropped, hits } = trace.result()
    assert.strictEqual(dropped + hits.length, 5000)
    assert.isBelow(hits.length, 4000)
    assert.strictEqual(hits.at(-1)?.hit, 5000)
  })
)

it.effect("a spec without expressions, with a count, or at a breakpoint is refused and sets nothing", () =>
  over(
    fakeWith({}),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      yield* call.break("app.c:10")
      for (const spec of ["app.c:12", "app.c:12 :: text", "app.c:12 hits 3 :: {i}", "app.c:10 :: {i}"]) {
        const error = yield* Effect.flip(call.trace([spec]))
        assert.strictEqual(error._tag, "Usage", spec)
      }
      assert.lengthOf((yield* call.breakpoints()).data.breakpoints, 2)
      assert.strictEqual((yield* Effect.flip(call.hits())).message, "nothing was traced")
    })
  )
)

it.effect("a trace learns where values are, and refuses what is not shown the same or not at the same place", () =>
  Effect.gen(function* () {
    const place = (offset: bigint, byte: number): Places => ({
      address: 64n,
      entry: 4096n,
      fields: [{ base: "frame", offset, size: 4, kind: "signed" }],
      bytes: [new Uint8Array([byte, 0, 0, 0])]
    })
    const learned = Effect.fnUntraced(function* (places: ReadonlyArray<Places>, values: ReadonlyArray<string>) {
      let asked = 0
      const tracer: Tracer = {
        logpoints: recording([], () => []).tracer.logpoints,
        values: () => Effect.succeed(undefined),
        begin: () => Effect.succeed(false),
        end: Effect.succeed([]),
        places: () => Effect.sync(() => places[asked++])
      }
      const trace = new Traces().begin({ ...options, learns: true }, 0)
      for (const value of values) yield* trace.take({ tracer }, point, 7, valueOf(value))
      return trace.learned
    })
    const fields = [{ base: "frame" as const, offset: -20n, size: 4, kind: "signed" as const }]
    assert.deepStrictEqual(yield* learned([place(-20n, 1), place(-20n, 2)], ["1", "2", "3"]), {
      points: [{ id: 5, address: 64n, fields }]
    })
    assert.deepStrictEqual(yield* learned([place(-20n, 1)], ["1"]), {
      refused: "the first run passed app.c:8 less than twice"
    })
    assert.deepStrictEqual(yield* learned([place(-20n, 1), place(-24n, 2)], ["1", "2"]), {
      refused: "the values at app.c:8 were at two places"
    })
    assert.deepStrictEqual(yield* learned([place(-20n, 1)], ["one", "2"]), {
      refused: "{i} is shown differently without a debugger"
    })
    assert.deepStrictEqual(yield* learned([{ refused: "i" }], ["1", "2"]), {
      refused: "{i} cannot be read without a debugger"
    })
  })
)
