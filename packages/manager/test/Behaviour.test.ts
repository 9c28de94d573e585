// Log messages, hit counts and names of breakpoints, and the events before and after a resume.
import { assert, describe, it } from "@effect/vitest"
import { type Client, Hint } from "@sigtrap/protocol"
import { Effect, type Scope } from "effect"
import { FakeBackend } from "../src/testing/index.ts"
import { call, calls, code, over, settle } from "./support.ts"

type Layers = Client.Client | Scope.Scope

/** Runs a test in a session stopped at breakpoint 1, in line 7 of `main`. */
const inMain = <A, E>(test: (fake: FakeBackend.Fake) => Effect.Effect<A, E, Layers>) => {
  const fake = FakeBackend.make()
  return over(fake, call.start({ break: ["main"] }).pipe(Effect.andThen(test(fake))))
}

const idsOf = (answer: { readonly data: { readonly ids: ReadonlyArray<number> } }) => answer.data.ids

describe("breakpoints are named", () => {
  it.effect("by number, range, list, label, location and all; none is changed when one is unknown", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:2", { name: "first" })
        yield* call.break("app.c:3")
        yield* call.break("square")
        assert.deepStrictEqual(idsOf(yield* call.disable(["2-3"])), [2, 3])
        assert.deepStrictEqual(idsOf(yield* call.enable(["2,3"])), [2, 3])
        assert.deepStrictEqual(idsOf(yield* call.disable(["first", 1])), [1, 2])
        assert.deepStrictEqual(idsOf(yield* call.disable(["app.c:3"])), [3])
        assert.strictEqual((yield* call.info("first")).data.id, 2)
        assert.deepStrictEqual(idsOf(yield* call.edit("first", { condition: "n > 1" })), [2])
        for (const wrong of ["9", "7-9", "nobody", "app.c:13"]) {
          assert.strictEqual(yield* code(call.remove(["1", wrong])), "BREAKPOINT_NOT_FOUND", wrong)
        }
        assert.strictEqual((yield* call.breakpoints()).data.breakpoints.length, 4)
        assert.strictEqual(yield* code(call.remove(["9-1"])), "USAGE")
        assert.deepStrictEqual(idsOf(yield* call.remove(["all"])), [1, 2, 3, 4])
      })
    )
  )

  it.effect("a label belongs to one breakpoint", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:2", { name: "it" })
        assert.strictEqual(yield* code(call.break("app.c:3", { name: "it" })), "USAGE")
        assert.strictEqual(yield* code(call.edit(1, { name: "it" })), "USAGE")
        assert.deepInclude((yield* call.break("app.c:2", { name: "it" })).data, { id: 2, existing: true })
      })
    )
  )

  it.effect("toggle inverts each breakpoint; the list can be limited to one kind", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("app.c:3", { disabled: true })
        const toggled = (yield* call.toggle([1, 2])).data.breakpoints
        assert.deepStrictEqual(
          toggled.map(({ enabled, id }) => [id, enabled]),
          [
            [1, false],
            [2, true]
          ]
        )
        const lines = (yield* call.breakpoints({ kind: ["line"] })).data.breakpoints
        assert.deepStrictEqual(
          lines.map(({ id }) => id),
          [2]
        )
      })
    )
  )

  it.effect.each([
    [{ function: "square" }, "square"],
    [{ file: "app.c", line: 3 }, "app.c:3"],
    [{ line: 8 }, "/src/app.c:8"],
    [{ regex: "^squ" }, "/^squ/"],
    [{ address: "0x10" }, "*0x10"]
  ] as const)("and set by explicit forms: %j", ([form, text]) =>
    inMain((fake) =>
      Effect.gen(function* () {
        yield* call.break(undefined, { ...form, pending: true })
        const [, made] = (yield* call.breakpoints()).data.breakpoints
        assert.strictEqual(made?.requested.text, text)
        assert.strictEqual(yield* code(call.break("main", form)), "USAGE")
        assert.isDefined(yield* fake.newest)
      })
    )
  )

  it.effect("a text anchor can be searched before it is set", () =>
    inMain(() =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* call.anchors("app.c", "return result;")).data, {
          file: "/src/app.c",
          matches: [{ line: 3, text: "return result;" }],
          total: 1
        })
        assert.strictEqual((yield* call.anchors("app.c", "return")).data.total, 2)
        assert.strictEqual((yield* call.anchors("app.c", "nothing like it")).data.total, 0)
        assert.strictEqual(yield* code(call.anchors("apple.c", "x")), "SOURCE_NOT_FOUND")
      })
    )
  )
})

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

