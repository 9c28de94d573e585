/** Debugs real programs under the real lldb-dap, through the operations that every surface calls. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compile, debugging, platform, Programs } from "../support/fixturePrograms.ts"

const text = (value: { readonly text: string }) => value.text

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a C program", (it) => {
  it.effect("is debugged from its first breakpoint to its exit", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line, source } = yield* Programs
        const bug = line("app.c", "bug")
        const started = yield* start("app", { args: ["one", "two"], break: [`app.c:${bug}`] })
        assert.deepInclude(started.data, { event: "stopped", reason: "breakpoint", args: ["one", "two"] })
        assert.deepInclude(started.data.location, { function: "sum_scores", file: source("app.c"), line: bug })
        assert.deepStrictEqual(started.data.breakpoints, [1])
        assert.match(started.data.source?.lines.join("\n") ?? "", /mark: bug/)
        assert.strictEqual(started.data.output?.tail, "hello from app, argc=3")
        assert.match(started.data.adapter.name, /^lldb-(?:dap|vscode)$/)

        const frames = (yield* call("backtrace", {})).data.frames.map((frame) => [frame.function, frame.line])
        assert.deepStrictEqual(frames, [
          ["sum_scores", bug],
          ["main", line("app.c", "call")]
        ])
        const locals = (yield* call("locals", { names: ["n", "total", "i"] })).data.variables
        assert.deepStrictEqual(
          locals.map(({ name, type, value }) => [name, type, value]),
          [
            ["n", "int", "3"],
            ["total", "int", "0"],
            ["i", "int", "0"]
          ]
        )
        const printed = (yield* call("print", { expressions: ["items[1].name", "items[i].score", "n + 1"] })).data
          .values
        assert.deepStrictEqual(
          printed.map(({ value }) => value),
          ['"beta"', "10.5", "4"]
        )
        const missing = yield* Effect.flip(call("print", { expressions: ["totl"] }))
        assert.deepInclude(missing, { _tag: "VariableNotFound", near: ["total"] })

        const next = yield* call("next", {})
        assert.deepInclude(next.data, { event: "stopped", reason: "step" })
        assert.strictEqual((yield* call("locals", { names: ["total"] })).data.variables[0]?.value, "10")
        const again = yield* call("continue", {})
        assert.deepStrictEqual(again.data.breakpoints, [1])

        const condition = yield* call("break", { at: "sum_scores if n > 2" })
        assert.deepInclude(condition.data, { id: 2, condition: "n > 2", resolved: true })
        const list = (yield* call("breakpoint.list", {})).data.breakpoints.map(({ id }) => id)
        assert.deepStrictEqual(list, [1, 2])
        assert.deepStrictEqual((yield* call("breakpoint.remove", { ids: [1] })).data.ids, [1])

        const finished = yield* call("finish", {})
        assert.deepInclude(finished.data, { event: "stopped", reason: "finish" })
        assert.strictEqual(finished.data.location?.function, "main")

        const exited = yield* call("continue", {})
        assert.deepInclude(exited.data, { event: "exited", exit_code: 3 })
        assert.strictEqual(text((yield* call("output", {})).data), "hello from app, argc=3\ntotal=60\n")
        assert.deepInclude((yield* call("status", {})).data, { state: "exited", exit_code: 3 })
        assert.strictEqual((yield* Effect.flip(call("locals", {})))._tag, "ProcessEnded")
      })
    )
  )

  it.effect("discards a finish that a breakpoint interrupted", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("app", { break: [`app.c:${line("app.c", "bug")}`] })
        const stopped = yield* call("finish", {})
        assert.deepInclude(stopped.data, { event: "stopped", reason: "breakpoint" })
        yield* call("breakpoint.remove", { all: true })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
      })
    )
  )

  it.effect("steps into a function", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("app", { break: [`app.c:${line("app.c", "call")}`] })
        const inside = yield* call("step", {})
        assert.strictEqual(inside.data.location?.function, "sum_scores")
        assert.strictEqual((yield* call("finish", {})).data.location?.function, "main")
      })
    )
  )

  it.effect("keeps its two streams apart, whole characters each", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const ended = yield* start("two_streams")
        assert.deepInclude(ended.data, { event: "exited", exit_code: 0 })
        const read = (channel: "stdout" | "stderr") =>
          Effect.map(call("output", { channel: [channel] }), (answer) => answer.data.text)
        assert.strictEqual(yield* read("stdout"), "out 1: grüße\nout 2: grüße\nout 3: grüße\n")
        assert.strictEqual(yield* read("stderr"), "err 1: ошибка\nerr 2: ошибка\nerr 3: ошибка\n")
      })
    )
  )

  it.effect("reads the file given as standard input, whatever the file's name", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped()
        for (const name of ["in.txt", 'in put `1+1` "q" \\x\' $HOME', 'ends with "', '" -o "x']) {
          yield* fs.writeFileString(`${directory}/${name}`, "first\nlast\n")
          yield* start("stdin", { stdin: `${directory}/${name}`, replace: true })
          const said = (yield* call("output", {})).data.text
          assert.strictEqual(said, "ready\necho 1: first\necho 2: last\nend after 2 lines\n", name)
        }
      })
    )
  )

  it.effect("is refused if it is built for another machine, and said to have no debug information", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { directory } = yield* Programs
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const bytes = yield* fs.readFile(`${directory}/exit_code`)
        const foreign = (machine: number) => Uint8Array.from(bytes, (byte, at) => (at === 18 ? machine : byte))
        yield* fs.writeFile(`${directory}/foreign`, foreign(process.arch === "x64" ? 183 : 62), { mode: 0o755 })
        const refused = yield* Effect.flip(start("foreign"))
        assert.strictEqual(refused._tag, "LaunchFailed")
        assert.match(refused.message, /it is built for \w+, and this machine is \w+$/)
        const stripped = ChildProcess.make("strip", [`${directory}/exit_code`, "-o", `${directory}/stripped`])
        assert.strictEqual(yield* spawner.exitCode(stripped), 0)
        const unresolved = yield* Effect.flip(start("stripped", { break: ["exit_code.c:5"] }))
        assert.strictEqual(
          unresolved.message,
          "breakpoint not resolved: exit_code.c:5 (the program has no debug information)"
        )
        assert.deepStrictEqual(unresolved.hints, [{ note: "compile the program with -g" }])
        const warnings = (yield* start("stripped")).warnings.map(({ message }) => message)
        assert.deepStrictEqual(warnings, ["no debug information in stripped (compile with -g)"])
        const again = (yield* call("restart", {})).warnings.map(({ message }) => message)
        assert.deepStrictEqual(again, warnings)
        assert.deepStrictEqual((yield* start("exit_code", { session: "debug" })).warnings, [])
        // LLDB takes `id` for a type of Objective-C, which has no value.
        for (const backend of ["dap", "lldb-cli"] as const) {
          yield* start("stripped", { backend, stop_on_entry: true, replace: true })
          for (const name of ["id", "int", "nosuch"]) {
            const missing = yield* Effect.flip(call("print", { expressions: [name] }))
            assert.match(
              missing.message,
              new RegExp(`^no variable '${name}' in this frame: .+ has no debug information`),
              backend
            )
          }
        }
      })
    )
  )

  it.effect("is explained with each of its callers, also if it has no names", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { directory } = yield* Programs
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const source =
          "int read(int *at) { return *at; }\nint between(int *at) { return read(at) + 1; }\nint main(int n, char **words) { return between(n > 9 ? &n : 0); }\n"
        yield* fs.writeFileString(`${directory}/nameless.c`, source)
        const built = ChildProcess.make("cc", ["-O0", "-s", `${directory}/nameless.c`, "-o", `${directory}/nameless`])
        assert.strictEqual(yield* spawner.exitCode(built), 0)
        yield* start("nameless")
        const { callers = [] } = (yield* call("explain", {})).data
        const { frames } = (yield* call("backtrace", {})).data
        assert.deepStrictEqual(
          callers.map(({ address }) => address),
          frames.slice(1, 4).map(({ address }) => address)
        )
      })
    )
  )

  it.effect("exits with its own code", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        for (const code of [0, 7, 9, 255]) {
          const ended = yield* start("exit_code", { args: [`${code}`], replace: true })
          assert.deepInclude(ended.data, { event: "exited", exit_code: code })
        }
      })
    )
  )

  it.effect("stops where it crashes, and is then killed by that signal", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const crashed = yield* start("crash")
        assert.deepInclude(crashed.data, { event: "stopped", reason: "signal" })
        assert.match(crashed.data.description ?? "", /SIGSEGV/)
        assert.strictEqual(crashed.data.location?.line, line("crash.c", "crash"))
        const frames = (yield* call("backtrace", {})).data.frames.map((frame) => frame.function)
        assert.deepStrictEqual(frames, ["third", "second", "first", "main"])
        const value = (yield* call("print", { expressions: ["node"] })).data.values[0]?.value
        assert.match(value ?? "", /^(?:0x0+|<?null)/i)
        const only = yield* call("print", { expressions: ["only.value"], frame: 2 })
        assert.strictEqual(only.data.values[0]?.value, "1")
        const ended = yield* call("continue", {})
        assert.deepInclude(ended.data, { event: "exited", signal: "SIGSEGV" })
        assert.notProperty(ended.data, "exit_code")
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a C++ program", (it) => {
  it.effect("shows its containers, methods and virtual calls", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const first = yield* start("shapes", {
          break: ["Square::area", `shapes.cpp:${line("shapes.cpp", "containers")}`]
        })
        assert.match(first.data.location?.function ?? "", /Square::area/)
        const finished = yield* call("finish", {})
        assert.match(finished.data.location?.function ?? "", /checked_area/)
        yield* call("next", {})
        assert.strictEqual((yield* call("print", { expressions: ["area"] })).data.values[0]?.value, "4")
        yield* call("continue", {})
        const values = (yield* call("print", { expressions: ["numbers", "areas", "greeting", "shapes"] })).data.values
        const [numbers, areas, greeting, shapes] = values
        assert.strictEqual(numbers?.value, "5 {1,2,3,5,8}")
        const [inside] = (yield* call("print", { expressions: [numbers?.ref ?? ""] })).data.values
        assert.deepStrictEqual(
          inside?.children?.slice(0, 5).map(({ value }) => value),
          ["1", "2", "3", "5", "8"]
        )
        assert.strictEqual(areas?.value, '2 {"rectangle":12,"square":4}')
        assert.include(greeting?.value, "grüße from shapes")
        assert.match(shapes?.value ?? "", /^2 \{/)
        assert.strictEqual((yield* call("eval", { expression: "numbers.size()" })).data.value.value, "5")
      })
    )
  )

  it.effect("continues after it catches its exception", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const ended = yield* start("shapes")
        assert.deepInclude(ended.data, { event: "exited", exit_code: 0 })
        assert.include((yield* call("output", {})).data.text, "caught negative area: rectangle")
      })
    )
  )

  it.effect("stops at an uncaught exception, with its own frame in the stack", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const stopped = yield* start("shapes", { args: ["throw"] })
        assert.deepInclude(stopped.data, { event: "stopped", reason: "signal" })
        assert.match(stopped.data.description ?? "", /SIGABRT/)
        const frames = (yield* call("backtrace", { all_frames: true })).data.frames
        const thrower = frames.find((frame) => frame.function.includes("checked_area"))
        assert.strictEqual(thrower?.line, line("shapes.cpp", "throw"))
        const area = yield* call("print", { expressions: ["area"], frame: thrower?.index ?? 0 })
        assert.strictEqual(area.data.values[0]?.value, "-1")
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", signal: "SIGABRT" })
        assert.include((yield* call("output", { channel: ["stderr"] })).data.text, "negative area: rectangle")
      })
    )
  )

  it.effect("stops in every instance of a template", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(
          `${directory}/twice.cpp`,
          "template <class T> T twice(T x)\n{\n  return x + x;\n}\n\nint main()\n{\n  return twice(1.5) == 3 ? twice(2) : 0;\n}\n"
        )
        yield* compile(`${directory}/twice.cpp`, `${directory}/twice`)
        const first = yield* start(`${directory}/twice`, { break: ["twice.cpp:3"] })
        const places = first.data.set_breakpoints[0]?.locations ?? []
        assert.deepStrictEqual(
          places.map(({ line }) => line),
          [3, 3]
        )
        assert.match(places.map((place) => place.function).join(), /twice<double>.*twice<int>/)
        assert.match(first.data.location?.function ?? "", /twice<double>/)
        assert.match((yield* call("continue", {})).data.location?.function ?? "", /twice<int>/)
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 4 })
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a program with threads", (it) => {
  it.effect("stops once for all that reach a breakpoint together, and steps in the thread that is shown", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const work = line("threads.c", "work")
        const stopped = yield* start("threads", { break: [`threads.c:${work}`] })
        let stops = 1
        let arrived = 1 + (stopped.data.other_threads?.length ?? 0)
        const focus = stopped.data.thread?.id ?? 0
        const other = stopped.data.other_threads?.[0]
        if (other !== undefined) {
          const there = yield* call("backtrace", { thread: other.id })
          assert.deepStrictEqual([there.data.thread.id, there.data.frames[0]?.line], [other.id, work])
        }
        const wrong = yield* Effect.flip(call("backtrace", { thread: 999_999 }))
        assert.strictEqual(wrong._tag, "ThreadNotFound")
        let report = yield* call("continue", {})
        for (; report.data.event === "stopped"; report = yield* call("continue", {})) {
          stops++
          arrived += 1 + (report.data.other_threads?.length ?? 0)
          assert.deepInclude(report.data, { reason: "breakpoint" })
        }
        assert.strictEqual(arrived, 3, `in ${stops} stops, the first in thread ${focus}`)
        assert.deepInclude(report.data, { event: "exited", exit_code: 0 })
        assert.strictEqual((yield* call("output", {})).data.text, "sum=63\n")
      })
    )
  )

  it.effect("keeps its thread in a step", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const stopped = yield* start("threads", { break: [`threads.c:${line("threads.c", "work")}`] })
        yield* call("breakpoint.remove", { all: true })
        const stepped = yield* call("next", {})
        assert.deepInclude(stepped.data, { reason: "step" })
        assert.strictEqual(stepped.data.thread?.id, stopped.data.thread?.id)
        assert.strictEqual(stepped.data.location?.line, line("threads.c", "work") + 1)
        const backtrace = yield* call("backtrace", {})
        assert.strictEqual(backtrace.data.frames[0]?.function, "work")
      })
    )
  )
})
