import { assert, describe, it } from "@effect/vitest"
import { Hint, type Variable } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { FakeBackend, SimulatedProgram } from "../../src/testing/index.ts"
import { members } from "../../src/operations/values/Types.ts"
import { call, calls, code, fakeWith, honest, over } from "../support.ts"

const bytesOf = (text: string) => [...Result.getOrThrow(Base64.decode(text))]

/** Runs a test in a session stopped in line 2, in `square`, called by `main`. */
const inSquare = <A, E, R>(
  test: (fake: FakeBackend.Fake) => Effect.Effect<A, E, R>,
  fake = FakeBackend.make(SimulatedProgram.sample)
) =>
  [
    fake,
    call.start({ break: ["square"] }).pipe(
      Effect.andThen(test(fake)),
      Effect.tap(() => Effect.sync(() => honest(fake)))
    )
  ] as const

describe("the selection", () => {
  it.effect("applies to locals, print, source and context until the program is resumed", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          assert.deepInclude((yield* call.frame()).data.frame, { index: 0, function: "square" })
          assert.deepInclude((yield* call.up()).data.frame, { index: 1, function: "main" })
          assert.strictEqual((yield* call.locals()).data.frame.function, "main")
          assert.strictEqual((yield* call.print(["i"])).data.values[0]?.value, "1")
          assert.strictEqual((yield* call.source()).data.current, 10)
          assert.strictEqual((yield* call.context()).data.location?.function, "main")
          assert.strictEqual((yield* call.backtrace()).data.selected, 1)
          assert.strictEqual((yield* call.locals({ frame: 0 })).data.frame.function, "square")
          yield* call.next()
          assert.strictEqual((yield* call.frame()).data.frame.index, 0)
        })
      )
    )
  )

  it.effect("stops at either end of the stack, and the answer says so", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          yield* call.frame("1")
          const outer = (yield* call.up(9)).data
          assert.deepStrictEqual([outer.frame.index, outer.end], [1, "outermost"])
          const inner = (yield* call.down()).data
          assert.deepStrictEqual([inner.frame.index, inner.end], [0, undefined])
          const past = (yield* call.down(2)).data
          assert.deepStrictEqual([past.frame.index, past.end], [0, "innermost"])
          assert.strictEqual((yield* call.frame()).data.frame.index, 0)
        })
      )
    )
  )

  it.effect("accepts references of frames, which are stale after a step", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          const main = (yield* call.backtrace()).data.frames[1]?.ref ?? ""
          assert.strictEqual((yield* call.frame(main)).data.frame.function, "main")
          yield* call.step()
          assert.strictEqual(yield* code(call.frame(main)), "STALE_REF")
        })
      )
    )
  )

  it.effect("of a thread begins at its innermost frame", () => {
    const program = {
      ...SimulatedProgram.sample,
      threads: [
        { id: 1, name: "app" },
        { id: 2, name: "worker" }
      ] as const
    }
    return over(
      ...inSquare(
        () =>
          Effect.gen(function* () {
            const { threads } = (yield* call.threads()).data
            assert.deepStrictEqual(
              threads.map(({ current, id, location }) => [id, current, location?.function]),
              [
                [1, true, "square"],
                [2, false, "worker"]
              ]
            )
            yield* call.up()
            yield* call.thread(2)
            assert.strictEqual((yield* call.frame()).data.frame.function, "worker")
            assert.strictEqual((yield* call.locals({ thread: 1 })).data.frame.function, "square")
            assert.strictEqual(yield* code(call.thread(7)), "THREAD_NOT_FOUND")
            assert.deepStrictEqual(
              (yield* call.threads({ match: "WORKER" })).data.threads.map(({ id }) => id),
              [2]
            )
            const all = (yield* call.backtrace({ all_threads: true })).data.threads ?? []
            assert.deepStrictEqual(
              all.map(({ frames }) => frames[0]?.function),
              ["square", "worker"]
            )
          }),
        FakeBackend.make(program)
      )
    )
  })

  it.effect("is of the first thread if the debugger does not list the one that stopped", () => {
    const fake = FakeBackend.make()
    return over(
      ...inSquare(
        () =>
          Effect.gen(function* () {
            const debuggee = yield* fake.newest
            for (const thread of [-5, undefined]) {
              debuggee.emit({ _tag: "Continued" })
              debuggee.emit({
                _tag: "Stopped",
                reason: "pause",
                raw_reason: "pause",
                breakpoints: [],
                focus: true,
                ...(thread === undefined ? {} : { thread })
              })
              assert.strictEqual((yield* call.wait()).data.location?.function, "square")
              assert.strictEqual((yield* call.locals()).data.frame.function, "square")
              assert.deepInclude((yield* call.threads()).data.threads[0], { id: 1, current: true })
            }
          }),
        fake
      )
    )
  })

  it.effect("is of the thread that a short number or an id of the system names", () => {
    const program = {
      ...SimulatedProgram.sample,
      threads: [
        { id: 4711, os_id: 4711, name: "app" },
        { id: 4713, os_id: 4713, name: "worker" }
      ] as const
    }
    return over(
      ...inSquare(
        () =>
          Effect.gen(function* () {
            assert.deepStrictEqual(
              (yield* call.threads()).data.threads.map(({ id, label, number }) => [id, number, label]),
              [
                [4711, 1, "Thread 1 (app)"],
                [4713, 2, "Thread 2 (worker)"]
              ]
            )
            assert.strictEqual((yield* call.backtrace({ thread: 2 })).data.frames[0]?.function, "worker")
            assert.strictEqual((yield* call.locals({ thread: 1 })).data.frame.function, "square")
            assert.strictEqual((yield* call.thread(4713)).data.thread.number, 2)
            assert.deepInclude(yield* Effect.flip(call.thread(3)), { id: 3, known: [1, 2] })
            assert.strictEqual((yield* call.break("main", { thread: 2 })).data.thread, 4713)
            assert.strictEqual((yield* call.next({ thread: 1 })).data.thread?.number, 1)
          }),
        FakeBackend.make(program)
      )
    )
  })

  it.effect("is not needed to list the threads of a running program", () => {
    const fake = fakeWith({ pace: "on demand" })
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ wait: false })
        const [thread] = (yield* call.threads()).data.threads
        assert.deepInclude(thread, { id: 1, state: "running", current: false })
        for (const asked of calls(call.frame(), call.up(), call.args(), call.registers(), call.memoryRead("0x1000"))) {
          assert.strictEqual(yield* code(asked), "NOT_STOPPED")
        }
      })
    )
  })
})

