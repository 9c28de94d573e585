/** Traces whose hits are recorded by probes of the kernel, which the test simulates by a list of records. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Secrets from "../../../src/model/secrets/Secrets.ts"
import type { Connection } from "../../../src/ports/Backend.ts"
import { type Probe, ProbeFailure, type Row } from "../../../src/ports/KernelProbes.ts"
import type { Tracer } from "../../../src/ports/Tracer.ts"
import { ProbedTrace } from "../../../src/session/traces/ProbedTrace.ts"
import { Traces } from "../../../src/session/traces/Traces.ts"
import { withoutLogpoints } from "../tracers.ts"

const point = { id: 5, at: "app.c:8", expressions: ["i", "token"] }
const secrets = Secrets.make(undefined)
const [main, other] = [7, 8]

const bytes = (value: number) => new Uint8Array([value, 0, 0, 0])
const row = (thread: number, time: number, i: number): Row => ({ id: 5, thread, time, values: [bytes(i), bytes(3)] })

/** A debugger that finds the values of the point at places, and reads there what `print` shows. */
const debuggerOf = (value: () => number): Pick<Connection, "tracer"> => {
  const tracer: Tracer = {
    logpoints: withoutLogpoints,
    values: () => Effect.succeed(undefined),
    begin: () => Effect.die("a script must not record"),
    end: Effect.succeed([]),
    places: () =>
      Effect.sync(() => ({
        address: 64n,
        entry: 4096n,
        fields: [
          { base: "frame" as const, offset: -20n, size: 4, kind: "signed" as const },
          { base: "static" as const, offset: 16n, size: 4, kind: "unsigned" as const }
        ],
        bytes: [bytes(value()), bytes(3)]
      }))
  }
  return { tracer }
}

/** A trace over a kernel that records the rows. */
const tracing = (rows: ReadonlyArray<Row>, lost = 0, fails = false, max = 10) => {
  const done: Array<string> = []
  let armed: ReadonlyArray<Probe> = []
  const probed = new ProbedTrace({
    recording: {
      arm: (probes) =>
        fails
          ? Effect.fail(new ProbeFailure({ reason: "the kernel said no" }))
          : Effect.sync(() => {
              armed = probes
              done.push("arm")
              return 0
            }),
      count: Effect.succeed(rows.length),
      disarm: Effect.sync(() => {
        done.push("disarm")
        return { rows, lost }
      })
    },
    disable: (id) => Effect.sync(() => void done.push(`disable ${id}`)),
    isShown: (_id, index, text, printed) => index === 1 || text === printed
  })
  const traces = new Traces()
  const trace = traces.begin(
    { points: [point], max, slow: true, isDecided: () => false, learns: true, probed, secrets },
    0
  )
  let value = 0
  const live = debuggerOf(() => value)
  const pass = (thread: number, next: number) => {
    value = next
    return trace.take(live, point, thread, [
      { expression: "i", value: `${next}` },
      { expression: "token", value: "<masked>" }
    ])
  }
  return { armed: () => armed, done, pass, probed, trace, traces }
}

it.effect("each thread of the stop at which the probe is armed repeats its record, which is left out", () =>
  Effect.gen(function* () {
    const rows = [row(main, 1, 2), row(other, 2, 1), row(other, 3, 9)]
    const { pass, trace, traces } = tracing(rows)
    yield* pass(other, 1)
    yield* pass(main, 2)
    yield* trace.resuming
    yield* trace.drain
    assert.deepStrictEqual(
      traces.finish(trace).hits.map(({ thread, values }) => [thread, values["i"]]),
      [
        [other, "1"],
        [main, "2"],
        [other, "9"]
      ]
    )
  })
)

it.effect("a record of a stop before the probe was armed is not left out", () =>
  Effect.gen(function* () {
    const { pass, trace, traces } = tracing([row(main, 1, 2), row(other, 2, 9)])
    yield* pass(other, 1)
    yield* trace.resuming
    yield* pass(main, 2)
    yield* trace.resuming
    yield* trace.drain
    assert.deepStrictEqual(
      traces.finish(trace).hits.map(({ thread, values }) => [thread, values["i"]]),
      [
        [other, "1"],
        [main, "2"],
        [other, "9"]
      ]
    )
  })
)

it.effect("the kernel records after the values were at the same place twice, and the repeated record is left out", () =>
  Effect.gen(function* () {
    const rows = [row(main, 1, 2), row(other, 2, 9), row(main, 3, 4)]
    const { armed, done, pass, trace, traces } = tracing(rows, 3)
    assert.isFalse(yield* pass(main, 1))
    assert.isTrue(yield* trace.resuming)
    assert.deepStrictEqual(done, [])
    assert.isFalse(yield* pass(main, 2))
    assert.isTrue(yield* trace.resuming)
    assert.deepStrictEqual(done, ["disable 5", "arm"])
    assert.deepStrictEqual(
      armed().map(({ address, fields }) => [address, ...fields.map(({ offset }) => offset)]),
      [[4160n, -20n, 4112n]]
    )
    yield* trace.drain
    yield* trace.drain
    assert.deepStrictEqual(done, ["disable 5", "arm", "disarm"])
    assert.strictEqual(trace.engine, "uprobe")
    assert.strictEqual(trace.lost, 3)
    assert.deepStrictEqual(
      traces.finish(trace).hits.map(({ thread, values }) => [thread, values["i"], values["token"]]),
      [
        [main, "1", "<masked>"],
        [main, "2", "<masked>"],
        [other, "9", "<masked>"],
        [main, "4", "<masked>"]
      ]
    )
  })
)

it.effect("nothing of the kernel is kept if it first records another value than print", () =>
  Effect.gen(function* () {
    const { pass, probed, trace, traces } = tracing([row(main, 1, 77), row(main, 2, 3)])
    yield* pass(main, 1)
    yield* pass(main, 2)
    yield* trace.resuming
    yield* trace.drain
    assert.strictEqual(probed.refused, "the kernel read 77 where print showed 2")
    assert.isTrue(yield* pass(main, 3))
    assert.deepStrictEqual(
      traces.finish(trace).hits.map(({ values }) => values["i"]),
      ["1", "2", "3"]
    )
  })
)

it.effect("a refusal of the kernel keeps the program stopped", () =>
  Effect.gen(function* () {
    const { pass, probed, trace } = tracing([], 0, true)
    yield* pass(main, 1)
    yield* pass(main, 2)
    assert.isFalse(yield* trace.resuming)
    assert.strictEqual(probed.refused, "the kernel said no")
    assert.strictEqual(trace.engine, "adapter")
  })
)

it.effect("passes after the limit are counted and not kept", () =>
  Effect.gen(function* () {
    const { pass, trace, traces } = tracing([row(main, 1, 2), row(main, 2, 3), row(main, 3, 4)], 0, false, 3)
    yield* pass(main, 1)
    yield* pass(main, 2)
    yield* trace.resuming
    yield* trace.drain
    assert.strictEqual(trace.later, 1)
    assert.lengthOf(traces.finish(trace).hits, 3)
  })
)

it.effect("breakpoints cannot be edited while probes are in the program", () =>
  Effect.gen(function* () {
    const { pass, trace, traces } = tracing([])
    yield* pass(main, 1)
    yield* traces.editable
    yield* pass(main, 2)
    yield* trace.resuming
    assert.strictEqual((yield* Effect.flip(traces.editable))._tag, "Unsupported")
    yield* trace.drain
    yield* traces.editable
  })
)
