/** Messages of logpoints that a script inside LLDB records, compared with those that the manager writes at each hit. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** Expressions at the line `sum`, with what records them after the first hit. */
const local: ReadonlyArray<readonly [string, "script" | "manager"]> = [
  ["i={i} total={total} odd={odd} half={half} third={third} color={color}", "script"],
  ["byte={byte} letter={letter} visits={visits} same={same} sum={i + total}", "script"],
  ["text={text} copy={copy} size={text.size()} list={list.size()}", "script"],
  ["text={text} copy={copy} list={list} named={named} maybe={maybe}", "script"],
  ["name={point.name} word={word} first={numbers[0]} either={either.real}", "script"],
  ["point={point} numbers={numbers} node={node} {either}", "manager"],
  ["next={node->next}", "manager"],
  ["value={node->value}", "script"],
  ["owned={owned} {nothing}", "manager"]
]

/** Expressions of arguments at the entry of the function. */
const entry: ReadonlyArray<readonly [string, "script" | "manager"]> = [
  ["i={i} text={text} visits={visits} twice={i * 2}", "script"],
  ["value={node->value} name={point.name}", "script"],
  ["next={node->next} {*node} {point}", "manager"]
]

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("logpoints", (it) => {
  for (const [backend, messages] of [
    ["lldb-cli", local],
    ["dap", entry]
  ] as const) {
    it.effect(`write the same text by a script and by the manager, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = backend === "dap" ? "visit" : `logged.cpp:${line("logged.cpp", "sum")}`
          const written = Effect.fnUntraced(function* (message: string, hits?: string) {
            yield* start("logged", { backend, break: ["main", "finish_up"] })
            yield* call("logpoint", { at, message, ...(hits === undefined ? {} : { hits }) })
            const { state } = yield* call("continue", {})
            assert.strictEqual(state, "stopped")
            const { text } = (yield* call("output", { channel: ["log"] })).data
            const { hit_count, log_by } = (yield* call("breakpoint.info", { id: 3 })).data
            yield* call("stop", {})
            return { text, hit_count, log_by }
          })
          // The manager writes all messages of a logpoint with such a count.
          const all = yield* written(messages.map(([message]) => message).join("@@"), "<1000")
          assert.deepInclude(all, { hit_count: 12, log_by: "manager" })
          const rows = all.text.trim().split("\n")
          for (const [index, [message, by]] of messages.entries()) {
            const { hit_count, log_by, text } = yield* written(message)
            assert.deepStrictEqual({ message, by: log_by, hit_count }, { message, by, hit_count: 12 })
            assert.strictEqual(text, rows.map((row) => `${row.split("@@")[index] ?? ""}\n`).join(""))
          }
        })
      )
    )

    it.effect(`keep conditions, counts, limits and secrets when a script records them, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = backend === "dap" ? "visit" : `logged.cpp:${line("logged.cpp", "sum")}`
          const log = call("output", { channel: ["log"], new: true })
          yield* start("logged", { backend, break: ["main", "finish_up"] })
          yield* call("logpoint", { at, message: "i={i} {client_secret}", condition: "i % 2 == 1", max: 4 })
          yield* call("continue", {})
          assert.strictEqual((yield* log).data.text, [1, 3, 5, 7].map((i) => `i=${i} <masked>\n`).join(""))
          const limited = (yield* call("breakpoint.info", { id: 3 })).data
          assert.deepInclude(limited, { enabled: false, hit_count: 4 })
          yield* call("restart", {})
          yield* call("breakpoint.edit", { id: 3, log: "from {i}", hits: "8", no_condition: true, no_max: true })
          yield* call("breakpoint.enable", { ids: [3] })
          yield* call("continue", {})
          assert.strictEqual((yield* log).data.text, [7, 8, 9, 10, 11].map((i) => `from ${i}\n`).join(""))
          yield* call("stop", {})
        })
      )
    )

    it.effect(`let a pause stop the program, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* start("loop", { backend, break: ["main"] })
          const { line } = yield* Programs
          yield* call("logpoint", { at: `loop.c:${line("loop.c", "loop")}`, message: "{turns}", max: 1_000_000 })
          yield* call("continue", { wait: false })
          const log = call("output", { channel: ["log"], limit: 1_000_000 })
          yield* Effect.repeat(log, { until: ({ data }) => data.text.split("\n").length > 3 })
          const paused = yield* call("pause", {})
          assert.strictEqual(paused.state, "stopped")
          const numbers = (yield* log).data.text.trim().split("\n")
          assert.isAbove(numbers.length, 2)
          const first = Number(numbers[0])
          assert.deepStrictEqual(
            numbers.map(Number),
            numbers.map((_, index) => first + index)
          )
          yield* call("stop", {})
        })
      )
    )
  }

  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`stop without their message, and are limited with a new one, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("logged", { backend, break: ["main", "finish_up"] })
          const logged = yield* call("logpoint", { at: `logged.cpp:${line("logged.cpp", "sum")}`, message: "i={i}" })
          const id = logged.data.id
          const [plain] = (yield* call("breakpoint.edit", { id: `${id}`, no_log: true })).data.breakpoints
          assert.doesNotHaveAnyKeys(plain, ["log", "max"])
          for (const _ of [1, 2]) {
            assert.deepInclude((yield* call("continue", {})).data, { reason: "breakpoint", breakpoints: [id] })
          }
          const [again] = (yield* call("breakpoint.edit", { id: `${id}`, log: "again" })).data.breakpoints
          assert.deepInclude(again, { log: "again", max: 1000 })
          assert.match((yield* call("continue", {})).data.location?.function ?? "", /finish_up/)
          assert.strictEqual((yield* call("output", { channel: ["log"] })).data.text, "again\n".repeat(10))
        })
      )
    )
  }
})
