// The effects and tiers of a call, and what a caller's allowance permits of them.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Effects, Operation, Operations } from "../src/index.ts"

const uses = (tag: Operations.Tag, payload: object) =>
  Effects.ofCall(Operation.meta(Operations.byTag(tag)), payload).map(({ effect, field, reads, value }) =>
    [effect, field, value, reads === true ? "reads" : undefined].filter((part) => part !== undefined).join(" ")
  )

describe("the effects of a call", () => {
  const rows: ReadonlyArray<readonly [tag: Operations.Tag, payload: object, expected: ReadonlyArray<string>]> = [
    ["print", { expressions: ["f()"], frame: 1 }, ["observe"]],
    ["memory.read", { address: "f()" }, ["observe"]],
    ["output", { clear: false, tail: 3 }, ["observe"]],
    ["output", { clear: true }, ["observe", "control clear true"]],
    ["break", { at: "app.c:14", cmd: [], eval: [], log: "" }, ["control"]],
    ["break", { at: "app.c:14 if f(1) hits 3" }, ["control", "eval at f(1)"]],
    ["break", { at: "app.c:14 if n == 3" }, ["control", "eval at n == 3 reads"]],
    ["break", { at: "*0x401000" }, ["control"]],
    ["break", { at: "*&main + 4" }, ["control"]],
    ["break", { at: "*f()" }, ["control", "eval at f()"]],
    ["break", { at: "* f() if g()" }, ["control", "eval at f()", "eval at g()"]],
    ["break", { address: "f()" }, ["control", "eval address f()"]],
    ["break", { address: "0x10 if f()" }, ["control", "eval address f()"]],
    ["break", { regex: "x/ if f() //" }, ["control", "eval regex f() //"]],
    ["break", { file: "x if f() //", line: 1 }, ["control", "eval file f() //"]],
    ["break", { function: "*f()" }, ["control", "eval function f()"]],
    ["break", { at: "main", condition: "f()" }, ["control", "eval condition f()"]],
    ["break", { at: "main", log: "n={n} {f()}" }, ["control", "eval log n reads", "eval log f()"]],
    ["break", { at: "main", cmd: ["bt"] }, ["control", "raw cmd bt"]],
    ["break", { at: "main", eval: ["f()", "n"] }, ["control", "eval eval f()", "eval eval n reads"]],
    ["logpoint", { at: "main if f() :: {g()} {h}" }, ["control", "eval at f()", "eval at g()", "eval at h reads"]],
    ["logpoint", { at: "main if f()", message: "{g()}" }, ["control", "eval at f()", "eval message g()"]],
    ["watch", { expression: "n if f()" }, ["control", "eval expression f()"]],
    ["catch", { filter: "throw", condition: "f()" }, ["control", "eval condition f()"]],
    ["continue", { break: ["a.c:1 if f()"], to: "*g()" }, ["control", "eval break f()", "eval to g()"]],
    ["next", { eval: ["f()"] }, ["control", "eval eval f()"]],
    ["until", { at: "f if g()" }, ["control", "eval at g()"]],
    ["breakpoint.edit", { id: "1", cmd: ["bt"], log: "{f()}" }, ["control", "raw cmd bt", "eval log f()"]],
    ["eval", { expression: "f()" }, ["eval", "eval expression f()"]],
    ["set", { target: "n", value: "2" }, ["write-memory"]],
    ["set", { target: "n", value: "f()" }, ["write-memory", "eval value f()"]],
    ["raw", { command: "version" }, ["raw", "raw command version"]],
    ["restart", {}, ["control"]],
    ["restart", { args: ["x"], build: "make" }, ["control", "launch args x", "raw build make"]],
    [
      "start",
      { program: "./a", break: ["main if f()"], logpoint: ["main :: {g()}"], stdout: "o", stdin: "i" },
      [
        "launch",
        "launch program ./a",
        "eval break f()",
        "eval logpoint g()",
        "write-file stdout o",
        "read-file stdin i"
      ]
    ],
    ["start", { logpoint: ["g()"] }, ["launch", "eval logpoint g()"]],
    ["stop", { unknown: 1 }, ["control", "owner unknown 1"]]
  ]
  it.each(rows)("of %s %o", (tag, payload, expected) => assert.deepStrictEqual(uses(tag, payload), [...expected]))

  it("of a trace by probes of the kernel are more than those of other engines", () => {
    const specs = ["a.c:1 :: {f()}"]
    assert.deepStrictEqual(uses("trace", { specs, engine: "auto" }), ["control", "eval specs f()"])
    assert.deepStrictEqual(uses("trace", { specs, engine: "uprobe" }), [
      "control",
      "eval specs f()",
      "raw engine probes of the kernel"
    ])
  })

  it("name what an operation destroys", () => {
    const [erase] = Effects.ofCall(Operation.meta(Operations.byTag("sim.erase")), {})
    assert.isDefined(erase?.destroys)
    const [stop] = Effects.ofCall(Operation.meta(Operations.byTag("stop")), {})
    assert.isUndefined(stop?.destroys)
  })

  it("of a breakpoint are those of each of its parts", () => {
    const parts = { address: "f()", condition: "g()", log: "{h()}", cmd: ["bt"], eval: ["i()"] }
    assert.deepStrictEqual(
      Effects.ofBreakpoint(parts, "FILE").map(
        ({ effect, source, value }) => `${effect} ${value ?? ""} ${source ?? ""}`
      ),
      ["eval f() FILE", "eval g() FILE", "eval h() FILE", "raw bt FILE", "eval i() FILE"]
    )
  })
})

/** True if an operation with a field `cmd` may declare these effects. */
type Compiles<Declared> =
  Declared extends Effects.Declared<{ readonly cmd: unknown; readonly session: unknown }> ? true : false

it("a field without a declared effect does not compile", () => {
  const complete: Compiles<{ readonly cmd: "raw" }> = true
  const without: Compiles<{ readonly session: "observe" }> = false
  const misspelt: Compiles<{ readonly cmd: "raww" }> = false
  assert.deepStrictEqual([complete, without, misspelt], [true, false, false])
})

describe("an allowance", () => {
  const agent: Caller.Allowance = { effects: ["observe", "launch"], destructive: false, uses: [] }

  it("permits its effects, and launches that destroy nothing", () => {
    assert.isTrue(Caller.allows(agent, { effect: "launch" }))
    assert.isFalse(Caller.allows(agent, { effect: "launch", destroys: "the session web" }))
    assert.isFalse(Caller.allows(agent, { effect: "raw" }))
    assert.isTrue(Caller.allows({ ...agent, destructive: true }, { effect: "launch", destroys: "the session web" }))
  })

  it("permits an accepted effect only with the same field, value and source", () => {
    const use: Effects.Use = { effect: "raw", field: "init_cmd", value: "version", source: "initCommands of a" }
    const allowance = { ...agent, uses: [use] }
    assert.isTrue(Caller.allows(allowance, { ...use }))
    for (const other of [
      { value: "quit" },
      { field: "cmd" },
      { source: "initCommands of b" },
      { effect: "eval" as const }
    ]) {
      assert.isFalse(Caller.allows(allowance, { ...use, ...other }), JSON.stringify(other))
    }
  })
})
