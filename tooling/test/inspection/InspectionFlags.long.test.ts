/** Secret values, breakpoint actions (log, commands, expressions) and rare flags of inspection, under the real lldb-dap. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("flags", (it) => {
  it.effect("masks secrets in every answer and shows them when revealed", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const at = (mark: string) => `secrets.c:${line("secrets.c", mark)}`
        const begun = yield* start("secrets", { break: [at("loop")], context: "full" })
        const answers: Array<unknown> = [begun]
        const see = <A, E, R>(asked: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.result(asked), (answer) => void answers.push(answer))
        for (const expression of [
          "login",
          "login.password",
          "&login",
          "login.inner",
          "login.password[0]",
          "client_secret"
        ]) {
          yield* see(call("print", { expressions: [expression], depth: 3 }))
          yield* see(call("print", { expressions: [expression], raw: true }))
          yield* see(call("print", { expressions: [expression], format: "s" }))
          yield* see(call("expand", { target: expression, depth: 3 }))
          yield* see(call("eval", { expression }))
        }
        yield* see(call("eval", { expression: "get_password(&login)" }))
        yield* see(call("locals", { full: true, scope: ["all"] }))
        yield* see(call("globals", {}))
        yield* see(call("set", { target: "login.password[0]", value: "'h'" }))
        yield* see(call("memory.read", { address: "&login.password" }))
        yield* see(call("backtrace", { locals: true }))
        yield* see(call("context", {}))
        yield* call("logpoint", { at: at("loop"), message: "{login.password} {login} {client_secret}" })
        yield* call("break", { at: at("fork"), eval: ["login", "login.password"], cmd: ["p login.password"] })
        yield* see(call("continue", { eval: ["login.inner.api_key"] }))
        yield* see(call("breakpoint.info", { id: 2 }))
        yield* see(call("changed", {}))
        yield* see(call("output", { channel: ["log", "stdout"] }))
        const all = JSON.stringify(answers)
        for (const secret of ["hunter2", "topsec1"]) assert.notInclude(all, secret)
        const shown = yield* call("print", { expressions: ["login"], depth: 2, reveal: true })
        assert.include(JSON.stringify(shown), "hunter2")
      })
    )
  )

  it.effect("records values, runs commands, disables itself and keeps to a thread at a breakpoint", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const at = (mark: string) => `secrets.c:${line("secrets.c", mark)}`
        yield* start("secrets", { break: [at("call")] })
        yield* call("break", { at: at("loop"), eval: ["i"], continue: true, name: "loop" })
        yield* call("break", { at: at("fork"), cmd: ["p counter"] })
        const { data } = yield* call("continue", {})
        assert.include(data.commands?.[0]?.output, "14")
        const log = (yield* call("output", { channel: ["log"] })).data.text
        assert.strictEqual(log, [0, 1, 2, 3].map((i) => `breakpoint 2 (hit ${i + 1}): i = ${i}\n`).join(""))
        assert.strictEqual((yield* call("breakpoint.info", { id: "loop" })).data.history.length, 4)
        yield* call("break", { at: at("end"), thread_name: "nobody" })
        assert.strictEqual((yield* call("continue", {})).data.event, "exited")
      })
    )
  )

  it.effect("keeps a breakpoint disabled, steps into system functions, and stops at a fork", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("secrets", { stop_at_main: true })
        yield* call("break", { at: "check", disabled: true })
        assert.deepInclude((yield* call("until", { at: "check" })).data, { reason: "until", reached: true })
        assert.strictEqual((yield* call("breakpoint.info", { id: 2 })).data.enabled, false)
        const inside = yield* call("step", { into_system: true })
        assert.include(inside.data.location?.function, "strlen")
        yield* call("catch", { filter: "fork" })
        assert.deepInclude((yield* call("continue", {})).data, { reason: "fork" })
        const refused = yield* Effect.flip(call("catch", { filter: "syscall", name: "write" }))
        assert.strictEqual(refused._tag, "Unsupported")
      })
    )
  )

  it.effect("resumes one thread alone", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("threads", { break: ["work"] })
        const { data } = yield* call("next", { only_thread: true })
        assert.strictEqual(data.reason, "step")
        assert.strictEqual(data.threads, 4)
      })
    )
  )

  it.effect("reads memory as words, writes numbers, and disassembles in both flavors and by range", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("secrets", { break: [`secrets.c:${line("secrets.c", "loop")}`] })
        yield* call("memory.write", { address: "&counter", values: ["300"], size: 4 })
        const read = yield* call("memory.read", { address: "&counter", count: 4, format: "d" })
        assert.deepStrictEqual(read.data.values, ["300"])
        const { instructions } = (yield* call("disassemble", { count: 3, flavor: "att" })).data
        assert.match(instructions.map(({ text }) => text).join(), /%/)
        const [first, , third] = instructions
        const range = `${first?.address ?? ""}-${third?.address ?? ""}`
        const between = (yield* call("disassemble", { range, flavor: "intel" })).data.instructions
        assert.strictEqual(between.length, 2)
        assert.notMatch(between.map(({ text }) => text).join(), /%/)
        const whole = (yield* call("source", { function: true })).data
        assert.strictEqual(whole.lines[0], "{")
        assert.isAtLeast(whole.lines.length, 15)
        assert.deepInclude((yield* call("find", { name: "counter" })).data.matches[0], { kind: "var", scope: "global" })
      })
    )
  )

  it.effect("reports the type and what() of a C++ exception", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("thrower", { stop_at_main: true })
        yield* call("catch", { filter: "throw" })
        const { data } = yield* call("continue", {})
        assert.deepInclude(data.exception, { type: "std::runtime_error", message: "too big" })
        assert.strictEqual(data.exception?.thrown_at?.line, line("thrower.cpp", "throw"))
        yield* call("catch", { filter: "none" })
        const uncaught = yield* call("continue", {})
        assert.deepInclude(uncaught.data, { reason: "signal" })
        assert.deepInclude(uncaught.data.exception, { type: "std::runtime_error", message: "too big" })
        assert.strictEqual((yield* call("exceptions", {})).data.exceptions.length, 2)
      })
    )
  )
})
