/** Refused operations, including indirect ways to the same effect; a terminal for the program; values as JSON. */
import { assert, layer } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect, FileSystem } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("policies", (it) => {
  it.effect("refuses every change of the program in a read-only session", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const bug = `app.c:${line("app.c", "bug")}`
        yield* start("app", { read_only: true, break: [`${bug} if i == 1`] })
        assert.deepStrictEqual((yield* call("status", {})).data.policy, ["read-only"])
        const refused = <A, R>(asked: Effect.Effect<A, { readonly _tag: string }, R>) =>
          Effect.map(Effect.flip(asked), (error) => assert.strictEqual(error._tag, "Policy"))
        yield* refused(call("eval", { expression: "n" }))
        yield* refused(call("set", { target: "n", value: "1" }))
        yield* refused(call("memory.write", { address: "&n", values: ["1"] }))
        yield* refused(call("raw", { command: "expression n = 1" }))
        yield* refused(call("restart", {}))
        yield* refused(call("break", { at: `${bug} if (n = 4)` }))
        yield* refused(call("break", { at: "main", cmd: ["expression n = 4"] }))
        yield* refused(call("break", { at: "main", eval: ["n++"] }))
        yield* refused(call("break", { at: "*sum_scores(items, n)" }))
        yield* refused(call("logpoint", { at: bug, message: "{n = 4}" }))
        yield* refused(call("breakpoint.edit", { id: 1, condition: "n = 4" }))
        yield* refused(call("next", { eval: ["n++"] }))
        yield* refused(call("continue", { break: ["main if (n = 4)"] }))
        const n = (yield* call("print", { expressions: ["n"] })).data.values[0]?.value
        assert.strictEqual(n, "3")
        assert.strictEqual((yield* call("next", { eval: ["n"] })).data.event, "stopped")
      })
    )
  )

  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`lets no address of a breakpoint run an operator of the program (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("operators", {
            backend,
            deny: ["eval"],
            break: [`operators.cpp:${line("operators.cpp", "counted")}`]
          })
          const forbidden = "which the policy no-eval forbids"
          assert.include((yield* Effect.flip(call("break", { at: "*c[1]" }))).message, forbidden)
          assert.include((yield* Effect.flip(call("until", { at: "*c[1]" }))).message, forbidden)
          assert.strictEqual((yield* call("break", { at: "*c[1] + 4", pending: true })).data.resolved, false)
          assert.strictEqual((yield* call("break", { at: "*main+4" })).data.resolved, true)
          assert.strictEqual((yield* call("print", { expressions: ["ran"] })).data.values[0]?.value, "0")
        })
      )
    )

    it.effect(`lets no reading expression run an operator of the program (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("operators", {
            backend,
            deny: ["eval"],
            break: [`operators.cpp:${line("operators.cpp", "counted")}`]
          })
          const print = (expression: string) => call("print", { expressions: [expression] })
          for (const expression of ["c + 1", "c == 3", "*c", "!c"]) {
            assert.include(
              (yield* Effect.flip(print(expression))).message,
              "which the policy no-eval forbids",
              expression
            )
          }
          const changing = yield* Effect.flip(print("c.n++"))
          assert.deepStrictEqual(changing.hints, [Hint.call("locals", {})])
          assert.strictEqual((yield* print("c.n + list[1]")).data.values[0]?.value, "5")
          assert.strictEqual((yield* print("ran")).data.values[0]?.value, "0")
        })
      )
    )
  }

  it.effect("finds the condition of a watchpoint before a word that looks like a count", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { deny: ["eval"], break: ["sum_scores"] })
        const watch = (expression: string, more: { readonly hits?: string; readonly condition?: string } = {}) =>
          call("watch", { expression, ...more })
        const refusal = (work: ReturnType<typeof watch>) => Effect.map(Effect.flip(work), ({ message }) => message)
        assert.include(yield* refusal(watch("total if hits -f()")), "-f() is not a hit count")
        assert.include(yield* refusal(watch("total if f() hits 2")), "no-eval")
        assert.include(yield* refusal(watch("total hits 2", { hits: "3" })), "the count is given twice")
        assert.include(yield* refusal(watch("total if n > 1", { condition: "n" })), "the condition is given twice")
        const { data } = yield* watch("total if n > 1 hits 2")
        assert.deepInclude(data, { condition: "n > 1", hits_wanted: "2" })
      })
    )
  )

  it.effect("applies the caller's policy to operations that start a session", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { directory } = yield* Programs
        const fs = yield* FileSystem.FileSystem
        const away = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-away-" })
        yield* fs.symlink("/bin/true", `${directory}/link`)
        const rule = (input: Parameters<typeof start>[1], program = "app") =>
          Effect.map(Effect.flip(start(program, { ...input })), (error) =>
            error._tag === "Policy" ? error.rule : error._tag
          )
        const settings = (key: string, value: string | ReadonlyArray<string>) => ({
          settings: { [`policy.${key}`]: value }
        })
        assert.strictEqual(yield* rule({ deny: ["raw"], init_cmd: ["version"] }), "no-raw")
        assert.strictEqual(yield* rule({ read_only: true, adapter_opt: ['postRunCommands=["x"]'] }), "read-only")
        assert.strictEqual(yield* rule({ deny: ["eval"], break: ["main if f()"] }), "no-eval")
        assert.strictEqual(yield* rule(settings("no-launch", "true")), "no-launch")
        assert.strictEqual(yield* rule({ ...settings("no-launch", "true"), build: "make" }), "no-launch")
        const roots = { ...settings("roots", [directory]), sources: [] }
        assert.strictEqual(yield* rule(roots, "/bin/true"), "roots")
        assert.strictEqual(yield* rule(roots, "link"), "roots")
        assert.strictEqual(yield* rule({ ...roots, stdout: `${away}/out` }), "roots")
        assert.strictEqual(yield* rule({ ...roots, build: "make" }), "roots")
        assert.strictEqual(yield* rule({ ...roots, sources: [away] }), "roots")
        assert.strictEqual(yield* rule({ ...settings("env-deny", ["LD_PRELOAD"]), env: ["LD_PRELOAD=x"] }), "env-deny")
        const attach = yield* Effect.flip(call("attach", { pid: process.pid, ...settings("no-attach", "true") }))
        assert.include(["Policy", "Permission"], attach._tag)
        yield* start("app", { ...roots, break: ["sum_scores"], deny: ["eval"], stdin: "/dev/null" })
        assert.deepStrictEqual((yield* call("status", {})).data.policy, ["no-eval", `roots ${directory}`])
        assert.strictEqual((yield* Effect.flip(call("source", { at: "/etc/passwd:1" })))._tag, "Policy")
        assert.strictEqual((yield* Effect.flip(call("breakpoint.save", { file: `${away}/b` })))._tag, "Policy")
        yield* call("set", { target: "n", value: "2" })
        assert.strictEqual((yield* Effect.flip(call("set", { target: "n", value: "f()" })))._tag, "Policy")
      })
    )
  )

  it.effect("gives a program its own terminal and passes typed input", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const begun = yield* start("terminal", { terminal: "pty", break: [`terminal.c:${line("terminal.c", "read")}`] })
        assert.strictEqual(begun.data.channels, "merged")
        yield* call("input", { text: "gr\u00fc\u00dfe" })
        const ended = yield* call("continue", {})
        assert.deepInclude(ended.data, { event: "exited", exit_code: 0 })
        const { data } = yield* call("output", {})
        assert.strictEqual(data.channels, "merged")
        assert.match(data.text, /^terminals: 111, 80x24\r\nan error\r\nname\? /)
        assert.include(data.text, "hello gr\u00fc\u00dfe\r\n")
        const tag = (input: Parameters<typeof start>[1]) =>
          Effect.map(Effect.flip(start("app", input)), ({ _tag }) => _tag)
        assert.strictEqual(yield* tag({ terminal: "external" }), "Unsupported")
        assert.strictEqual(yield* tag({ terminal: "pty", stdin: "/dev/null" }), "Usage")
        assert.strictEqual(yield* tag({ terminal: "pty", backend: "lldb-cli" }), "Unsupported")
      })
    )
  )

  it.effect("returns values as JSON, and locals to the requested depth", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("app", { break: [`app.c:${line("app.c", "return")}`] })
        const { values } = (yield* call("print", { expressions: ["items", "n", "items[1].name"], format: "j" })).data
        assert.deepStrictEqual(
          values.map(({ value = "" }) => JSON.parse(value)),
          [{ id: 1, name: "alpha", score: 10.5 }, 3, "beta"]
        )
        const { locals = [] } = (yield* call("context", { depth: 1 })).data
        const members = locals.find(({ name }) => name === "items")?.children?.map(({ name }) => name)
        assert.deepStrictEqual(members, ["id", "name", "score"])
      })
    )
  )
})
