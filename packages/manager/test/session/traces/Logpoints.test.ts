import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Registry from "../../../src/breakpoints/Registry.ts"
import * as Policy from "../../../src/model/permissions/Policy.ts"
import * as Secrets from "../../../src/model/secrets/Secrets.ts"
import type { Connection } from "../../../src/ports/Backend.ts"
import type { Tracer } from "../../../src/ports/Tracer.ts"
import * as Logpoints from "../../../src/session/traces/Logpoints.ts"

/** A debugger that answers `shown` and records the calls. */
const recording = (shown: ReadonlyArray<string> | undefined) => {
  const calls: Array<string> = []
  const call = (name: string) => Effect.sync(() => void calls.push(name))
  const tracer: Tracer = {
    values: () => Effect.succeed(undefined),
    begin: () => Effect.succeed(false),
    end: Effect.succeed([]),
    logpoints: {
      values: (_thread, expressions) => Effect.as(call(`values ${expressions.join(" ")}`), shown),
      begin: (id, expressions, room) => Effect.as(call(`begin ${id} ${expressions.join(" ")} ${room}`), true),
      take: call("take"),
      end: call("end")
    }
  }
  const live: Pick<Connection, "tracer"> = { tracer }
  return { calls, live }
}

/** Logpoints of a registry in which each number is a logpoint with 10 messages left. */
const make = Effect.fnUntraced(function* (isRecordable = true) {
  const secrets = Secrets.make(undefined)
  const registry = yield* Registry.make({ secrets, policy: Policy.none, sourceMap: undefined })
  const hits: Array<number> = []
  const texts: Array<string> = []
  const logpoints = Logpoints.make({
    breakpoints: {
      ...registry,
      hit: (ids) => void hits.push(...ids),
      isRecordable: () => isRecordable,
      roomOf: () => 10
    },
    secrets,
    connection: Effect.never,
    emit: (event) => void (event._tag === "Output" ? texts.push(event.text) : 0),
    isRunning: () => false,
    fork: () => undefined
  })
  return { hits, logpoints, texts }
})

const written = { id: 2, message: "i={i} {api_key}", thread: 7, values: ["1"] }

describe("the messages of a logpoint", () => {
  it.effect("are recorded by the debugger if it has the same values, and written with masks", () =>
    Effect.gen(function* () {
      const { hits, logpoints, texts } = yield* make()
      const { calls, live } = recording(["1"])
      yield* logpoints.offer(live, written)
      yield* logpoints.offer(live, written)
      assert.deepStrictEqual(calls, ["values i", "begin 2 i 10"])
      assert.isTrue(logpoints.isRecording(2))
      const hit = (stop: number, value: string) => ({ id: 2, thread: 7, stop, values: [value] })
      logpoints.logged({ hits: [hit(4, "2"), hit(5, "3")] })
      assert.deepStrictEqual(texts, ["i=2 <masked>\n", "i=3 <masked>\n"])
      assert.deepStrictEqual(hits, [2, 2])
    })
  )

  it.effect("are not written twice for a hit at the stop that another thread causes", () =>
    Effect.gen(function* () {
      const { logpoints } = yield* make()
      yield* logpoints.offer(recording(["1"]).live, written)
      const hits = [{ id: 2, thread: 7, stop: 5, values: ["2"] }]
      logpoints.logged({ hits })
      assert.isFalse(logpoints.isRecorded(2, 7), "the program runs")
      logpoints.logged({ hits: [], stop: 5 })
      assert.deepStrictEqual(
        [logpoints.isRecorded(2, 7), logpoints.isRecorded(2, 8), logpoints.isRecorded(3, 7)],
        [true, false, false]
      )
      logpoints.logged({ hits: [] })
      assert.isTrue(logpoints.isRecorded(2, 7), "hits are fetched while the stop is decided")
      logpoints.resuming()
      assert.isFalse(logpoints.isRecorded(2, 7))
      logpoints.logged({ hits: [], stop: 6 })
      assert.isFalse(logpoints.isRecorded(2, 7))
    })
  )

  it.effect("are written by the manager if the values differ, an expression failed, or it decides about each hit", () =>
    Effect.gen(function* () {
      for (const shown of [["2"], [], undefined]) {
        const { logpoints } = yield* make()
        const { calls, live } = recording(shown)
        yield* logpoints.offer(live, written)
        yield* logpoints.offer(live, written)
        assert.deepStrictEqual(calls, ["values i"], "asked once for a message")
        assert.isFalse(logpoints.isRecording(2))
      }
      const { calls, live } = recording(["1"])
      yield* (yield* make()).logpoints.offer(live, { ...written, values: undefined })
      yield* (yield* make()).logpoints.offer(live, { ...written, thread: undefined })
      yield* (yield* make(false)).logpoints.offer(live, written)
      assert.deepStrictEqual(calls, [])
    })
  )
})