describe("values", () => {
  it.effect("are expanded by pages and levels", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          yield* call.up()
          const page = yield* call.expand("pair", { count: 1 })
          assert.deepStrictEqual(
            page.data.children.map(({ name }) => name),
            ["first"]
          )
          assert.deepInclude(page.truncated[0], {
            shown: 1,
            total: 2,
            hints: [Hint.call("expand", { target: "pair", start: 1, count: 1 })]
          })
          const rest = yield* call.expand("pair", { count: 1, start: 1 })
          assert.deepStrictEqual(rest.truncated, [])
          const deep = (yield* call.expand("pair", { depth: 3 })).data.children[1]
          assert.strictEqual(deep?.children?.[0]?.children?.[0]?.value, '"two"')
          const ref = (yield* call.print(["pair"])).data.values[0]?.ref ?? ""
          assert.strictEqual((yield* call.expand(ref)).data.children.length, 2)
          const few = yield* call.print(["pair"], { max_items: 1 })
          assert.deepInclude(few.truncated[0], { path: "data.values[0].children", shown: 1, total: 2 })
        })
      )
    )
  )

  it.effect("are set and read back", () =>
    over(
      ...inSquare((fake) =>
        Effect.gen(function* () {
          const set = yield* call.set("n", "5")
          assert.deepInclude(set.data, { name: "n", old: "1" })
          assert.strictEqual(set.data.new.value, "(5)")
          assert.strictEqual(yield* code(call.set("m", "5")), "VARIABLE_NOT_FOUND")
          assert.strictEqual(yield* code(call.set("f()", "5")), "EVALUATION_FAILED")
          const evaluated = (yield* fake.newest).requests.filter(({ request }) => request === "evaluate")
          assert.isFalse(evaluated.some(({ detail }) => JSON.stringify(detail).includes("f()")))
        })
      )
    )
  )

  it.effect("are compared with the previous stop in the same frame", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          assert.strictEqual(yield* code(call.changed()), "INVALID_STATE")
          yield* call.step()
          const { data } = yield* call.changed()
          assert.deepInclude(data, { from: 1, to: 2, entered: false })
          assert.deepStrictEqual(data.vars, [{ name: "result", old: "0", new: "1" }])
          assert.deepStrictEqual(
            (yield* call.locals({ changed: true })).data.variables.map(({ name }) => name),
            ["result"]
          )
        })
      )
    )
  )

  it.effect("are not compared with those of an earlier call of the function", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          const marked = (locals: ReadonlyArray<Variable.Variable> = []) =>
            locals.flatMap(({ changed, name, old }) => (changed === true ? [`${name} was ${old}`] : []))
          // The breakpoint at the function: no stop in between tells that it has returned.
          yield* call.next()
          yield* call.changed({ expr: ["n"] })
          const again = yield* call.continue()
          assert.strictEqual(again.stop, 3)
          assert.deepStrictEqual(marked(again.data.locals), [])
          const { data } = yield* call.changed({ expr: ["n"] })
          assert.deepStrictEqual(data.vars, [{ name: "n", new: "2" }])
          assert.deepStrictEqual(marked((yield* call.next()).data.locals), ["result was 0"])
          // A step out of the function and into the next call.
          yield* call.toggle([1])
          const place = Effect.map(call.frame(), ({ data }) => data.frame.function)
          yield* call.finish()
          assert.strictEqual(yield* place, "main")
          let inside = (yield* call.step()).data
          while ((yield* place) === "main") inside = (yield* call.step()).data
          assert.deepStrictEqual(marked(inside.locals), [])
          assert.deepStrictEqual(marked((yield* call.next()).data.locals), ["result was 0"])
          // The caller is the same as before.
          const total = (yield* call.locals({ frame: "1" })).data.variables.find(({ name }) => name === "total")
          assert.strictEqual(total?.old ?? total?.value, "5")
        })
      )
    )
  )

  it.effect("are filtered by name; arguments and globals are listed separately", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          const names = (input: Parameters<typeof call.locals>[0]) =>
            Effect.map(call.locals(input), ({ data }) => data.variables.map(({ name }) => name))
          assert.deepStrictEqual(yield* names({ filter: "res*" }), ["result"])
          assert.deepStrictEqual(yield* names({ filter: "*n" }), ["n"])
          assert.deepStrictEqual(yield* names({ type: "double" }), [])
          assert.deepStrictEqual(
            (yield* call.args()).data.variables.map(({ kind, name }) => [name, kind]),
            [["n", "arg"]]
          )
          const globals = yield* call.globals({ names: ["counter", "nothing"] })
          assert.deepStrictEqual(globals.data.not_found, ["nothing"])
          assert.strictEqual(globals.data.variables[0]?.value, "7")
          assert.strictEqual((yield* call.print(["n"], { format: "x" })).data.values[0]?.value, "hex of n")
          assert.strictEqual((yield* call.print(["/t", "n"])).data.values[0]?.value, "binary of n")
          yield* call.up()
          assert.deepStrictEqual(
            (yield* call.complete("1 + pair.f")).data.completions.map(({ text }) => text),
            ["1 + pair.first"]
          )
          assert.deepStrictEqual(
            (yield* call.complete("to")).data.completions.map(({ text }) => text),
            ["total"]
          )
        })
      )
    )
  )

  it("of a type have the members of its first level", () => {
    const definition =
      "struct item : base {\n    int id;\n    char *name[16];\n    struct {\n        int inner;\n    } part;\n    unsigned int flag : 3;\n    static int count;\n    void run();\n}"
    assert.deepStrictEqual(members(definition), [
      { name: "id", type: "int" },
      { name: "name", type: "char *[16]" },
      { name: "flag", type: "unsigned int : 3" }
    ])
  })
})

