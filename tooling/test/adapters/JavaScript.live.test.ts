/** Debugs JavaScript and TypeScript under js-debug, with the same operations as native programs. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { NodeServices } from "@effect/platform-node"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { marked } from "../support/fixtures.ts"
import * as Tools from "../support/tools.ts"
import { copied, here, jsDebug } from "./jsDebug.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "60 seconds" })

const tests: Parameters<typeof suite>[1] = (it) => {
  const bug = marked("js/app.js", "bug")

  it.effect("is debugged from its first breakpoint to its exit", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const program = `${yield* copied}/app.js`
        const started = yield* start(program, { args: ["one", "two"], break: [`app.js:${bug}`] })
        assert.deepInclude(started.data, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual(started.data.adapter.name, "js-debug")
        assert.deepInclude(started.data.location, { function: "sumScores", file: program, line: bug })
        assert.deepStrictEqual(started.data.breakpoints, [1])
        const refused = yield* Effect.flip(call("break", { at: "sumScores" }))
        assert.strictEqual(refused.message, "js-debug does not support breakpoints on functions")
        assert("hints" in refused && Array.isArray(refused.hints))
        assert.deepInclude(refused.hints[0], { operation: "break", input: { at: `${program}:${bug - 2}` } })

        const frames = (yield* call("backtrace", {})).data.frames.map((frame) => [frame.function, frame.line])
        assert.deepStrictEqual(frames.slice(0, 2), [
          ["sumScores", bug],
          ["main", marked("js/app.js", "call")]
        ])
        const locals = (yield* call("locals", { names: ["n", "total", "i"] })).data.variables
        assert.deepStrictEqual(locals.map(({ name, type, value }) => [name, type, value]).toSorted(), [
          ["i", "number", "0"],
          ["n", "number", "3"],
          ["total", "number", "0"]
        ])
        const printed = (yield* call("print", { expressions: ["items[1].name", "n + 1"] })).data.values
        assert.deepStrictEqual(
          printed.map(({ value }) => value),
          ["'beta'", "4"]
        )
        const evaluated = yield* call("eval", { expression: "items.reduce((sum, item) => sum + item.score, 0)" })
        assert.strictEqual(evaluated.data.value.value, "60")
        const missing = yield* Effect.flip(call("print", { expressions: ["totl"] }))
        assert.deepInclude(missing, { _tag: "VariableNotFound", near: ["total"] })
        const elements = (yield* call("expand", { target: "items" })).data.children
        assert.deepStrictEqual(
          elements.map(({ name }) => name),
          ["0", "1", "2", "length"]
        )
        assert.strictEqual((yield* call("set", { target: "total", value: "5" })).data.new.value, "5")
        const [total] = (yield* call("locals", { names: ["total"] })).data.variables
        assert.deepInclude(total, { value: "5", type: "number" })

        yield* call("breakpoint.remove", { ids: [1] })
        assert.deepInclude((yield* call("next", {})).data, { event: "stopped", reason: "step" })
        const condition = yield* call("break", { at: `app.js:${bug} if i === 2` })
        assert.deepInclude(condition.data, { id: 2, condition: "i === 2", resolved: true })
        const again = (yield* call("continue", {})).data
        assert.deepInclude(again, { event: "stopped", reason: "breakpoint" })
        assert.deepStrictEqual(again.breakpoints, [2])
        assert.strictEqual((yield* call("locals", { names: ["total"] })).data.variables[0]?.value, "35")
        const back = yield* call("finish", {})
        assert.deepInclude(back.data, { reason: "finish" })
        assert.strictEqual(back.data.location?.function, "main")
        yield* call("logpoint", {
          at: `app.js:${marked("js/app.js", "handled")}`,
          message: "here with {typeof attempt}"
        })

        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
        const read = (channel: "stdout" | "stderr" | "log") =>
          Effect.map(call("output", { channel: [channel] }), (answer) => answer.data.text)
        assert.strictEqual(yield* read("stdout"), "hello from app, args=one,two\ntotal=65\nhandled 3\n")
        assert.strictEqual(yield* read("stderr"), "grüße\n")
        assert.include(yield* read("log"), "here with 'function'")
      })
    )
  )

  it.effect("runs no code of the program for a read in a session that forbids it", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const program = `${yield* copied}/effects.js`
        const lines = [
          "class Box { x = 1; set side(n) { console.log('ran') } get area() { console.log('ran'); return 9 } toString() { console.log('ran'); return 'B' } valueOf() { console.log('ran'); return 4 } }",
          "Object.defineProperty(globalThis, 'shared', { get: () => console.log('ran') })",
          "const main = (box, proxy, count = 0) => {",
          "  console.log('here')",
          "}",
          "const ran = (t, k) => { console.log('ran'); return t[k] }",
          "main(new Box(), new Proxy({ a: 1 }, { get: ran, has: ran }))"
        ]
        yield* fs.writeFileString(program, `${lines.join("\n")}\n`)
        yield* start(program, { break: ["effects.js:4"], deny: ["eval"] })
        yield* call("locals", { depth: 3 })
        const members = (yield* call("expand", { target: "box", depth: 3 })).data.children
        const getter = members.find(({ name }) => name === "area")
        assert.deepInclude(getter, { value: "[Getter]", attributes: ["lazy"] })
        assert.strictEqual((yield* call("print", { expressions: ["box.x"] })).data.values[0]?.value, "1")
        yield* call("print", { expressions: ["box", "proxy"] })
        yield* call("print", { expressions: ["box", "proxy"], format: "x" })
        for (const [target, value] of [
          ["count", "box.area"],
          ["count", "+box"],
          ["count", "shared"],
          ["box.side", "4"],
          ["proxy.a", "4"]
        ] as const) {
          const refused = yield* Effect.flip(call("set", { target, value }))
          assert.include(refused.message, "without running code of the program, which the policy no-eval forbids")
        }
        assert.deepInclude((yield* call("set", { target: "count", value: "26" })).data, { old: "0" })
        assert.strictEqual((yield* call("print", { expressions: ["/x", "count"] })).data.values[0]?.value, "0x1a")
        for (const [target, value] of [
          ["count", "box.x"],
          ["box.x", '"b"']
        ] as const) {
          const { new: after } = (yield* call("set", { target, value })).data
          assert.strictEqual(after.value, value === "box.x" ? "1" : "'b'")
        }
        const [count] = (yield* call("locals", { names: ["count"] })).data.variables
        assert.strictEqual(count?.value, "1")
        assert.strictEqual((yield* call("set", { target: "box.x", value: "1" })).data.new.value, "1")
        for (const expression of ["box.area", "+box", "box < 5", "proxy.a", '"a" in proxy', 'box["area"]']) {
          const refused = yield* Effect.flip(call("print", { expressions: [expression] }))
          assert.include(refused.message, "without running code of the program, which the policy no-eval forbids")
        }
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        assert.strictEqual((yield* call("output", {})).data.text, "here\n")
      })
    )
  )

  it.effect("takes only conditions and messages that run no code of the program in a session that forbids it", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const program = `${yield* copied}/hits.js`
        const lines = [
          "class Box { get area() { console.log('ran'); return 9 } toString() { console.log('ran'); return 'B' } valueOf() { console.log('ran'); return 4 } }",
          "const main = (box, n) => {",
          "  console.log('here')",
          "}",
          "const box = new Box()",
          "main(box, 1)",
          "main(box, 2)",
          "main(box, 3)"
        ]
        yield* fs.writeFileString(program, `${lines.join("\n")}\n`)
        const refusal = <A, R>(asked: Effect.Effect<A, { readonly _tag: string; readonly message: string }, R>) =>
          Effect.map(Effect.flip(asked), ({ _tag, message }) => {
            assert.strictEqual(_tag, "Policy", message)
            return message
          })
        const deny = ["eval"] as const
        assert.include(
          yield* refusal(start(program, { break: ["hits.js:3 if box.area"], deny: [...deny] })),
          "box.area, which may run code of the program"
        )
        yield* refusal(call("run", { program, break: ["hits.js:3 if box < 5"], deny: [...deny], environment }))
        yield* start(program, { break: ["hits.js:3 if n === 2"], deny: [...deny] })
        assert.strictEqual((yield* call("print", { expressions: ["n"] })).data.values[0]?.value, "2")
        for (const condition of ["box.area", "box == 4", "box", "+box === 4", "`${box}` === 'B'"]) {
          yield* refusal(call("break", { at: "hits.js:3", condition }))
          yield* refusal(call("breakpoint.edit", { id: 1, condition }))
          yield* refusal(call("until", { at: `hits.js:3 if ${condition}` }))
        }
        yield* refusal(call("break", { at: "hits.js:3", log: "{box}" }))
        yield* refusal(call("break", { at: "hits.js:3", log: "area {box.area}" }))
        yield* refusal(call("break", { at: "hits.js:3", eval: ["box.area"] }))
        yield* refusal(call("catch", { filter: "all", condition: "box.area" }))
        yield* refusal(call("trace", { specs: ["hits.js:3 :: {box.area}"] }))
        yield* refusal(call("next", { eval: ["box.area"] }))
        yield* refusal(call("eval", { expression: "box.area" }))
        yield* call("breakpoint.edit", { id: 1, condition: "n === 3 && !(box === null)" })
        assert.deepInclude((yield* call("continue", {})).data, { event: "stopped", reason: "breakpoint" })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        assert.strictEqual((yield* call("output", {})).data.text, "here\nhere\nhere\n")
      })
    )
  )

  it.effect("has the verdict of its test runner", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* copied
        yield* fs.symlink(new URL("../../../node_modules", import.meta.url).pathname, `${directory}/node_modules`)
        const body = (equal: string) => [
          'test("adds", () => { assert.strictEqual(1 + 2, 3) })',
          'describe("group", () => {',
          '  test("fails", () => {',
          "    const sum = 4 + 5",
          `    ${equal}`,
          "  })",
          "})"
        ]
        const head = 'import assert from "node:assert"; import { describe, test } from'
        const runners = [
          { runner: "vitest", file: "bank.test.mjs", first: "group fails", module: "vitest" },
          { runner: "node", file: "plain.test.mjs", first: "group fails", module: "node:test" }
        ] as const
        for (const { file, first, module, runner } of runners) {
          const lines = [`${head} ${JSON.stringify(module)}`, ...body("assert.strictEqual(sum, 10)")]
          yield* fs.writeFileString(`${directory}/${file}`, `${lines.join("\n")}\n`)
          const own = { runner, program: file, directory, environment: { ...environment, XDG_CACHE_HOME: directory } }
          const failed = (yield* call("run", { ...own, failing: true })).data
          assert.deepInclude(failed, { event: "stopped", reason: "exception" }, runner)
          assert.deepInclude(failed.location, { file: `${directory}/${file}`, line: 6 }, runner)
          yield* call("stop", { all: true })
          assert.deepInclude(failed.run, { outcome: "failed", failures: 1 }, runner)
          assert.strictEqual(failed.run?.tests?.first, first)
          const passed = (yield* call("run", { ...own, test: "adds" })).data
          assert.deepInclude(passed, { event: "exited", exit_code: 0 }, runner)
          assert.deepInclude(passed.run, { outcome: "passed", failures: 0 }, runner)
          if (runner === "vitest") {
            const absent = yield* Effect.flip(call("run", { ...own, test: "multiplies" }))
            assert.deepInclude(absent, { _tag: "TestNotFound", known: ["adds", "group fails"] })
          }
          const stopped = (yield* call("start", { ...own, test: first, break: [`${file}:6`] })).data
          assert.deepInclude(stopped, { event: "stopped", reason: "breakpoint" }, runner)
          assert.strictEqual((yield* call("print", { expressions: ["sum"] })).data.values[0]?.value, "9", runner)
          yield* call("stop", { all: true })
        }
      })
    )
  )

  it.effect("stops at uncaught exceptions, and on request at every thrown one", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const program = `${yield* copied}/app.js`
        const stopped = yield* start(program, { args: ["raise"] })
        assert.deepInclude(stopped.data, { event: "stopped", reason: "exception" })
        assert.strictEqual(stopped.data.description, "TypeError: no such score")
        assert.strictEqual(stopped.data.location?.line, marked("js/app.js", "raise"))
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 1 })

        yield* start(program, { break: [`app.js:${marked("js/app.js", "call")}`] })
        yield* call("catch", { filter: "all" })
        const thrown = yield* call("continue", {})
        assert.deepInclude(thrown.data, { reason: "exception", description: "RangeError: handled" })
        const about = yield* call("exception", {})
        assert.deepInclude(about.data, { type: "RangeError", message: "handled" })
        yield* call("stop", {})
      })
    )
  )

  it.effect("is paused in a loop and while it waits for events, started again, and ended with nothing left", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const program = `${yield* copied}/app.js`
        const ready = Effect.gen(function* () {
          const { data } = yield* call("output", { follow: true, timeout: "10s", match: "handled" })
          assert.include(data.text, "handled")
        })
        yield* start(program, { args: ["loop"], wait: false })
        yield* ready
        const busy = yield* call("pause", {})
        assert.deepInclude(busy.data, { event: "stopped", reason: "pause" })
        assert.strictEqual(busy.data.location?.line, marked("js/app.js", "loop"))
        assert.strictEqual((yield* call("explain", { what: "hang" })).data.summary, "the only thread runs")
        yield* call("stop", {})

        yield* start(program, { args: ["wait"], wait: false })
        yield* ready
        const idle = yield* call("pause", {})
        assert.deepInclude(idle.data, { event: "stopped", reason: "pause", location: { function: "<event loop>" } })
        const why = yield* call("explain", {})
        assert.strictEqual(why.data.summary, "thread 1: waits for events, and runs no code of the program")
        assert.deepInclude(yield* call("locals", {}), { warnings: [] })
        const unread = yield* Effect.flip(call("source", {}))
        assert.include(unread.message, "the program waits for events, and none of its code runs")
        assert.strictEqual((yield* call("eval", { expression: "process.argv[2]" })).data.value.value, "'wait'")
        assert.deepInclude((yield* call("restart", { wait: false })).data, { event: "running" })
        yield* call("stop", {})
      })
    )
  )

  it.effect("is refused with the reason of its adapter", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const program = `${yield* copied}/app.js`
        const failure = yield* Effect.flip(call("start", { program, environment, env: ["NODE_OPTIONS=--inspect"] }))
        const detail = "NODE_OPTIONS contains --inspect, which keeps the debugger from attaching"
        assert.deepInclude(failure, { _tag: "LaunchFailed", detail })
      })
    )
  )

  it.effect("has complete output, and reads standard input", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const directory = yield* copied
        assert.deepInclude((yield* start(`${directory}/app.js`, { args: ["flood"] })).data, { event: "exited" })
        assert.strictEqual((yield* call("output", { tail: 1 })).data.text, `${"ü".repeat(50)}\n`)
        yield* start(`${directory}/app.js`, { args: ["echo"], wait: false })
        yield* call("input", { text: "sent over", eof: true })
        yield* call("wait", {})
        assert.include((yield* call("output", {})).data.text, "read sent over\n")
      })
    )
  )

  it.effect("is debugged in its TypeScript where that was compiled with a source map", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-ts-" }))
        const lines = [
          "interface Item { readonly score: number }",
          "",
          "const twice = (item: Item): number => {",
          "  const doubled = item.score * 2",
          "  return doubled",
          "}",
          "console.log(twice({ score: 21 }))"
        ]
        yield* fs.writeFileString(`${directory}/app.ts`, `${lines.join("\n")}\n`)
        const args = [
          "--ignoreConfig",
          "--sourceMap",
          "--target",
          "es2022",
          "--module",
          "commonjs",
          "--types",
          "",
          "--outDir",
          directory
        ]
        const compiled = ChildProcess.make("tsc", [...args, `${directory}/app.ts`])
        assert.strictEqual(yield* spawner.exitCode(compiled), 0, "tsc")
        yield* fs.makeDirectory(`${directory}/out`)
        const apart = ChildProcess.make("tsc", [...args.slice(0, -1), `${directory}/out`, `${directory}/app.ts`])
        assert.strictEqual(yield* spawner.exitCode(apart), 0, "tsc")
        for (const program of ["out/app.js", "app.js", "app.ts"]) {
          // Where the program lies there is no such source, and only its map tells where that is.
          const beside = `${directory}/${program}`.replace(/\/[^/]*$/, "")
          const started = yield* start(`${directory}/${program}`, { break: ["app.ts:4"], directory: beside })
          assert.deepInclude(started.data.location, { file: `${directory}/app.ts`, line: 4, function: "twice" })
          assert.deepInclude((yield* call("next", {})).data.location, { line: 5 })
          assert.strictEqual((yield* call("print", { expressions: ["doubled"] })).data.values[0]?.value, "42")
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        }
      })
    )
  )

  it.effect("stops before its first statement, or does not call it the entry", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* copied
        const plain = `${directory}/plain.js`
        const fields = `${directory}/fields.js`
        yield* fs.writeFileString(plain, "let a = 1\nconsole.log(a)\n")
        yield* fs.writeFileString(fields, "class A {\n  x = 7\n}\nnew A()\nnew A()\nconsole.log(1)\n")
        const entry = yield* start(plain, { stop_on_entry: true })
        assert.deepInclude(entry.data, { event: "stopped", reason: "entry" })
        assert.deepInclude(entry.data.location, { line: 1 })
        const inside = yield* start(fields, { stop_on_entry: true, replace: true })
        assert.deepInclude(inside.data, { event: "stopped", reason: "other" })
        assert.match(inside.data.description ?? "", /cannot stop before the first statement/)
        // The debugger's breakpoint there is not met a second time.
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
      })
    )
  )
}

if (Tools.recorded("js-debug", here)) suite("a JavaScript program", tests)
else {
  layer(NodeServices.layer)("a JavaScript program", (it) => {
    it.effect("is refused with the reason", () => Effect.sync(() => assert.isString(jsDebug?.problem)))
  })
}
