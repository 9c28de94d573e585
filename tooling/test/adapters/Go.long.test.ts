/** Debugs Go programs under Delve, with the same operations as native programs. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { environment, fixture, marked, needs } from "../support/fixtures.ts"
import * as Tools from "../support/tools.ts"

/** Without Go these tests are left out: it takes half a gigabyte, and no other test needs it. */
const hasGo = ["dlv", "go"].every((name) => Tools.isPresent(name, environment()))

const goSuite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const goTests: Parameters<typeof goSuite>[1] = (it) => {
  const source = fixture("go/app.go")
  const bug = marked("go/app.go", "bug")

  /** Builds the fixture without optimization, as Delve needs it. */
  const build = Effect.fnUntraced(function* (file = source) {
    yield* needs("delve", "delve golang-go")
    const fs = yield* FileSystem.FileSystem
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-go-" }))
    const args = ["build", "-gcflags=all=-N -l", "-o", `${directory}/app`, file]
    assert.strictEqual(yield* spawner.exitCode(ChildProcess.make("go", args)), 0, "go build")
    return `${directory}/app`
  })

  it.effect("is debugged from its first breakpoint to its exit", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const program = yield* build()
        const started = yield* start(program, { args: ["one", "two"], break: [`${source}:${bug}`] })
        assert.deepInclude(started.data, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual(started.data.adapter.name, "delve")
        // The result of the function has no name, and no value before it returns.
        assert.deepStrictEqual((yield* call("locals", {})).data.variables.map(({ name }) => name).toSorted(), [
          "i",
          "items",
          "n",
          "total"
        ])
        assert.match(
          (yield* call("threads", {})).data.threads.find(({ current }) => current)?.name ?? "",
          /^goroutine \d+$/
        )
        for (const [target, value, old] of [
          ["total", "5", "0"],
          ["items[1].score", "21", "20"]
        ] as const) {
          assert.deepInclude((yield* call("set", { target, value })).data.new, { value })
          assert.deepInclude((yield* call("set", { target, value: old })).data, { old: value })
        }
        assert.deepInclude(started.data.location, { function: "main.sumScores", file: source, line: bug })
        const frames = (yield* call("backtrace", {})).data.frames.map((frame) => [frame.function, frame.line])
        assert.deepStrictEqual(frames.slice(0, 2), [
          ["main.sumScores", bug],
          ["main.main", marked("go/app.go", "call")]
        ])
        const locals = (yield* call("locals", { names: ["n", "total", "i"] })).data.variables
        assert.deepStrictEqual(locals.map(({ name, type, value }) => [name, type, value]).toSorted(), [
          ["i", "int", "0"],
          ["n", "int", "3"],
          ["total", "int", "0"]
        ])
        const printed = (yield* call("print", { expressions: ["items[1].name", "n + 1"] })).data.values
        assert.deepStrictEqual(
          printed.map(({ value }) => value),
          ['"beta"', "4"]
        )
        const lengths = (yield* call("print", { expressions: ["len(items)", "cap(items)"] })).data.values
        assert.deepStrictEqual(
          lengths.map(({ value }) => value),
          ["3", "3"]
        )
        assert.strictEqual(
          (yield* Effect.flip(call("print", { expressions: ["sumScores(items, 1)"] })))._tag,
          "SideEffects"
        )
        const missing = yield* Effect.flip(call("print", { expressions: ["totl"] }))
        assert.deepInclude(missing, { _tag: "VariableNotFound", near: ["total"] })

        yield* call("breakpoint.remove", { ids: [1] })
        assert.deepInclude((yield* call("next", {})).data, { event: "stopped", reason: "step" })
        const condition = yield* call("break", { at: `${source}:${bug} if i == 2` })
        assert.deepInclude(condition.data, { id: 2, condition: "i == 2", resolved: true })
        assert.deepInclude((yield* call("continue", {})).data, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual((yield* call("locals", { names: ["total"] })).data.variables[0]?.value, "30")
        const finished = (yield* call("finish", {})).data
        assert.strictEqual(finished.location?.function, "main.main")
        assert.strictEqual(finished.return_value?.value, "<unknown: delve does not report it>")

        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
        const read = (channel: "stdout" | "stderr") =>
          Effect.map(call("output", { channel: [channel] }), (answer) => answer.data.text)
        assert.strictEqual(yield* read("stdout"), "hello from app, args=[one two]\ntotal=60\n")
        assert.strictEqual(yield* read("stderr"), "grüße\n")
      })
    )
  )

  it.effect("calls a function of the program for eval, and not for print", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const file = fixture("go/values.go")
        yield* start(yield* build(file), { break: [`${file}:${marked("go/values.go", "ready")}`] })
        const value = (expression: string) => Effect.map(call("eval", { expression }), ({ data }) => data.value.value)
        assert.strictEqual(yield* value("twice(21)"), "42")
        assert.strictEqual(yield* value("call twice(4)"), "8")
        assert.strictEqual(yield* value("len(long) + 1"), "201")
        assert.strictEqual((yield* Effect.flip(call("print", { expressions: ["twice(21)"] })))._tag, "SideEffects")
      })
    )
  )

  it.effect("lists and sets the variables of its package", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const file = fixture("go/values.go")
        yield* start(yield* build(file), { break: [`${file}:${marked("go/values.go", "ready")}`] })
        const globals = Effect.map(call("globals", {}), ({ data }) =>
          data.variables.map(({ name, value }) => `${name}=${value}`)
        )
        assert.deepStrictEqual(yield* globals, ["limit=3"])
        assert.deepInclude((yield* call("set", { target: "limit", value: "7" })).data, { old: "3" })
        assert.deepStrictEqual(yield* globals, ["limit=7"])
        assert.strictEqual((yield* call("print", { expressions: ["/x", "limit"] })).data.values[0]?.value, "0x7")
        assert.strictEqual((yield* Effect.flip(call("set", { target: "X", value: "1" })))._tag, "VariableNotFound")
        assert.notInclude(
          (yield* call("locals", {})).data.variables.map(({ name }) => name),
          "limit"
        )
      })
    )
  )

  it.effect("counts a hit where a step ends at a breakpoint", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const loop = bug - 1
        yield* start(yield* build(), {
          break: [`${source}:${loop - 1}`, `${source}:${loop}`, `${source}:${bug} if i == 1`],
          args: ["one"]
        })
        const next = Effect.map(call("next", {}), ({ data }) => [data.location?.line, data.reason, data.hit_counts])
        assert.deepStrictEqual(yield* next, [loop, "breakpoint", [1]])
        // The condition is false in the first pass.
        assert.deepStrictEqual(yield* next, [bug, "step", undefined])
        // The second pass enters the line behind the beginning of its code, where the breakpoint is.
        assert.deepStrictEqual(yield* next, [loop, "step", undefined])
        assert.deepStrictEqual(yield* next, [bug, "breakpoint", [1]])
        const { breakpoints } = (yield* call("breakpoint.list", {})).data
        assert.deepStrictEqual(
          breakpoints.map(({ hit_count }) => hit_count),
          [1, 1, 1]
        )
      })
    )
  )

  it.effect("writes no message of Delve to the output of the program", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const file = fixture("go/generic.go")
        yield* start(yield* build(file), { break: [`${file}:${marked("go/generic.go", "inside")}`] })
        // Delve cannot read the type of the result, and writes that to its log.
        yield* call("finish", {})
        yield* call("continue", {})
        assert.strictEqual((yield* call("output", { channel: ["stdout", "stderr"] })).data.text, "[2 4]\n")
        assert.include((yield* call("output", { channel: ["console"] })).data.text, "could not resolve parametric type")
      })
    )
  )

  it.effect("stops at the breakpoint whose condition cannot be evaluated", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start(yield* build(), { break: [`${source}:${bug} if nosuch > 1`], args: ["one"] })
        const { data, warnings } = yield* call("context", {})
        assert.deepInclude(data, { event: "stopped", reason: "breakpoint", breakpoints: [1], hit_counts: [1] })
        assert.notProperty(data, "description")
        assert.include(JSON.stringify(warnings), "could not find symbol value for nosuch")
      })
    )
  )

  it.effect("stops where it panics", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const stopped = yield* start(yield* build(), { args: ["panic"] })
        assert.deepInclude(stopped.data, { event: "stopped", reason: "panic" })
        assert.match(stopped.data.description ?? "", /no such score/)
        assert.match((yield* call("explain", {})).data.summary, /^panic: .*no such score/)
        const frames = (yield* call("backtrace", {})).data.frames
        assert.isTrue(frames.some((frame) => frame.line === marked("go/app.go", "panic")))
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 2 })
        assert.include((yield* call("output", { channel: ["stderr"] })).data.text, "panic: no such score")
      })
    )
  )

  it.effect("that left a core file by a panic is explained by the panic", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const program = yield* build()
        const directory = yield* fs.makeTempDirectoryScoped()
        const line = `ulimit -c unlimited; ${program} panic; true`
        yield* spawner.exitCode(
          ChildProcess.make("sh", ["-c", line], { cwd: directory, env: { GOTRACEBACK: "crash" }, extendEnv: true })
        )
        // The system may put core files elsewhere (core(5)).
        const file = (yield* fs.readDirectory(directory)).find((name) => name.startsWith("core"))
        if (file === undefined) return
        const opened = yield* call("core", { file: `${directory}/${file}`, program, environment: environment() })
        assert.deepInclude(opened.data, { event: "stopped", reason: "panic" })
        const { data } = yield* call("explain", {})
        assert.deepInclude(data, { what: "crash", summary: "panic" })
        assert.deepInclude(data.user_frame, { line: marked("go/app.go", "panic") })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("stops at a panic that it recovers from, and says which exceptions Delve cannot catch", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const file = `${yield* fs.realPath(yield* fs.makeTempDirectoryScoped())}/recovers.go`
        const text =
          'package main\n\nfunc risky() {\n\tdefer func() { recover() }()\n\tpanic("early")\n}\n\nfunc main() {\n\trisky()\n}\n'
        yield* fs.writeFileString(file, text)
        const stopped = yield* start(yield* build(file), { catch: ["panic"] })
        assert.deepInclude(stopped.data, { event: "stopped", reason: "panic" })
        assert.deepInclude((yield* call("explain", {})).data, { what: "exception", summary: 'panic: (string) "early"' })
        const { message, thrown_at } = (yield* call("exception", {})).data
        assert.strictEqual(message, '(string) "early"')
        assert.deepInclude(thrown_at, { function: "main.risky", line: 5 })
        assert.deepInclude(yield* Effect.flip(call("catch", { filter: "abort" })), { _tag: "Unsupported", by: "delve" })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
      })
    )
  )

  it.effect("is shown in its own function at a panic in the library", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const file = `${yield* fs.realPath(yield* fs.makeTempDirectoryScoped())}/counts.go`
        const text = 'package main\n\nimport "sync"\n\nfunc main() {\n\tvar all sync.WaitGroup\n\tall.Done()\n}\n'
        yield* fs.writeFileString(file, text)
        const stopped = yield* start(yield* build(file))
        assert.deepInclude(stopped.data.location, { function: "main.main", line: 7 })
        const { data } = yield* call("explain", {})
        assert.strictEqual(data.summary, 'panic: "sync: negative WaitGroup counter"')
        assert.deepInclude(data.user_frame, { function: "main.main", line: 7 })
        assert.deepInclude((yield* call("exception", {})).data.thrown_at, { function: "main.main", line: 7 })
      })
    )
  )

  it.effect("has the value of a panic that is not a text", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const values = {
          "&bad{3}": "panic: (*main.bad) *{Code: 3}",
          "[]int{1, 2}": "panic: ([]int) [1,2]",
          nil: "panic"
        }
        for (const [value, summary] of Object.entries(values)) {
          const file = `${directory}/valued.go`
          yield* fs.writeFileString(
            file,
            `package main\n\ntype bad struct{ Code int }\n\nfunc main() {\n\t_ = bad{}\n\tpanic(${value})\n}\n`
          )
          const stopped = yield* start(yield* build(file), { replace: true })
          assert.notMatch(stopped.data.description ?? "", /\d/)
          assert.strictEqual((yield* call("explain", {})).data.summary, summary, value)
        }
      })
    )
  )

  it.effect("shows the members of pointers, of interfaces, of long lists and of maps", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const file = fixture("go/values.go")
        yield* start(yield* build(file), { break: [`${file}:${marked("go/values.go", "ready")}`] })
        const print = (...expressions: readonly [string, ...Array<string>]) =>
          Effect.map(call("print", { expressions, depth: 2, max_items: 3 }), ({ data }) =>
            data.values.map(({ child_count, children, value }) => ({
              value,
              child_count,
              members: children?.map(({ name, value: text }) => `${name}=${text}`)
            }))
          )
        const point = ["X=1", "Y=2"]
        for (const [expression, members] of [
          ["pointer", point],
          ["second", point],
          ["shape", point],
          ["any", point]
        ] as const) {
          assert.deepStrictEqual((yield* print(expression))[0]?.members, members, expression)
        }
        assert.deepInclude((yield* print("long"))[0], { child_count: 200, members: ["[0]=0", "[1]=1", "[2]=2"] })
        const last = (yield* call("expand", { target: "long", start: 198 })).data.children
        assert.deepStrictEqual(
          last.map(({ name, value }) => `${name}=${value}`),
          ["[198]=198", "[199]=199"]
        )
        const [names] = yield* print("names")
        assert.deepInclude(names, { child_count: 100 })
        assert.lengthOf(names?.members ?? [], 3)
        assert.lengthOf((yield* call("expand", { target: "names", start: 97 })).data.children, 3)
        assert.deepStrictEqual(
          (yield* print("nested", "string(bytes)", "float64(small)", "^unsigned", "-small")).map(({ value }) => value),
          ['map[string]map[string]int ["a": ["b": 1]]', '"text"', "-128", "55", "-128"]
        )
      })
    )
  )

  it.effect("refuses a step until the one that a breakpoint of another goroutine interrupted has ended", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const file = fixture("go/workers.go")
        yield* start(yield* build(file), { break: [`${file}:${marked("go/workers.go", "wait")}`] })
        yield* call("break", { at: `${file}:${marked("go/workers.go", "work")}` })
        const { data, stop } = yield* call("next", {})
        assert.deepInclude(data, { reason: "breakpoint" })
        const refused = yield* Effect.flip(call("next", {}))
        assert.deepInclude(refused, { _tag: "Unsupported", by: "delve" })
        assert.strictEqual((yield* call("context", {})).stop, stop)
        assert.strictEqual((yield* call("output", { channel: ["stderr"] })).data.text, "")
        yield* call("breakpoint.remove", { ids: [2] })
        // The step ends behind the call that waited.
        assert.deepInclude((yield* call("continue", {})).data, { reason: "step" })
        assert.deepInclude((yield* call("next", {})).data, { reason: "step" })
      })
    )
  )

  it.effect("lists what its goroutines wait for", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const ready = marked("go/tasks.go", "ready")
        const file = fixture("go/tasks.go")
        yield* start(yield* build(file), { break: [`${file}:${ready}`] })
        const { groups, total } = (yield* call("tasks", {})).data
        assert.strictEqual(total, 16)
        const found = groups.map(({ count, frames, state, wait }) => [frames[0]?.function, count, state, wait])
        assert.deepInclude(found, ["main.receiver", 5, "waiting", "chan receive"])
        assert.deepInclude(found, ["main.receiver", 1, "waiting", "chan receive"])
        assert.deepInclude(found, ["main.sender", 1, "waiting", "chan send"])
        assert.deepInclude(found, ["main.chooser", 1, "waiting", "select"])
        assert.deepInclude(found, ["main.nilChan", 1, "waiting", "chan receive (nil chan)"])
        assert.deepInclude(found, ["main.reader", 1, "waiting", "IO wait in os.(*File).Read"])
        // It slept before, and runs now.
        assert.deepInclude(found, ["main.ready", 1, "running", undefined])
        const lockers = groups.find(({ frames }) => frames[0]?.function === "main.locker")
        assert.deepInclude(lockers, { count: 3, state: "waiting" })
        assert.match(lockers?.wait ?? "", / in sync\.\(\*Mutex\)\.Lock$/)
        const channels = groups.flatMap(({ awaits, wait }) => (wait === "chan receive" ? [awaits] : []))
        assert.lengthOf(new Set(channels), 2)
        yield* call("continue", { wait: false })
        // One that was stopped while it ran waits a moment later.
        const { data } = yield* Effect.repeat(call("explain", {}), {
          until: (hang) => hang.data.summary !== "16 goroutines: 15 wait, 1 running"
        })
        assert.strictEqual(data.summary, "16 goroutines: 16 wait")
      })
    )
  )

  it.effect("is built from its source, stops at main, and reads the given file as its input", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("delve", "delve golang-go")
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(`${directory}/in put`, "first\nlast\n")
        const env = [`GOCACHE=${process.env["GOCACHE"] ?? `${process.env["HOME"] ?? ""}/.cache/go-build`}`]
        const entry = yield* start(source, { args: ["echo"], stdin: `${directory}/in put`, stop_at_main: true, env })
        assert.strictEqual(entry.data.location?.function, "main.main")
        yield* call("continue", {})
        assert.include((yield* call("output", {})).data.text, "read first\n")
      })
    )
  )
}

if (hasGo) goSuite("a Go program", goTests)