describe("the machine", () => {
  it.effect("has memory with unreadable ranges, and writes to writable memory", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          const read = (yield* call.memoryRead("0x1004", 4)).data
          assert.deepStrictEqual(bytesOf(read.data), [4, 5, 6, 7])
          assert.deepStrictEqual((yield* call.memoryRead("0x10fe", 4)).data.unreadable, [[2, 4]])
          assert.strictEqual(yield* code(call.memoryRead("0x9000")), "ADAPTER_ERROR")
          assert.strictEqual(yield* code(call.memoryRead("f()")), "EVALUATION_FAILED")
          const written = (yield* call.memoryWrite("0x1004", "ff 01")).data
          assert.deepStrictEqual(bytesOf(written.readback), [255, 1])
          assert.strictEqual(yield* code(call.memoryWrite("0x10f0", "00")), "ADAPTER_ERROR")
        })
      )
    )
  )

  it.effect("has registers, and can list the changed ones only", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          const names = (input: Parameters<typeof call.registers>[0]) =>
            Effect.map(call.registers(input), ({ data }) =>
              data.groups.flatMap(({ registers }) => registers.map(({ name }) => name))
            )
          assert.deepStrictEqual(yield* names({}), ["pc", "sp"])
          assert.deepStrictEqual(yield* names({ all: true }), ["pc", "sp", "st0"])
          assert.deepStrictEqual(yield* names({ names: ["$SP"] }), ["sp"])
          const missing = yield* call.registers({ names: ["st1", "sp"] })
          assert.deepStrictEqual(missing.data.not_found, ["st1"])
          assert.deepStrictEqual(missing.warnings, [
            {
              code: "NOT_FOUND",
              message: "no register 'st1'; nearest: st0",
              hints: [Hint.call("registers", { all: true })]
            }
          ])
          yield* call.step()
          assert.deepStrictEqual(yield* names({ changed: true }), ["pc"])
        })
      )
    )
  )

  it.effect("shows whole files with their breakpoints and a hash, and says what it leaves out", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          yield* call.break("app.c:11", { disabled: true })
          const { data, truncated } = yield* call.source(undefined, { whole: true })
          assert.deepStrictEqual(truncated, [])
          assert.strictEqual(data.lines.join("\n"), SimulatedProgram.sampleText)
          assert.deepInclude(data, { first: 1, total: 15, current: 2 })
          assert.match(data.hash ?? "", /^[0-9a-f]{64}$/)
          assert.deepStrictEqual(
            data.breakpoints.map(({ id, line, state }) => [id, line, state]),
            [
              [1, 2, "on"],
              [2, 11, "off"]
            ]
          )
          const long = yield* call.source("long.c", { whole: true })
          assert.deepStrictEqual([long.data.lines.length, long.data.total, long.truncated], [2500, 2500, []])
          assert.notStrictEqual(long.data.hash, data.hash)
          const cut = yield* call.source("long.c", { range: "101-9999" })
          assert.deepStrictEqual([cut.data.first, cut.data.lines.length, cut.data.total], [101, 1000, 2500])
          assert.isUndefined(cut.data.hash)
          const [left] = cut.truncated
          assert.deepInclude(left, { path: "data.lines", shown: 1000, total: 2400 })
          assert.deepInclude(left?.hints?.[0], { operation: "source" })
          assert.include(JSON.stringify(left?.hints), '"at":"/src/long.c:1101","range":"1101-2500"')
          const rest = yield* call.source("/src/long.c:1101", { range: "1501-2500" })
          assert.deepStrictEqual([rest.data.lines.length, rest.truncated], [1000, []])
          assert.strictEqual(yield* code(call.source("long.c", { whole: true, range: "1-2" })), "USAGE")
        })
      )
    )
  )

  it.effect("has instructions, modules and sources", () =>
    over(
      ...inSquare(() =>
        Effect.gen(function* () {
          const main = yield* call.disassemble({ at: "main", count: 2 })
          assert.deepStrictEqual(
            main.data.instructions.map(({ address }) => address),
            ["0x1007", "0x1008"]
          )
          assert.deepStrictEqual(main.truncated[0]?.hints, [Hint.call("disassemble", { at: "0x1009", count: 2 })])
          assert.strictEqual(yield* code(call.disassemble({ at: "nosuch" })), "SYMBOL_NOT_FOUND")
          const mian = yield* Effect.flip(call.disassemble({ at: "mian", count: 2 }))
          assert.strictEqual(mian.message, "no symbol 'mian' found; nearest: main")
          assert.deepStrictEqual(mian.hints, [Hint.call("disassemble", { at: "main", count: 2 })])
          assert.strictEqual(
            (yield* Effect.flip(call.source("squar"))).message,
            "no symbol 'squar' found; nearest: square"
          )
          assert.strictEqual((yield* Effect.flip(call.find("mian"))).message, "no symbol 'mian' found; nearest: main")
          assert.deepStrictEqual(
            (yield* call.modules("LIBC")).data.modules.map(({ name }) => name),
            ["libc.so"]
          )
          const range = (yield* call.source("app.c", { range: "2-4" })).data
          assert.deepInclude(range, { file: "/src/app.c", first: 2, total: 15, current: 2, stale: false })
          assert.deepInclude(range.breakpoints, { id: 1, line: 2, state: "on", kind: "function" })
          assert.strictEqual(range.lines.length, 3)
          assert.strictEqual((yield* call.source("main", { lines: 0 })).data.first, 7)
          assert.strictEqual((yield* call.source("+3", { lines: 0 })).data.first, 5)
          assert.strictEqual(yield* code(call.source("nosuch")), "SYMBOL_NOT_FOUND")
          assert.strictEqual(yield* code(call.source("*0x10")), "INVALID_LOCATION")
          assert.deepStrictEqual((yield* call.files()).data.files, ["/src/app.c"])
          assert.deepInclude((yield* call.type("struct pair")).data, { size: 8 })
        })
      )
    )
  )
})
