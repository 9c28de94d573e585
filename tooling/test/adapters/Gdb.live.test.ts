/** Debugs C and C++ programs under GDB, with the same operations as under LLDB. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Schedule, Scope } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform, Programs } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const version = () => Tools.gdbVersion(environment)

const suite = layer(platform, { excludeTestServices: true, timeout: "90 seconds" })

const tests: Parameters<typeof suite>[1] = (it) => {
  it.effect("debugs a C program from its first breakpoint to its exit", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const bug = line("app.c", "bug")
        const started = yield* start("app", { adapter: "gdb", args: ["a b", "'\"$x"], break: [`app.c:${bug}`] })
        assert.deepInclude(started.data, { event: "stopped", reason: "breakpoint", breakpoints: [1] })
        assert.strictEqual(started.data.adapter.name, "gdb")
        assert.deepInclude(started.data.location, { function: "sum_scores", line: bug })
        assert.deepInclude(started.data.set_breakpoints[0]?.locations[0], { function: "sum_scores", line: bug })

        const frames = (yield* call("backtrace", {})).data.frames.map((frame) => frame.function)
        assert.deepStrictEqual(frames.slice(0, 2), ["sum_scores", "main"])
        const locals = (yield* call("locals", { names: ["n", "total", "i"] })).data.variables
        assert.deepStrictEqual(locals.map(({ name, value }) => [name, value]).toSorted(), [
          ["i", "0"],
          ["n", "3"],
          ["total", "0"]
        ])
        const args = (yield* call("args", {})).data.variables.map(({ name }) => name)
        assert.deepStrictEqual(args, ["items", "n"])
        const printed = (yield* call("print", { expressions: ["items[1].id", "n + 1"] })).data.values
        assert.deepStrictEqual(
          printed.map(({ value }) => value),
          ["2", "4"]
        )
        const hex = (yield* call("print", { expressions: ["n"], format: "hex" })).data.values
        assert.strictEqual(hex[0]?.value, "0x3")
        const missing = yield* Effect.flip(call("print", { expressions: ["totl"] }))
        assert.deepInclude(missing, { _tag: "VariableNotFound", near: ["total"] })
        yield* call("breakpoint.remove", { ids: [1] })
        assert.strictEqual(
          (yield* call("eval", { expression: 'sum_scores(items, 1) + (int)strlen("abc")' })).data.value.value,
          "13"
        )
        // Calling a function for its value counts no stop and keeps the frames.
        assert.deepInclude((yield* call("status", {})).data, { state: "stopped", stop: 1 })
        assert.strictEqual((yield* call("locals", { names: ["total"] })).data.variables[0]?.value, "0")

        assert.deepInclude((yield* call("next", {})).data, { event: "stopped", reason: "step" })
        const finished = yield* call("finish", {})
        assert.deepInclude(finished.data, { event: "stopped", reason: "finish" })
        assert.strictEqual(finished.data.return_value?.value, "60")
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
        assert.strictEqual(
          (yield* call("output", { channel: ["stdout"] })).data.text,
          "hello from app, argc=3\ntotal=60\n"
        )
      })
    )
  )

  it.effect("shows the members of structures and of containers with a printer", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const printer = [
          "class Points: __init__ = lambda self, value: setattr(self, 'value', value)",
          "Points.to_string = lambda self: 'two points'",
          "Points.children = lambda self: iter([('[0]', self.value['kind']), ('[1]', self.value['number'])])",
          "gdb.pretty_printers.append(lambda value: Points(value) if value.type.name == 'Word' else None)"
        ]
        const stop = `nested_objects.cpp:${line("nested_objects.cpp", "nested objects")}`
        const init_cmd = printer.map((one) => `python ${one}`)
        yield* start("nested_objects", { adapter: "gdb", break: [stop], init_cmd })
        const texts = Effect.fnUntraced(function* (expression: string) {
          const [value] = (yield* call("print", { expressions: [expression] })).data.values
          return [value?.value, ...(value?.children ?? []).map(({ value: text }) => text)]
        })
        const inner = ["{v:1, h:2, depth:3}", "{v:4, h:5, depth:6}"]
        assert.deepStrictEqual((yield* texts("segment")).slice(1), inner)
        assert.deepStrictEqual((yield* texts("word"))[0], "two points {1, 65}")
        assert.deepStrictEqual((yield* texts("owner.nothing"))[0], "{}")
      })
    )
  )

  it.effect("sets breakpoints of every kind and says where they are not", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const entry = yield* start("app", { adapter: "gdb", stop_on_entry: true })
        assert.deepInclude(entry.data, { event: "stopped", reason: "entry" })
        const bug = line("app.c", "bug")
        const set = (at: string) =>
          Effect.map(call("break", { at }), ({ data }) => [data.resolved, data.locations.length])
        assert.deepStrictEqual(yield* set(`app.c:${bug} if i == 1`), [true, 1])
        assert.deepStrictEqual(yield* set("sum_scores"), [true, 1])
        assert.deepStrictEqual(yield* set("/^SUM_sc/i"), [true, 1])
        assert.deepStrictEqual(yield* set("*main"), [true, 1])
        assert.deepStrictEqual(yield* set("app.c:sum_scores"), [true, 1])
        for (const at of ["app.c:900", "nosuch.c:3", "nosuch", "*16", "/^nosuch/", "app.c:nosuch"]) {
          assert.strictEqual((yield* Effect.flip(call("break", { at })))._tag, "BreakpointUnresolved", at)
        }
        const going = Effect.map(call("continue", {}), ({ data }) => data.breakpoints)
        assert.deepStrictEqual(yield* going, [4])
        assert.deepStrictEqual(yield* going, [2, 3, 5])
        assert.deepStrictEqual(yield* going, [1])
        assert.strictEqual((yield* call("print", { expressions: ["i"] })).data.values[0]?.value, "1")
        const lines = (yield* call("breakpoint.lines", { at: "app.c" })).data
        assert.include(JSON.stringify(lines), `"line":${bug}`)

        yield* call("breakpoint.remove", { ids: ["all"] })
        yield* call("watch", { expression: "total" })
        const changed = yield* call("continue", {})
        assert.deepInclude(changed.data, { event: "stopped", reason: "watchpoint" })
        assert.deepInclude(changed.data.watch, { old: "10", new: "30" })
        yield* call("breakpoint.remove", { ids: ["all"] })
        yield* call("logpoint", { at: `app.c:${line("app.c", "return")}`, message: "sum {total}" })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
        assert.include((yield* call("output", { channel: ["log"] })).data.text, "sum 60")
      })
    )
  )

  it.effect("shows memory, registers, instructions, types, and what cannot be read", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { adapter: "gdb", break: ["sum_scores"] })
        const read = yield* call("memory.read", { address: "&n", count: 4 })
        assert.deepInclude(read.data, { by: "dap" })
        const nothing = yield* Effect.flip(call("memory.read", { address: "0x10", count: 8 }))
        assert.strictEqual(nothing._tag, "AdapterError")
        const found = (yield* call("disassemble", { at: "sum_scores" })).data.instructions
        assert.isAbove(found.length, 5)
        assert.match((yield* call("type", { name: "struct item" })).data.definition ?? "", /char name\[16\];/)
        const { matches } = (yield* call("find", { name: "sum_scores" })).data
        assert.deepStrictEqual(
          matches.map(({ kind, location }) => [kind, location?.file?.endsWith("app.c")]),
          [["func", true]]
        )
        const registers = (yield* call("registers", {})).data
        assert.include(JSON.stringify(registers), '"rip"')
        const items = yield* call("expand", { target: "items" })
        assert.include(JSON.stringify(items.data), '"id"')
      })
    )
  )

  it.effect("sets catchpoints and patterns before the libraries are loaded", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        const forked = yield* start("forking", { adapter: "gdb", catch: ["fork", "abort"] })
        assert.deepInclude(forked.data, { event: "stopped", reason: "fork", breakpoints: [1] })
        const found = yield* start("app", { adapter: "gdb", break: ["/^(main|SUM_scores?)$/i"], replace: true })
        assert.deepInclude(found.data, { event: "stopped", breakpoints: [1] })
        assert.strictEqual(found.data.set_breakpoints[0]?.locations.length, 2)
        const refused = yield* Effect.flip(start("forking", { adapter: "gdb", follow_fork: "child", replace: true }))
        assert.strictEqual(refused._tag, "Unsupported")
      })
    )
  )

  it.effect("takes a reference to a member for that member", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { adapter: "gdb", break: ["sum_scores"] })
        const items = (yield* call("expand", { target: "items" })).data
        const name = items.children.find((one) => one.name === "name")
        assert.strictEqual(name?.expression, "items->name")
        const nothing = yield* Effect.flip(call("expand", { target: "*(struct item *)0" }))
        assert.deepInclude(nothing, { _tag: "EvaluationFailed", reason: "unreadable" })
        yield* call("stop", {})
      })
    )
  )

  it.effect("says which threads wait for each other, and who has the locks", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("waits", { adapter: "gdb", args: ["deadlock2"], wait: false })
        const { data } = yield* Effect.repeat(call("explain", {}), {
          until: ({ data }) => data.cycles.length > 0,
          schedule: Schedule.spaced("100 millis")
        })
        assert.match(data.summary, /^threads \d and \d of \d+ wait for each other$/)
        const texts = data.waits.map(({ text }) => text)
        for (const lock of ["lock_a", "lock_b"]) {
          assert.match(texts.find((text) => text.includes(lock)) ?? "", /^waits for mutex lock_[ab], held by thread \d/)
        }
        yield* call("stop", {})
      })
    )
  )

  it.effect("stops at exceptions and crashes, and says what they were", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const crashed = yield* start("crash", { adapter: "gdb" })
        assert.deepInclude(crashed.data, { event: "stopped", reason: "signal" })
        assert.match(crashed.data.description ?? "", /^signal SIGSEGV \(fault address=0x0\)$/)
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", signal: "SIGSEGV" })

        // Debug information of the C library does not make its frames those of the user.
        const forked = yield* start("forking", { adapter: "gdb", catch: ["fork"], replace: true })
        assert.strictEqual(forked.data.location?.function, "main")
        const [first] = (yield* call("backtrace", {})).data.frames
        assert.match(first?.file ?? "", /forking\.c$/)
        const thrown = yield* start("shapes", { adapter: "gdb", catch: ["throw"], replace: true })
        assert.deepInclude(thrown.data, { event: "stopped", reason: "exception" })
        const { data } = yield* call("exception", {})
        assert.deepInclude(data, { type: "std::invalid_argument", message: "negative area: rectangle" })
        yield* call("stop", {})
      })
    )
  )

  it.effect("names no address of a fault of which the processor tells none", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        if (process.arch !== "x64") return
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const directory = yield* fs.makeTempDirectoryScoped()
        const program = `${directory}/noncanonical`
        yield* fs.writeFileString(`${program}.c`, "int main(void) { return *(volatile int *)0x4141414141414141; }\n")
        const built = ChildProcess.make("gcc", ["-g", "-O0", `${program}.c`, "-o", program])
        assert.strictEqual(Number(yield* spawner.exitCode(built)), 0)
        const { data } = yield* start(program, { adapter: "gdb" })
        assert.strictEqual(data.description, "signal SIGSEGV")
        assert.notInclude((yield* call("explain", {})).data.facts.map(({ text }) => text).join(), "0x0")
        yield* call("stop", {})
      })
    ).pipe(Effect.scoped)
  )

  it.effect("keeps the program's streams apart, gives it input, and its files", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap 'gdb' " })
        yield* start("two_streams", { adapter: "gdb" })
        const errors = (yield* call("output", { channel: ["stderr"] })).data.text
        assert.include(errors, "err 1: ошибка\n")
        yield* fs.writeFileString(`${directory}/in put`, "first\nlast\n")
        const files = { stdin: `${directory}/in put`, stdout: `${directory}/out put` }
        yield* start("stdin", { adapter: "gdb", replace: true, ...files })
        assert.include(yield* fs.readFileString(files.stdout), "echo 2: last")
        yield* start("stdin", { adapter: "gdb", replace: true, wait: false })
        yield* call("input", { text: "typed", eof: true })
        yield* call("wait", {}).pipe(Effect.ignore)
        assert.include((yield* call("output", {})).data.text, "echo 1: typed")
      })
    )
  )

  it.effect("takes hold of a process, lets it go, and reads a core file", () =>
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const { directory } = yield* Programs
      const scope = yield* Effect.scope
      const { pid } = yield* spawner.spawn(ChildProcess.make(`${directory}/loop`)).pipe(Scope.provide(scope))
      yield* debugging(({ call, start }) =>
        Effect.gen(function* () {
          const attached = yield* call("attach", { pid: Number(pid), adapter: "gdb", environment })
          assert.deepInclude(attached.data, { event: "running" })
          const paused = yield* call("pause", {})
          assert.deepInclude(paused.data, { event: "stopped", reason: "pause" })
          assert.strictEqual(paused.data.location?.function, "main")
          yield* call("continue", { wait: false })
          const detached = yield* call("detach", {})
          assert.deepStrictEqual(detached.data, { pid: Number(pid), alive: true, suspended: false, traced: false })

          yield* start("crash", { adapter: "gdb", replace: true })
          const fs = yield* FileSystem.FileSystem
          const core = `${yield* fs.makeTempDirectoryScoped()}/core`
          yield* call("raw", { command: `generate-core-file ${core}` })
          yield* call("stop", {})
          const opened = yield* call("core", { file: core, program: `${directory}/crash`, adapter: "gdb", environment })
          assert.deepInclude(opened.data, { event: "stopped", reason: "signal", fatal_signal: "SIGSEGV" })
          assert.strictEqual(opened.data.location?.function, "third")
          yield* call("stop", {})
        })
      )
    }).pipe(Effect.scoped)
  )
}

// GDB 14 and newer have a DAP server. With an older GDB, as on Debian 12, these tests are left out.
if (Tools.recorded("gdb 14", version() >= 14)) suite("gdb", tests)
else {
  suite("gdb", (it) => {
    it.effect("is refused with the reason where it is too old or absent", () =>
      debugging(({ start }) =>
        Effect.gen(function* () {
          const refused = yield* Effect.flip(start("app", { adapter: "gdb" }))
          assert.strictEqual(refused._tag, version() === 0 ? "AdapterNotFound" : "VersionTooOld")
        })
      )
    )
  })
}
