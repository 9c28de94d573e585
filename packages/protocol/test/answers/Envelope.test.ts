import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Envelope, Errors, Hint, type Operation, Operations } from "../../src/index.ts"
import { Recorder } from "../../src/testing/index.ts"

const write: Envelope.WriteHint = (hint) => ("operation" in hint ? `call ${hint.operation}` : hint.note)

const operation = (tag: Operations.Tag): Operation.Any =>
  Operations.all.find(({ _tag }) => _tag === tag) ?? assert.fail(`no operation ${tag}`)

describe("the envelope of an answer", () => {
  it.effect("has its keys in one order and leaves out what is absent", () =>
    Effect.gen(function* () {
      const answer = Recorder.answer({ breakpoints: [] })
      const list = operation("breakpoint.list")
      assert.strictEqual(
        JSON.stringify(yield* Envelope.success(list, { stop: 2, session: "s1", ...answer, state: "stopped" }, write)),
        `{"ok":true,"cmd":"breakpoint list","session":"s1","state":"stopped","stop":2,"data":{"breakpoints":[]},"warnings":[],"truncated":[]}`
      )
      assert.strictEqual(
        JSON.stringify(yield* Envelope.success(list, answer, write)),
        `{"ok":true,"cmd":"breakpoint list","state":"none","data":{"breakpoints":[]},"warnings":[],"truncated":[]}`
      )
    })
  )

  it.effect("writes hints for its surface, at most three, and derives `more` from the first", () =>
    Effect.gen(function* () {
      const hints = [Hint.again("locals", { start: 5 }), Hint.remedy("a"), Hint.remedy("b"), Hint.remedy("c")]
      const answer = {
        ...Recorder.answer({ breakpoints: [] }),
        warnings: [{ code: "X", message: "x", hints: [Hint.local("config.trust")] }],
        truncated: [{ path: "data", shown: 1, hints }]
      }
      const { truncated, warnings } = yield* Envelope.success(operation("breakpoint.list"), answer, write)
      assert.deepStrictEqual(truncated, [
        {
          path: "data",
          shown: 1,
          more: "call locals",
          hints: [
            { operation: "locals", input: { start: 5 }, text: "call locals" },
            { note: "a", text: "a" },
            { note: "b", text: "b" }
          ]
        }
      ])
      assert.deepStrictEqual(warnings, [
        {
          code: "X",
          message: "x",
          hints: [{ operation: "config.trust", input: {}, local: true, text: "call config.trust" }]
        }
      ])
    })
  )

  it.effect("is not made from an answer that breaks the contract", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Envelope.success(operation("sessions"), Recorder.answer({ sessions: 3 }), write))
      assert.isTrue(Exit.hasDies(exit))
    })
  )
})

describe("the envelope of an error", () => {
  it("has the code, message, hint and details, and the session's state", () => {
    const error = new Errors.ThreadNotFound({ session: "s1", state: "stopped", id: 7, known: [1, 2] })
    assert.strictEqual(
      JSON.stringify(Envelope.failure(error, write, "backtrace")),
      `{"ok":false,"cmd":"backtrace","session":"s1","state":"stopped","error":{"code":"THREAD_NOT_FOUND","message":"no thread 7; there are: 1, 2","hint":"call threads","hints":[{"operation":"threads","input":{},"text":"call threads"}],"details":{"id":7,"known":[1,2]}},"warnings":[]}`
    )
  })

  it("leaves out a command and a session that are not known", () => {
    assert.strictEqual(
      JSON.stringify(Envelope.failure(new Errors.NoSession({}), write)),
      `{"ok":false,"error":{"code":"NO_SESSION","message":"no session: nothing is being debugged","hint":"call help","hints":[{"operation":"help","input":{"command":"start"},"local":true,"text":"call help"}],"details":{}},"warnings":[]}`
    )
  })

  it("has data only when the wait ended before the program stopped", () => {
    const wait = new Errors.WaitTimeout({ waited_ms: 500, output_bytes: 3, output_tail: "abc" })
    assert.deepStrictEqual(Envelope.failure(wait, write).data, {
      event: "running",
      running: true,
      waited_ms: 500,
      output: { bytes: 3, tail: "abc" }
    })
    for (const error of [new Errors.NoSession({}), new Errors.Internal({ detail: "x" })]) {
      assert.notProperty(Envelope.failure(error, write), "data")
    }
  })
})

it("the details of an error have texts of at most 64 Ki characters", () => {
  const length = 65_536
  const near = ["y".repeat(length + 1)]
  const { error } = Envelope.failure(new Errors.Usage({ problem: "x".repeat(length), near, remedies: [] }), write)
  assert.deepStrictEqual(error.details, {
    problem: "x".repeat(length),
    near: [`${"y".repeat(length)}… (${length + 1} characters)`]
  })
})
