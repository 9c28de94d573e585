/** Names, places and values that do not exist, on both LLDB backends: the error says what is wrong, and its hint works. */
import { assert, layer } from "@effect/vitest"
import type { Errors } from "@sigtrap/protocol"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a call with a wrong word", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`names the word and a call that works, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("app", { backend, break: [`app.c:${line("app.c", "bug")}`] })
          const refused = <E extends Errors.SigtrapError>(failing: Effect.Effect<unknown, E>) =>
            Effect.map(Effect.flip(failing), (error) => ({ message: error.message, hint: error.hints[0] }))
          const told = Effect.fnUntraced(function* <E extends Errors.SigtrapError>(
            failing: Effect.Effect<unknown, E>,
            message: string,
            input: unknown
          ) {
            const error = yield* refused(failing)
            assert.include(error.message, message)
            const hint = error.hint
            assert.deepStrictEqual(hint !== undefined && "input" in hint ? hint.input : undefined, input, message)
          })
          // Places.
          yield* told(call("break", { at: "app.c" }), "it is a source file, so a line is needed", { at: "app.c:11" })
          yield* told(call("break", { at: "+900" }), "nearest: app.c:", { at: "app.c:29" })
          yield* told(call("break", { regex: "nosuch" }), "no function matches", { regex: "nosuch", pending: true })
          yield* told(call("break", { function: "sum_score" }), "nearest: sum_scores", { function: "sum_scores" })
          yield* told(call("break", { at: "main", line: 3 }), "LOCATION and --line cannot be combined", {
            command: "break"
          })
          // A refused call has not changed the program, so its run can be repeated.
          yield* told(call("set", { target: "nosuch", value: "5" }), "no variable 'nosuch'", {})
          yield* told(call("memory.write", { address: "&total", values: ["zz"] }), "zz is not a whole number", {
            command: "memory.write"
          })
          yield* told(call("back", {}), "the first stop is #1", {})
          // Names.
          yield* told(call("print", { expressions: ["nosuch1 + nosuch2"] }), "no variable 'nosuch", {})
          yield* told(
            call("eval", { expression: "sum_score(items, 1)" }),
            "no function 'sum_score'; nearest: sum_scores",
            {
              expression: "sum_scores(items, 1)"
            }
          )
          yield* told(call("eval", { expression: 'getenv("HOME")' }), "has unknown return type", {
            expression: '(long)getenv("HOME")'
          })
          // Values.
          yield* call("up", {})
          yield* told(call("set", { target: "items[0].name", value: "'c'" }), "it is an array of characters", {
            target: "items[0].name",
            value: '"c"'
          })
          yield* told(call("set", { target: "items[0]", value: "5" }), "set one of its members", {
            expressions: ["items[0]"]
          })
          yield* told(call("watch", { expression: "main" }), "'main' is not a variable in memory", {})
          // Registers of a caller's frame that no function saved are left out.
          const { groups } = (yield* call("registers", { frame: 1 })).data
          const values = groups.flatMap(({ registers }) => registers)
          assert.isAbove(values.length, 0)
          assert.deepStrictEqual(
            values.filter(({ value }) => value.includes("error")),
            []
          )
          if (process.arch === "x64") {
            const { warnings } = yield* call("registers", { names: ["rax"], frame: 1 })
            assert.strictEqual(warnings[0]?.message, "frame 1 has no register 'rax' with a saved value")
          }
        })
      )
    )

    it.effect(`says why a value, a place or a name means nothing, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("app", { backend, break: [`app.c:${line("app.c", "bug")} if i == 1`] })
          const refusal = (failing: Effect.Effect<unknown, Errors.SigtrapError>) =>
            Effect.map(Effect.flip(failing), ({ message }) => message)
          const value = (expression: string) =>
            Effect.map(call("print", { expressions: [expression] }), ({ data }) => data.values[0]?.value)
          for (const expression of ["1/0", "n % 0", "total / (n - 3)", "10 / (int)items[0].id - 10 / (n-n)"]) {
            assert.include(yield* refusal(call("print", { expressions: [expression] })), "division by zero", expression)
          }
          assert.include(yield* refusal(call("print", { expressions: ["n / (i - 1)"] })), "(i - 1) is 0")
          assert.strictEqual(yield* value("n / i"), "3")
          assert.match(`${yield* value("1.0 / 0")}`, /inf/i)
          assert.strictEqual(yield* value("n == 3 ? 7 : n / 0"), "7")
          assert.include(
            yield* refusal(call("break", { regex: "(" })),
            "it is not a regular expression: parentheses not balanced"
          )
          assert.include(yield* refusal(call("break", { address: "zz" })), "it is neither a number nor a register")
          const warned = (answer: { readonly warnings: ReadonlyArray<{ readonly message: string }> }) =>
            answer.warnings.map(({ message }) => message).join()
          assert.include(warned(yield* call("break", { address: "0" })), "the program has no memory at 0")
          assert.include(warned(yield* call("break", { at: "main", thread: 99 })), "no thread 99 now; there are: 1")
          assert.include(warned(yield* call("history", { path: "nosuch" })), "no client has read 'nosuch'")
          yield* call("breakpoint.remove", { all: true })
          yield* call("continue", {})
          assert.include(yield* refusal(call("print", { expressions: ["n"] })), "the program has exited with code 3")
        })
      )
    )
  }

  it.effect("says that debug information is absent", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { directory } = yield* Programs
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const strip = ChildProcess.make("strip", ["-g", "-o", `${directory}/plain`, `${directory}/app`])
        assert.strictEqual(yield* spawner.exitCode(strip), 0)
        yield* start("plain", { break: ["sum_scores"] })
        const refusal = (failing: Effect.Effect<unknown, Errors.SigtrapError>) =>
          Effect.map(Effect.flip(failing), ({ message }) => message)
        const absent = "sum_scores has no debug information"
        assert.include(yield* refusal(call("print", { expressions: ["n"] })), absent)
        assert.include(yield* refusal(call("source", {})), absent)
        assert.include((yield* call("locals", {})).warnings[0]?.message, absent)
        assert.include((yield* call("args", {})).warnings[0]?.message, absent)
      })
    )
  )

  it.effect("shows the file of the stop if several have its name, and names the others", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { directory } = yield* Programs
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        for (const name of ["one", "two"]) {
          yield* fs.makeDirectory(`${directory}/${name}`)
          yield* fs.writeFileString(`${directory}/${name}/u.c`, `int ${name}(int a) {\n  return a + 1;\n}\n`)
        }
        const text = "int one(int);\nint two(int);\nint main(void) { return one(1) + two(2); }\n"
        yield* fs.writeFileString(`${directory}/twice.c`, text)
        const cc = ChildProcess.make("cc", ["-g", "-O0", "-o", "twice", "twice.c", "one/u.c", "two/u.c"], {
          cwd: directory
        })
        assert.strictEqual(yield* spawner.exitCode(cc), 0)
        yield* start("twice", { directory, break: ["two"] })
        const { data, warnings } = yield* call("source", { at: "u.c:2", directory })
        assert.strictEqual(data.file, `${directory}/two/u.c`)
        assert.include(warnings[0]?.message, `other files have this name: ${directory}/one/u.c`)
      })
    )
  )

  it.effect("names files that do not exist, are not programs, or are replaced", () =>
    debugging(({ start }) =>
      Effect.gen(function* () {
        const { directory } = yield* Programs
        const fs = yield* FileSystem.FileSystem
        const failed = (input: Parameters<typeof start>[1], program = "app") =>
          Effect.flip(start(program, { directory, ...input }))
        for (const field of ["env_file", "arg_file", "launch_json"] as const) {
          assert.include((yield* failed({ [field]: "nofile" })).message, "nofile: there is no such file", field)
        }
        const caught = yield* failed({ catch: ["trow"] })
        assert.include(caught.message, "no exception filter trow")
        assert.include(JSON.stringify(caught.hints[0]), `"catch":["throw"]`)
        yield* fs.writeFileString(`${directory}/empty`, "", { mode: 0o755 })
        assert.include((yield* failed({}, "empty")).message, "the file is empty")
        yield* fs.writeFileString(`${directory}/script`, "exit 3\n", { mode: 0o755 })
        assert.include((yield* failed({}, "script")).message, "it is not a program")
        yield* fs.symlink("ring", `${directory}/ring`)
        assert.include((yield* failed({}, "ring")).message, "it cannot be opened")
        assert.include((yield* failed({}, "a\ufffd")).message, "not UTF-8")
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        assert.strictEqual(yield* spawner.exitCode(ChildProcess.make("mkfifo", [`${directory}/pipe`])), 0)
        for (const field of ["stdin", "stdout", "stderr"] as const) {
          assert.include((yield* failed({ [field]: "pipe" })).message, "pipe is a named pipe", field)
        }
        yield* fs.writeFileString(`${directory}/out`, "before")
        const { warnings } = yield* start("app", { directory, stdout: "out" })
        assert.include(warnings[0]?.message, "out had content")
      })
    )
  )
})