describe("around a resume", () => {
  it.effect("breakpoints are set and removed before, and expressions are evaluated after", () =>
    inMain(() =>
      Effect.gen(function* () {
        const { data } = yield* call.continue({ break: ["app.c:3"], remove_break: ["main"], eval: ["n", "nothing"] })
        assert.deepStrictEqual(data.breakpoints, [2])
        assert.deepInclude(data.evaluations?.[0], { expression: "n", value: "1" })
        assert.isDefined(data.evaluations?.[1]?.error)
        const left = (yield* call.breakpoints()).data.breakpoints
        assert.deepStrictEqual(
          left.map(({ id }) => id),
          [2]
        )
      })
    )
  )

  it.effect("nothing is resumed or changed when one breakpoint is invalid", () =>
    inMain((fake) =>
      Effect.gen(function* () {
        const unset = call.continue({ break: ["app.c:3", "nofile.c:1"] })
        assert.strictEqual(yield* code(unset), "BREAKPOINT_UNRESOLVED")
        const unknown = call.next({ break: ["app.c:3"], remove_break: ["9"] })
        assert.strictEqual(yield* code(unknown), "BREAKPOINT_NOT_FOUND")
        yield* settle
        assert.strictEqual((yield* fake.newest).count("resume"), 0)
        assert.strictEqual((yield* call.breakpoints()).data.breakpoints.length, 1)
      })
    )
  )

  it.effect("the options of a resume are passed to the debugger", () =>
    inMain((fake) =>
      Effect.gen(function* () {
        yield* call.next({ only_thread: true })
        yield* call.step({ into_system: true })
        const resumes = (yield* fake.newest).requests.filter(({ request }) => request === "resume")
        assert.deepInclude(resumes[0]?.detail, { how: "next", manner: { only: true, locals: true } })
        assert.deepInclude(resumes[1]?.detail, { how: "step", manner: { system: true, locals: true } })
      })
    )
  )
})

