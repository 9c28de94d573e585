// Options of breakpoints: hit limits, threads, expressions and commands at their stops.
import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import { FakeBackend } from "../../../src/testing/index.ts"
import { call, calls, code, over } from "../../support.ts"
import { inMain } from "../../stoppedSessions.ts"

describe("a breakpoint", () => {
  it.effect("that is enabled once is disabled after its next stop", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:3", { disabled: true })
        yield* call.enable([2], { once: true })
        assert.deepStrictEqual((yield* call.continue()).data.breakpoints, [2])
        assert.deepInclude((yield* call.info(2)).data, { enabled: false, hit_count: 1 })
        assert.strictEqual((yield* call.continue()).data.event, "exited")
      })
    )
  )

  it.effect("stops at most max times", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:3", { max: 2 })
        assert.deepStrictEqual((yield* call.continue()).data.breakpoints, [2])
        assert.deepStrictEqual((yield* call.continue()).data.breakpoints, [2])
        assert.strictEqual((yield* call.continue()).data.event, "exited")
      })
    )
  )

  it.effect("that writes messages is disabled after its last message", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.logpoint("app.c:3", "n={n}", { max: 2 })
        assert.strictEqual((yield* call.continue()).data.event, "exited")
        assert.strictEqual((yield* call.output({ channel: ["log"] })).data.text, "n=1\nn=2\n")
        assert.deepInclude((yield* call.breakpoints()).data.breakpoints[1], { enabled: false })
      })
    )
  )

  it.effect("evaluates expressions at its stops and records the values", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:3", { eval: ["n", "missing"] })
        const { data } = yield* call.continue()
        assert.deepInclude(data.evaluations?.[0], { expression: "n", value: "1" })
        assert.include(data.evaluations?.[1]?.error, "missing")
        yield* call.continue()
        const { history } = (yield* call.info(2)).data
        assert.deepStrictEqual(
          history.map(({ hit, values }) => [hit, values?.["n"]]),
          [
            [1, "1"],
            [2, "2"]
          ]
        )
      })
    )
  )

  it.effect("runs the debugger's commands once at each stop", () =>
    inMain((fake) =>
      Effect.gen(function* () {
        yield* call.break("app.c:3", { cmd: ["info all"] })
        assert.deepStrictEqual((yield* call.continue()).data.commands, [
          { command: "info all", output: "ran info all" }
        ])
        yield* call.context()
        const { requests } = yield* fake.newest
        const ran = requests.filter(
          ({ detail, request }) => request === "command" && JSON.stringify(detail).includes("all")
        )
        assert.strictEqual(ran.length, 1)
      })
    )
  )

  it.effect("with continue writes the values and does not stop", () =>
    inMain(() =>
      Effect.gen(function* () {
        assert.deepInclude((yield* call.break("app.c:3", { eval: ["n", "result"], continue: true })).data, {
          by: "manager"
        })
        assert.strictEqual((yield* call.continue()).data.event, "exited")
        assert.strictEqual(
          (yield* call.output({ channel: ["log"] })).data.text,
          [1, 2, 3].map((n) => `breakpoint 2 (hit ${n}): n = ${n}, result = ${n * n}\n`).join("")
        )
      })
    )
  )

  it.effect("stops only its thread, by id or by name", () =>
    Effect.forEach(
      [
        [{ thread: 1 }, "stopped"],
        [{ thread: 2 }, "exited"],
        [{ thread_name: "^ap+$" }, "stopped"],
        [{ thread_name: "worker" }, "exited"]
      ] as const,
      ([where, event]) =>
        inMain(() =>
          Effect.gen(function* () {
            yield* call.break("app.c:3", where)
            assert.strictEqual((yield* call.continue()).data.event, event, JSON.stringify(where))
          })
        ),
      { discard: true }
    )
  )

  it.effect("refuses an invalid regular expression as thread name, and expressions of two lines", () =>
    inMain(() =>
      Effect.gen(function* () {
        for (const wrong of calls(
          call.break("app.c:3", { thread_name: "(" }),
          call.break("app.c:3", { eval: ["a\nb"] }),
          call.break("app.c:3", { cmd: ["a\0"] }),
          call.break("app.c:3", { hits: "2", ignore: 1 }),
          call.enable([1], { once: true, count: 2 })
        )) {
          assert.strictEqual(yield* code(wrong), "USAGE")
        }
        assert.strictEqual((yield* call.breakpoints()).data.breakpoints.length, 1)
      })
    )
  )

  it.effect("ignores the first hits", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:3", { ignore: 2 })
        assert.deepStrictEqual((yield* call.continue()).data.hit_counts, [3])
      })
    )
  )

  it.effect("that is disabled stays disabled when the program runs to its place", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:3", { disabled: true })
        const mian = yield* Effect.flip(call.until("mian"))
        assert.deepStrictEqual(mian.hints, [Hint.call("until", { at: "main" })])
        assert.deepStrictEqual((yield* Effect.flip(call.until("nosuch"))).hints, [Hint.help("until")])
        const args = yield* Effect.flip(call.set("args", "a b"))
        assert.deepStrictEqual(
          args.hints[0],
          Hint.call("restart", { args: ["a", "b"] }, "to run it with these arguments")
        )
        assert.deepInclude((yield* call.until("app.c:3")).data, { reached: true, reason: "until" })
        const left = (yield* call.breakpoints()).data.breakpoints
        assert.deepStrictEqual(
          left.map(({ enabled, id }) => [id, enabled]),
          [
            [1, true],
            [2, false]
          ]
        )
      })
    )
  )
})

describe("a temporary breakpoint", () => {
  it.effect("is in the report of its stop, and removed", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        const { data } = yield* call.start({ stop_at_main: true })
        assert.deepStrictEqual([data.breakpoints, data.hit_counts], [[1], [1]])
        assert.deepStrictEqual((yield* call.breakpoints()).data.breakpoints, [])
        assert.deepStrictEqual((yield* call.next()).data.breakpoints, [])
      })
    )
  )
})
