/** Several breakpoints at one place, and what is said of breakpoints when a program ends, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("breakpoints at one place", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`keep each condition, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = `counted.c:${line("counted.c", "after")}`
          const started = yield* start("counted", {
            backend,
            break: [
              `${at} if i == 1`,
              `${at} if i == 3`,
              "work if n == 2",
              "work if n == 5",
              `${at} if i > 99`,
              "finish_up if total < 0"
            ]
          })
          const first = started.data
          assert.deepStrictEqual(first.event === "stopped" ? first.breakpoints : [], [1])
          const { breakpoints } = (yield* call("breakpoint.list", {})).data
          assert.deepStrictEqual(
            breakpoints.map(({ condition, id, resolved }) => [id, condition, resolved]),
            [
              [1, "i == 1", true],
              [2, "i == 3", true],
              [3, "n == 2", true],
              [4, "n == 5", true],
              [5, "i > 99", true],
              [6, "total < 0", true]
            ]
          )
          const hits: Array<ReadonlyArray<number> | undefined> = []
          for (let time = 0; time < 3; time++) hits.push((yield* call("continue", {})).data.breakpoints)
          assert.deepStrictEqual(hits, [[3], [2], [4]])
          const ended = (yield* call("continue", {})).data
          assert.strictEqual(ended.event, "exited")
          assert.deepStrictEqual(ended.never_hit, [
            { id: 5, at, condition: "i > 99" },
            { id: 6, at: "finish_up", condition: "total < 0" }
          ])
        })
      )
    )

    it.effect(`are reached by until, which is not shown with a number, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = `counted.c:${line("counted.c", "after")}`
          yield* start("counted", { backend, break: ["work"] })
          const first = (yield* call("until", { at })).data
          assert.deepInclude(first, { reason: "until", reached: true })
          assert.deepInclude((yield* call("status", {})).data, { reason: "until" })
          assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [1])

          const own = (yield* call("break", { at })).data
          const address = own.locations[0]?.address ?? ""
          const second = (yield* call("until", { at: `*${address}` })).data
          assert.deepInclude(second, { reason: "breakpoint", breakpoints: [own.id], reached: true })
          const { breakpoints } = (yield* call("breakpoint.list", {})).data
          assert.deepStrictEqual(
            breakpoints.map(({ id }) => id),
            [1, own.id]
          )
        })
      )
    )

    it.effect(`name an uncaught exception, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const stopped = (yield* start("thrower", { backend, catch: ["uncaught"] })).data
          assert.deepInclude(stopped, { event: "stopped", reason: "exception", breakpoints: [1] })
          assert.deepInclude(stopped.exception, { type: "std::runtime_error", message: "too big" })
          assert.deepInclude((yield* call("exception", {})).data, { type: "std::runtime_error" })
          for (const [word, type, message] of [
            ["number", "int", "2"],
            ["class", "Failure", undefined]
          ] as const) {
            const other = yield* start("thrower", { backend, catch: ["uncaught"], args: [word], replace: true })
            assert.deepInclude(other.data.exception, { type })
            // A class without a text has none; the debugger's number of the breakpoint is none.
            assert.strictEqual(other.data.exception?.message, message)
          }
        })
      )
    )

    it.effect(`stop a child of fork on request, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const input = { backend, break: ["child_work"], follow_fork: "child" } as const
          const stopped = (yield* start("forking", input)).data
          assert.deepInclude(stopped, { event: "stopped", reason: "breakpoint", breakpoints: [1] })
          assert.strictEqual((yield* call("print", { expressions: ["n"] })).data.values[0]?.value, "1")
          const followed = (yield* call("continue", {})).data
          assert.deepInclude(followed, { event: "exited", exit_code: 2 })
          assert.isUndefined(followed.children)
          const ended = (yield* start("forking", { backend, break: ["child_work"], session: "parent" })).data
          assert.deepInclude(ended, { event: "exited", exit_code: 0 })
          assert.deepStrictEqual(ended.event === "exited" ? ended.children?.map((one) => one.followed) : [], [
            false,
            false
          ])
          // Of the two backends only lldb-dap reports that the program continued at a fork.
          if (backend === "lldb-cli") return
          const { line } = yield* Programs
          const at = `forking.c:${line("forking.c", "after")}`
          const one = yield* start("forking", { backend, break: [at], session: "stops" })
          const two = yield* call("continue", { session: "stops" })
          const children = [one.data, two.data].map((report) => report.children?.map(({ pid }) => pid) ?? [])
          assert.deepStrictEqual(
            children.map((pids) => pids.length),
            [1, 1]
          )
          const { events } = (yield* call("events", { session: "stops", kind: ["forked"] })).data
          assert.deepStrictEqual(
            events.map(({ pid }) => pid),
            children.flat()
          )
          const child = yield* start("forking", { ...input, session: "child" })
          const { pid } = (yield* call("status", { session: "child" })).data
          const { pid: forked } = (yield* call("events", { session: "child", kind: ["forked"] })).data.events[0] ?? {}
          assert.deepStrictEqual([child.data.children, pid], [undefined, forked])
          assert.isDefined(pid)
        })
      )
    )

    it.effect(`are updated by a later condition, and counted by the debugger up to ==N, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = `counted.c:${line("counted.c", "body")}`
          yield* start("counted", { backend, break: ["main"] })
          const beyond = yield* Effect.flip(call("break", { at: "counted.c:900" }))
          assert.match(
            beyond.message,
            /no code at line 900 .*; the last line with code is (\d+)\); nearest: counted\.c:\1$/
          )
          assert.lengthOf(beyond.hints, 1)
          assert.isUndefined((yield* call("break", { at, condition: "i == 2" })).data.updated)
          assert.deepInclude((yield* call("break", { at, condition: "i == 4" })).data, {
            id: 2,
            condition: "i == 4",
            updated: true
          })
          assert.isUndefined((yield* call("break", { at, condition: "i == 4" })).data.updated)
          yield* call("continue", {})
          assert.strictEqual((yield* call("print", { expressions: ["i"] })).data.values[0]?.value, "4")
          yield* call("break", { at: "work", hits: "==3" })
          yield* call("break", { at: "finish_up", hits: "5" })
          const third = (yield* call("continue", {})).data
          assert.deepStrictEqual([third.breakpoints, third.hit_counts], [[3], [3]])
          assert.strictEqual((yield* call("print", { expressions: ["written"] })).data.values[0]?.value, "16")
          const ended = (yield* call("continue", {})).data
          assert.strictEqual(ended.event, "exited")
          assert.deepStrictEqual(ended.never_hit, [{ id: 4, at: "finish_up", hits: "5", passed: 1 }])
        })
      )
    )
  }
})