describe("inspection", () => {
  it.effect("reads variables by name in any scope, and finds where a name is visible", () =>
    inMain(() =>
      Effect.gen(function* () {
        const { data } = yield* call.vars(["total", "counter", "nobody"])
        assert.deepStrictEqual(
          data.variables.map(({ name, value }) => [name, value]),
          [
            ["total", "0"],
            ["counter", "7"]
          ]
        )
        assert.deepStrictEqual(data.not_found, ["nobody"])
        assert.deepInclude((yield* call.find("total")).data.matches[0], { kind: "var", frame: 0, scope: "local" })
        assert.deepInclude((yield* call.find("counter")).data.matches[0], { kind: "var", scope: "global" })
        assert.deepInclude((yield* call.find("square")).data.matches[0], { kind: "func" })
        assert.deepInclude((yield* call.find("pair", { kind: ["type"] })).data.matches[0], { kind: "type" })
        assert.strictEqual(yield* code(call.find("nobody")), "SYMBOL_NOT_FOUND")
      })
    )
  )

  it.effect("filters, sorts and scopes locals", () =>
    inMain(() =>
      Effect.gen(function* () {
        const names = (input: Parameters<typeof call.locals>[0]) =>
          Effect.map(call.locals(input), ({ data }) => data.variables.map(({ name }) => name))
        assert.deepStrictEqual(yield* names({ sort: true }), ["i", "pair", "total"])
        assert.deepStrictEqual(yield* names({ filter: "/^[it]/" }), ["total", "i"])
        assert.deepStrictEqual(yield* names({ type: "^int$" }), ["total", "i"])
        assert.deepStrictEqual(yield* names({ scope: ["args"] }), ["total"])
        assert.deepStrictEqual(yield* names({ scope: ["globals"] }), ["counter"])
        assert.deepStrictEqual(yield* names({ scope: ["registers"] }), ["pc", "sp", "st0"])
        assert.strictEqual(yield* code(call.locals({ type: "(" })), "USAGE")
        assert.strictEqual(yield* code(call.locals({ filter: "/(/" })), "USAGE")
      })
    )
  )

  it.effect("lists the globals of the frame's file, of the others, or of one", () =>
    inMain(() =>
      Effect.gen(function* () {
        const rows = (input: Parameters<typeof call.globals>[0]) =>
          Effect.map(call.globals(input), ({ data }) =>
            data.variables.map(({ file = "", name, value }) => `${file}${name}=${value}`)
          )
        assert.deepStrictEqual(yield* rows({}), ["counter=7", "other.ccounter=9", "other.climit=100"])
        assert.deepStrictEqual(yield* rows({ file: "other.c" }), ["other.ccounter=9", "other.climit=100"])
        assert.deepStrictEqual(yield* rows({ file: "app.c" }), ["counter=7"])
        assert.deepStrictEqual(yield* rows({ names: ["limit"] }), ["other.climit=100"])
        assert.deepStrictEqual((yield* call.globals({ names: ["limit", "nosuch"] })).data.not_found, ["nosuch"])
        assert.strictEqual(yield* code(call.globals({ file: "nosuch.c" })), "SOURCE_NOT_FOUND")
      })
    )
  )

  it.effect("compares variables and expressions with an earlier stop", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.locals({ changed: true })
        yield* call.break("app.c:11")
        yield* call.continue()
        yield* call.changed({ expr: ["total"] })
        yield* call.continue()
        const { data } = yield* call.changed({ expr: ["total"] })
        assert.deepInclude(data.vars, { name: "total", old: "1", new: "5" })
        const since = (yield* call.changed({ since: 1 })).data
        assert.deepInclude(since, { from: 1, to: 3 })
        assert.deepInclude(since.vars, { name: "total", old: "0", new: "5" })
        assert.strictEqual(yield* code(call.changed({ since: 3 })), "INVALID_STATE")
        assert.strictEqual((yield* Effect.flip(call.changed({ expr: ["total = 1"] })))._tag, "SideEffects")
      })
    )
  )

  it.effect("continues the previous listing until the location changes", () =>
    inMain(() =>
      Effect.gen(function* () {
        const first = (yield* call.source(undefined, { lines: 1 })).data
        assert.deepStrictEqual([first.first, first.lines.length], [6, 3])
        const next = (yield* call.source(undefined, { lines: 1 })).data
        assert.deepStrictEqual([next.first, next.lines.length], [9, 3])
        yield* call.next()
        assert.strictEqual((yield* call.source(undefined, { lines: 1 })).data.first, 9)
      })
    )
  )

  it.effect("shows the outermost frames, those that match, and their variables", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.break("square")
        yield* call.continue()
        const functions = (input: Parameters<typeof call.backtrace>[0]) =>
          Effect.map(call.backtrace(input), ({ data }) => data.frames.map((frame) => frame.function))
        assert.deepStrictEqual(yield* functions({ limit: -1 }), ["main"])
        assert.deepStrictEqual(yield* functions({ limit: -1, all_frames: true }), ["__libc_start_main"])
        assert.deepStrictEqual(yield* functions({ match: "^sq" }), ["square"])
        const [top, caller] = (yield* call.backtrace({ locals: true })).data.frames
        assert.deepStrictEqual(
          [top?.locals?.map(({ name }) => name), caller?.locals?.map(({ name }) => name)],
          [["result"], ["i", "pair"]]
        )
        const [args] = (yield* call.backtrace({ args: true })).data.frames
        assert.deepStrictEqual(
          args?.locals?.map(({ name }) => name),
          ["n"]
        )
        assert.strictEqual(yield* code(call.backtrace({ match: "(" })), "USAGE")
        assert.strictEqual(yield* code(call.backtrace({ limit: 0 })), "USAGE")
      })
    )
  )

  it.effect("reads memory as words and writes numbers, files or bytes, one of them", () =>
    inMain(() =>
      Effect.gen(function* () {
        const { data } = yield* call.memoryWords("0x1000", { count: 8, size: 4, format: "x" })
        assert.deepStrictEqual(data.values, ["0x03020100", "0x07060504"])
        yield* call.memoryValues("0x1000", ["-1", "0x10"], { size: 2 })
        assert.deepStrictEqual((yield* call.memoryWords("0x1000", { count: 4, format: "d", size: 2 })).data.values, [
          "-1",
          "16"
        ])
        for (const wrong of calls(
          call.memoryWords("0x1000", { size: 3 }),
          call.memoryWords("0x1000", { size: 2, format: "f" }),
          call.memoryValues("0x1000", ["300"]),
          call.memoryValues("0x1000", ["1"], { hex: "01" }),
          call.memoryValues("0x1000", [])
        )) {
          assert.strictEqual(yield* code(wrong), "USAGE")
        }
      })
    )
  )

  it.effect("lists references, and registers in another format", () =>
    inMain(() =>
      Effect.gen(function* () {
        yield* call.print(["pair"])
        const { references } = (yield* call.refs()).data
        assert.isTrue(references.some(({ expression, kind }) => kind === "value" && expression === "pair"))
        const { groups } = (yield* call.registers({ format: "d" })).data
        assert.deepStrictEqual(
          groups[0]?.registers.map(({ value }) => value),
          ["7", "9"]
        )
      })
    )
  )
})
