/** Breakpoints of every kind on real programs under the real lldb-dap. */
import { assert, layer } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect, FileSystem } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"

const main = { stop_at_main: true } as const

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("breakpoints", (it) => {
  it.effect("keeps the number of each of several functions, set together or one by one", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("threads", { break: ["main", "worker"] })
        for (const at of ["work", "puts"]) yield* call("break", { at })
        const { breakpoints } = (yield* call("breakpoint.list", {})).data
        for (const { locations, requested } of breakpoints) {
          assert.include(locations[0]?.function ?? "", requested.text, requested.text)
        }
        assert.lengthOf(breakpoints, 4)
      })
    )
  )

  it.effect("disables, enables and edits a breakpoint under its number", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("counted", main)
        const at = `counted.c:${line("counted.c", "body")}`
        assert.strictEqual((yield* call("break", { at })).data.id, 2)
        yield* call("continue", {})
        assert.deepStrictEqual((yield* call("continue", {})).data.hit_counts, [2])
        const off = (yield* call("breakpoint.disable", { ids: [2] })).data
        assert.deepInclude(off.breakpoints[0], { id: 2, enabled: false, hit_count: 2, resolved: true })
        const edited = (yield* call("breakpoint.edit", { id: 2, condition: "i == 7" })).data.breakpoints[0]
        assert.deepInclude(edited, { id: 2, condition: "i == 7", hit_count: 2, enabled: false })
        yield* call("breakpoint.enable", { ids: [2] })
        const stopped = yield* call("continue", {})
        assert.deepStrictEqual([stopped.data.breakpoints, stopped.data.hit_counts], [[2], [3]])
        assert.strictEqual((yield* call("print", { expressions: ["i"] })).data.values[0]?.value, "7")
        assert.deepInclude((yield* call("breakpoint.info", { id: 2 })).data, { id: 2, hit_count: 3 })
        assert.strictEqual((yield* Effect.flip(call("breakpoint.enable", { ids: [2, 9] })))._tag, "BreakpointNotFound")
        yield* call("breakpoint.disable", { all: true })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
      })
    )
  )

  it.effect("hits a breakpoint on a function again after it was disabled, beside others", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("threads", { break: ["main"] })
        assert.strictEqual((yield* call("break", { at: "work" })).data.id, 2)
        yield* call("breakpoint.disable", { ids: [2] })
        const on = (yield* call("breakpoint.enable", { ids: [2] })).data.breakpoints[0]
        assert.deepInclude(on, { id: 2, enabled: true, resolved: true })
        assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [2])
      })
    )
  )

  it.effect.each(["dap", "lldb-cli"] as const)(
    "adds single breakpoints to a long list of a file, under %s",
    (backend) =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("counted", { ...main, backend })
          const lines = (yield* call("breakpoint.lines", { at: "counted.c" })).data.lines.map((one) => one.line)
          const [write, body, after] = [
            line("counted.c", "write"),
            line("counted.c", "body"),
            line("counted.c", "after")
          ]
          const elsewhere = lines.filter((one) => (one > write + 2 && one < body - 3) || one > after)
          assert.isAbove(elsewhere.length, 8)
          const at = (place: number) => `counted.c:${place}`
          for (const place of elsewhere) yield* call("break", { at: at(place) })
          const conditional = (yield* call("break", { at: at(body), condition: "i == 7" })).data
          const counted = (yield* call("break", { at: at(after), hits: "==3" })).data
          const off = (yield* call("break", { at: at(write), disabled: true })).data
          const moved = (yield* call("break", { at: at(line("counted.c", "comment")) })).data
          const by = backend === "dap" ? "debugger-command" : "adapter"
          assert.deepInclude(conditional, { resolved: true, moved: false, by })
          assert.deepInclude(moved, { resolved: true, moved: true })
          assert.strictEqual(moved.locations[0]?.line, body)
          assert.deepInclude(off, { resolved: true, enabled: false })
          assert.strictEqual((yield* Effect.flip(call("break", { at: at(4000) })))._tag, "BreakpointUnresolved")
          yield* call("breakpoint.remove", { ids: [moved.id] })
          const { breakpoints } = (yield* call("breakpoint.list", {})).data
          assert.deepStrictEqual(
            breakpoints.map(({ id }) => id),
            [...elsewhere, 0, 0, 0].map((_, index) => index + 2)
          )
          assert.isTrue(breakpoints.every(({ locations, resolved }) => resolved && locations.length === 1))
          const third = (yield* call("continue", {})).data
          assert.deepStrictEqual([third.breakpoints, third.hit_counts], [[counted.id], [3]])
          assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [conditional.id])
          assert.strictEqual((yield* call("print", { expressions: ["i"] })).data.values[0]?.value, "7")
          yield* call("breakpoint.edit", { id: conditional.id, condition: "i == 9" })
          assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [conditional.id])
          assert.strictEqual((yield* call("print", { expressions: ["i"] })).data.values[0]?.value, "9")
          yield* call("breakpoint.enable", { ids: [off.id] })
          assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [off.id])
          const again = (yield* call("restart", {})).data
          assert.strictEqual(again.event, "stopped")
          yield* call("breakpoint.disable", { ids: [off.id] })
          assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [counted.id])
          assert.isTrue((yield* call("breakpoint.list", {})).data.breakpoints.every(({ resolved }) => resolved))
        })
      )
  )

  it.effect("counts hits in every form", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const at = `counted.c:${line("counted.c", "body")}`
        const forms = [
          ["5", "adapter", [4, 5, 6, 7, 8, 9]],
          ["==5", "manager", [4]],
          ["%4", "manager", [3, 7]],
          ["<3", "manager", [0, 1]],
          ["<=3", "manager", [0, 1, 2]],
          [">8", "manager", [8, 9]],
          [">=9", "manager", [8, 9]]
        ] as const
        for (const [hits, by, expected] of forms) {
          yield* start("counted", { ...main, replace: true })
          assert.deepInclude((yield* call("break", { at, hits })).data, { hits_wanted: hits, by }, hits)
          const seen: Array<number> = []
          const counts: Array<number> = []
          for (;;) {
            const { data } = yield* call("continue", {})
            if (data.event !== "stopped") break
            seen.push(Number((yield* call("print", { expressions: ["i"] })).data.values[0]?.value))
            counts.push(data.hit_counts?.[0] ?? 0)
          }
          assert.deepStrictEqual(seen, [...expected], hits)
          assert.deepStrictEqual(
            counts,
            expected.map((i) => i + 1),
            hits
          )
        }
      })
    )
  )

  it.effect("finishes a step over breakpoints that do not stop", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("counted", { break: [`counted.c:${line("counted.c", "body")}`] })
        yield* call("break", { at: "work hits ==100" })
        yield* call("break", { at: `counted.c:${line("counted.c", "after")} hits ==100` })
        const over = yield* call("next", {})
        assert.deepInclude(over.data, { reason: "step" })
        assert.strictEqual(over.data.location?.line, line("counted.c", "after"))
        yield* call("continue", {})
        yield* call("step", {})
        const finished = yield* call("finish", {})
        assert.deepInclude(finished.data, { reason: "finish" })
        assert.strictEqual(finished.data.location?.function, "main")
      })
    )
  )

  it.effect("writes a log message instead of stopping", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("counted", main)
        const at = `counted.c:${line("counted.c", "body")}`
        const set = (yield* call("logpoint", { at, message: "i={i} at {i * 2}", condition: "i < 3" })).data
        assert.deepInclude(set, { id: 2, log: "i={i} at {i * 2}", resolved: true })
        yield* call("logpoint", { at: "work", message: "n={n}", hits: "%5" })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        const written = (yield* call("output", { channel: ["log"] })).data.text
        assert.strictEqual(written, "i=0 at 0\ni=1 at 2\ni=2 at 4\nn=4\nn=9\n")
        assert.strictEqual((yield* call("output", { channel: ["stdout"] })).data.text, "total=45\n")
        const counts = (yield* call("breakpoint.list", {})).data.breakpoints.map(({ hit_count }) => hit_count)
        assert.deepStrictEqual(counts.slice(-2), [3, 10])
      })
    )
  )

  it.effect("sets breakpoints by pattern, address, file and module", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("counted", main)
        const pattern = (yield* call("break", { at: "/^WOR/i" })).data
        assert.deepInclude(pattern, { kind: "regex", resolved: true, by: "debugger-command" })
        const hit = (yield* call("continue", {})).data
        assert.deepStrictEqual(hit.breakpoints, [pattern.id])
        assert.strictEqual(hit.location?.function, "work")
        yield* call("breakpoint.disable", { ids: [pattern.id] })
        const address = (yield* call("break", { at: "*(char *)work" })).data
        assert.deepInclude(address, { kind: "address", resolved: true })
        assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [address.id])
        yield* call("breakpoint.remove", { ids: [address.id] })
        const inFile = (yield* call("break", { at: "counted.c:work" })).data
        assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [inFile.id])
        assert.isTrue((yield* call("break", { at: "counted`finish_up if total > 1" })).data.resolved)
        assert.strictEqual((yield* Effect.flip(call("break", { at: "nofile.c:work" })))._tag, "BreakpointUnresolved")
        assert.strictEqual(
          (yield* Effect.flip(call("break", { at: "/no_such_function_/" })))._tag,
          "BreakpointUnresolved"
        )
        assert.strictEqual((yield* Effect.flip(call("break", { at: "*no_such_name" })))._tag, "BreakpointUnresolved")
        yield* call("breakpoint.remove", { ids: [inFile.id] })
        assert.strictEqual((yield* call("continue", {})).data.location?.function, "finish_up")
      })
    )
  )

  it.effect("finds a breakpoint by the text of its line, also after the line moved", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { line, source } = yield* Programs
        yield* start("counted", main)
        const directory = yield* fs.makeTempDirectoryScoped()
        const file = source("counted.c")
        const body = line("counted.c", "body")
        const found = (yield* call("break", { at_text: "total += work(i);", in: file })).data
        assert.deepStrictEqual([found.requested.line, found.resolved], [body, true])
        assert.match(found.requested.line_text ?? "", /mark: body/)
        const twice = yield* Effect.flip(call("break", { at_text: "return", in: file }))
        assert.match(twice.message, /lines \d+, \d+/)
        assert.isTrue(
          (yield* call("break", { at_text: "return", in: file, nth: 2, condition: "1 == 2" })).data.resolved
        )
        const changed = yield* Effect.flip(call("break", { at: `${file}:${body}`, expect_text: "something else" }))
        assert.strictEqual(changed._tag, "InvalidLocation")
        const comment = line("counted.c", "comment")
        assert.isTrue((yield* call("break", { at: `${file}:${comment}` })).data.moved)
        yield* call("breakpoint.remove", { ids: [4] })
        const exact = yield* Effect.flip(call("break", { at: `${file}:${comment}`, snap: "off" }))
        assert.match(exact.message, /next one is in line \d+/)
        const lines = (yield* call("breakpoint.lines", { at: "counted.c" })).data.lines
        assert.include(
          lines.map((one) => one.line),
          body
        )
        assert.notInclude(
          lines.map((one) => one.line),
          comment
        )
        yield* call("breakpoint.disable", { ids: [2] })
        const saved = (yield* call("breakpoint.save", { file: `${directory}/kept.json` })).data
        const text = yield* fs.readFileString(saved.file)
        // No call replaces a file unless it says so.
        yield* fs.writeFileString(`${directory}/notes.txt`, "notes")
        const name = { file: `${directory}/notes.txt` }
        const replacing = [Hint.call("breakpoint.save", { ...name, force: true }, "to replace it")]
        const refused = yield* Effect.flip(call("breakpoint.save", name))
        assert.deepStrictEqual([refused._tag, refused.hints.slice(0, 1)], ["FileExists", replacing])
        assert.strictEqual((yield* Effect.flip(call("report", { out: name.file })))._tag, "FileExists")
        assert.strictEqual(yield* fs.readFileString(name.file), "notes")
        assert.strictEqual((yield* call("breakpoint.save", { file: saved.file, force: true })).data.file, saved.file)
        yield* call("report", { out: name.file, force: true })
        assert.include(yield* fs.readFileString(name.file), "## ")
        // As if lines had been put before it since.
        yield* fs.writeFileString(saved.file, text.replaceAll(`counted.c:${body}`, `counted.c:${body - 1}`))
        yield* start("counted", { replace: true, ...main })
        const loaded = (yield* call("breakpoint.load", { file: saved.file })).data
        assert.deepStrictEqual(loaded.failed, [])
        const again = loaded.breakpoints.find(({ requested }) => requested.line === body)
        assert.deepInclude(again, { enabled: false, resolved: true })
        assert.strictEqual((yield* call("break", { at: "work", temporary: true })).data.temporary, true)
        assert.strictEqual((yield* call("continue", {})).data.location?.function, "work")
        yield* call("status", {})
        const left = (yield* call("breakpoint.list", {})).data.breakpoints
        assert.isFalse(left.some(({ temporary }) => temporary))
      })
    )
  )

  it.effect("stops at a condition that cannot be evaluated, and reports it", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("counted", main)
        yield* call("break", { at: "work if nope == 2" })
        const stopped = yield* call("continue", {})
        assert.deepInclude(stopped.data, { event: "stopped", reason: "breakpoint" })
        assert.match(stopped.warnings[0]?.message ?? "", /^condition error: breakpoint 2: .*nope/)
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("watchpoints and exceptions", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect.runIf(hasWatchpoints())(
      `reports the value before and after a write, and its line, under ${backend}`,
      () =>
        debugging(({ call, start }) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            yield* start("counted", { ...main, backend })
            const set = (yield* call("watch", { expression: "written" })).data
            assert.deepInclude(set, { id: 2, kind: "watch", access: "write", size: 4, resolved: true })
            const first = (yield* call("continue", {})).data
            assert.deepInclude(first, { reason: "watchpoint", breakpoints: [2], hit_counts: [1] })
            assert.deepInclude(first.watch, { id: 2, expression: "written", old: "10", new: "11" })
            assert.strictEqual(first.watch?.written_at?.line, line("counted.c", "write"))
            assert.deepInclude((yield* call("continue", {})).data.watch, { old: "11", new: "12" })
            yield* call("breakpoint.edit", { id: 2, condition: "written > 14" })
            assert.deepInclude((yield* call("continue", {})).data.watch, { new: "15" })
            yield* call("breakpoint.disable", { ids: [2] })
            assert.deepInclude((yield* call("continue", {})).data, { event: "exited" })
          })
        )
    )
  }

  it.effect.runIf(hasWatchpoints())(
    "ends the watchpoint of a local with its frame, and refuses the fifth watchpoint",
    () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* start("counted", { break: ["finish_up"] })
          const set = (yield* call("watch", { expression: "left" })).data
          assert.deepInclude((yield* call("continue", {})).data.watch, { id: set.id })
          yield* call("breakpoint.edit", { id: set.id, condition: "left > 1000000" })
          const ended = (yield* call("continue", {})).data
          assert.deepInclude(ended, { event: "stopped", reason: "watchpoint" })
          assert.match(ended.description ?? "", /ended: finish_up returned/)
          assert.strictEqual(ended.location?.function, "main")
          const left = (yield* call("breakpoint.list", {})).data.breakpoints.map(({ kind }) => kind)
          assert.deepStrictEqual(left, ["function"])
          for (const expression of ["slots[0]", "slots[1]", "slots[2]", "slots[3]"])
            yield* call("watch", { expression })
          const full = yield* Effect.flip(call("watch", { expression: "slots[4]" }))
          assert.match(full.message, /no hardware slot free \(4 used\)/)
          assert.strictEqual((yield* Effect.flip(call("watch", { expression: "total + 1" })))._tag, "Usage")
        })
      )
  )

  it.effect("stops where an exception is thrown", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("thrower", main)
        const set = (yield* call("catch", { filter: "throw" })).data.filters.find(({ on }) => on)
        assert.deepInclude(set, { filter: "cpp_throw", id: 2 })
        const stopped = (yield* call("continue", {})).data
        assert.deepInclude(stopped, { reason: "exception", breakpoints: [2] })
        const thrown = (yield* call("exception", {})).data
        assert.deepInclude(thrown, { type: "std::runtime_error" })
        const [, listed] = (yield* call("stops", {})).data.stops
        assert.deepInclude(listed, { reason: "exception", exception_type: "std::runtime_error" })
        assert.deepInclude(thrown.thrown_at, { line: line("thrower.cpp", "throw") })
        const near = yield* Effect.flip(call("catch", { filter: "thrw" }))
        assert.match(near.message, /throw/)
        assert.isFalse((yield* call("catch.remove", { filter: "throw" })).data.filters.some(({ on }) => on))
        yield* call("catch", { filter: "abort" })
        const aborted = (yield* call("continue", {})).data
        assert.deepInclude(aborted, { event: "stopped", breakpoints: [3] })
      })
    )
  )
})
