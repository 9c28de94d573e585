import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Errors, Hint, HintCompletion, Operations, Payload } from "../../src/index.ts"
import { HintCheck, Recorder } from "../../src/testing/index.ts"

describe("a hint", () => {
  const encode = Schema.encodeSync(Hint.Hint)
  const decode = Schema.decodeUnknownSync(Hint.Hint)

  it.each([
    [Hint.call("pause", { session: "one" }), { operation: "pause", input: { session: "one" } }],
    [
      Hint.call("catch", { filter: "load", name: undefined }, "to wait for a library"),
      { operation: "catch", input: { filter: "load" }, note: "to wait for a library" }
    ],
    [Hint.local("setup", ["gdb"]), { operation: "setup", input: { arguments: ["gdb"] }, local: true }],
    [Hint.help("breakpoint.list"), { operation: "help", input: { command: "breakpoint.list" }, local: true }],
    [Hint.remedy("apt-get install lldb"), { note: "apt-get install lldb" }]
  ])("is the same after it crossed a wire: %j", (hint, json) => {
    assert.deepStrictEqual(encode(hint), json)
    assert.deepStrictEqual(decode(JSON.parse(JSON.stringify(json))), hint)
  })
})

it("a hint with a text of more than 4096 characters becomes the help of its operation", () => {
  const hint = (length: number) => Hint.call("print", { expressions: ["x".repeat(length)] })
  assert.deepStrictEqual(Hint.shown([hint(4096), hint(4097)]), [hint(4096), Hint.help("print")])
})

/** The hints of a call that fails with an error. */
const completed = <T extends Operations.Tag>(tag: T, input: object, error: Errors.SigtrapError) =>
  Effect.gen(function* () {
    const operation = Operations.byTag(tag)
    const payload = yield* Payload.decode(
      operation,
      Payload.fill(operation, input, { directory: "/w", environment: {} })
    )
    const { hints } = yield* Effect.flip(HintCompletion.around(operation, payload, Effect.fail(error)))
    assert.deepStrictEqual(HintCheck.problems(hints), [])
    return hints
  })

const usage = (...remedies: Hint.Hints) => new Errors.Usage({ problem: "x", near: [], remedies })

describe("a completed hint", () => {
  it.effect("is on the session, the thread and the frame that were named", () =>
    Effect.gen(function* () {
      const error = () => new Errors.VariableNotFound({ name: "a", near: [] })
      assert.deepStrictEqual(yield* completed("print", { expressions: ["a"] }, error()), [Hint.call("locals", {})])
      assert.deepStrictEqual(yield* completed("print", { expressions: ["a"], session: "one", frame: 2 }, error()), [
        Hint.call("locals", { frame: 2, session: "one" })
      ])
      // An operation that starts programs too has the options that the help of `start` would explain.
      assert.deepStrictEqual(yield* completed("run", { program: "./app" }, usage(Hint.help("start"))), [
        Hint.help("run")
      ])
      assert.deepStrictEqual(yield* completed("next", {}, usage(Hint.help("start"))), [Hint.help("start")])
      const location = new Errors.InvalidLocation({ text: "x", problem: "y" })
      assert.deepStrictEqual(yield* completed("until", { at: "x" }, location), [Hint.help("until")])
      // `sessions` has no session.
      assert.deepStrictEqual(
        yield* completed("next", { session: "one" }, new Errors.SessionNotFound({ name: "one", known: [] })),
        [Hint.call("sessions", {})]
      )
    })
  )

  it.effect("that makes the call again keeps all of its fields but defaults and those of the surface", () =>
    Effect.gen(function* () {
      const error = new Errors.BreakpointUnresolved({ state: "stopped", location: "a.c:3", reason: "x", near: [] })
      assert.deepStrictEqual(
        yield* completed("break", { at: "a.c:3", condition: "n > 1", temporary: false, session: "one" }, error),
        [Hint.call("break", { at: "a.c:3", condition: "n > 1", session: "one", pending: true })]
      )
    })
  )

  it.effect("ignores names that every object has, such as toString", () =>
    Effect.gen(function* () {
      const hint: Hint.Call = { operation: "none", input: { toString: {} }, again: true }
      assert.deepStrictEqual(yield* completed("next", {}, usage(hint)), [Hint.help("none")])
    })
  )

  it.effect("that makes the call again is made with another operation that has the fields", () =>
    Effect.gen(function* () {
      const again = () => usage(Hint.again("start", { adapter: "gdb" }))
      assert.deepStrictEqual(yield* completed("attach", { pid: 3 }, again()), [
        Hint.call("attach", { pid: 3, adapter: "gdb" })
      ])
      assert.deepStrictEqual(
        yield* completed(
          "until",
          { at: "a.c:3", session: "one" },
          usage(Hint.again("break", { at: "a.c:3", pending: true }))
        ),
        [Hint.call("break", { session: "one", at: "a.c:3", pending: true })]
      )
    })
  )

  it.effect("is help where the call is not valid or is the one that was made", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* completed("status", {}, usage(Hint.again("memory.read", { size: 4 }))), [
        Hint.help("memory.read")
      ])
      assert.deepStrictEqual(
        yield* completed("start", { program: "a" }, usage(Hint.again("start", { program: "a" }))),
        [Hint.help("start")]
      )
    })
  )

  it.effect("of an answer is completed, too", () =>
    Effect.gen(function* () {
      const operation = Operations.byTag("locals")
      const payload = yield* Payload.decode(operation, { count: 5, session: "one" })
      const cut = { path: "data.variables", shown: 5, total: 9, hints: [Hint.again("locals", { start: 5 })] }
      const warning = { code: "X", message: "x", hints: [Hint.call("status", {})] }
      const answer = { ...Recorder.answer({}), truncated: [cut], warnings: [warning, { code: "Y", message: "y" }] }
      const { truncated, warnings } = yield* HintCompletion.around(operation, payload, Effect.succeed(answer))
      assert.deepStrictEqual(truncated, [
        { ...cut, hints: [Hint.call("locals", { start: 5, count: 5, session: "one" })] }
      ])
      assert.deepStrictEqual(warnings, [
        { ...warning, hints: [Hint.call("status", { session: "one" })] },
        { code: "Y", message: "y" }
      ])
    })
  )
})
