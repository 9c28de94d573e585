// Operations that need a stopped program: what they wait for, and how they fail.
import { assert, describe, it } from "@effect/vitest"
import { Errors, Hint } from "@sigtrap/protocol"
import { Effect, Latch } from "effect"
import { FakeBackend } from "../../src/testing/index.ts"
import { begin, call, calls, code, fakeWith, honest, over, settle } from "../support.ts"
import { inSquare } from "../stoppedSessions.ts"

describe("an operation that needs a stop", () => {
  it.effect("waits for a step that arrived before it, and reads at its stop", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const [stepped, ...reads] = yield* Effect.all(
          [call.next(), call.locals(), call.backtrace(), call.print(["n"])],
          { concurrency: "unbounded" }
        )
        for (const { stop } of reads) assert.strictEqual(stop, stepped.stop)
        assert.deepStrictEqual(
          reads[1].data.frames.map(({ line }) => line),
          (yield* call.backtrace()).data.frames.map(({ line }) => line)
        )
      })
    )
  )

  it.effect("fails while the program runs", () => {
    const fake = fakeWith({ pace: "on demand" })
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ wait: false })
        for (const asked of calls(call.backtrace(), call.locals(), call.print(["i"]), call.eval("i"))) {
          assert.deepInclude(yield* Effect.flip(asked), { _tag: "NotStopped", state: "running" })
        }
        assert.strictEqual((yield* call.context()).data.event, "running")
        assert.strictEqual((yield* call.status()).data.state, "running")
        assert.deepStrictEqual(
          (yield* fake.newest).requests.map(({ request }) => request),
          ["launch", "run"]
        )
      })
    )
  })

  it.effect.each([
    ["THREAD_NOT_FOUND", call.backtrace({ thread: 7 })],
    ["THREAD_NOT_FOUND", call.locals({ thread: 7 })],
    ["FRAME_NOT_FOUND", call.locals({ frame: 3 })],
    ["FRAME_NOT_FOUND", call.print(["i"], { frame: 99 })],
    ["FRAME_NOT_FOUND", call.context({ frame: 3 })],
    ["VARIABLE_NOT_FOUND", call.print(["resul"])],
    ["VARIABLE_NOT_FOUND", call.eval("nothing")],
    ["STALE_REF", call.print(["@v99"])],
    ["USAGE", call.raw("a\nb")]
  ] as const)("fails with %s where there is no such thing", ([expected, asked]) => {
    const [one = call.context()] = calls(asked)
    return inSquare(() => Effect.map(code(one), (found) => assert.strictEqual(found, expected)))
  })

  it.effect.each([true, false])("knows how deep the stack is, whether the debugger says so or not: %s", (totals) =>
    inSquare(
      () =>
        Effect.gen(function* () {
          assert.deepInclude(yield* Effect.flip(call.locals({ frame: 50 })), {
            _tag: "FrameNotFound",
            index: 50,
            count: 3
          })
          assert.strictEqual((yield* call.backtrace()).data.total, 3)
        }),
      fakeWith({ totals })
    )
  )

  it.effect("of several expressions names why each of them failed", () =>
    inSquare(() =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(call.print(["resul", "n = 2", "@v99"]))
        assert.deepInclude(error, { _tag: "VariableNotFound", name: "resul" })
        const values = error._tag === "VariableNotFound" ? error.values : undefined
        assert.deepStrictEqual(
          values?.map(({ error: { code: of }, expression }) => [expression, of]),
          [
            ["resul", "VARIABLE_NOT_FOUND"],
            ["n = 2", "EVALUATION_FAILED"],
            ["@v99", "STALE_REF"]
          ]
        )
        assert.match(error.message, /resul.*; 'n = 2' was not evaluated.*; @v99 is not a reference/)
        assert.notProperty(yield* Effect.flip(call.print(["resul"])), "values")
      })
    )
  )

  it.effect("suggests similar names for an unknown variable", () =>
    inSquare(() =>
      Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(call.print(["resul"])), { name: "resul", near: ["result"] })
      })
    )
  )
})

describe("evaluating", () => {
  it.effect("can change the program, and later reads show the change", () =>
    inSquare(() =>
      Effect.gen(function* () {
        assert.strictEqual((yield* call.locals()).data.variables[0]?.value, "1")
        assert.deepInclude((yield* call.eval("n = 5")).data.value, { name: "n = 5", value: "5" })
        assert.strictEqual((yield* call.locals()).data.variables[0]?.value, "5")
        assert.strictEqual((yield* call.print(["n"])).data.values[0]?.value, "5")
      })
    )
  )

  it.effect("is refused by print before a request to the debugger", () =>
    inSquare((fake) =>
      Effect.gen(function* () {
        for (const expression of ["n = 1", "n++", "square(2)"]) {
          const error = yield* Effect.flip(call.print([expression]))
          assert.deepInclude(error, { _tag: "SideEffects", expression })
        }
        const long = yield* Effect.flip(call.print([`n${"+n".repeat(2048)}`]))
        assert.strictEqual(long.message, "the expression has 4097 characters; print reads one of at most 4096")
        assert.strictEqual((yield* fake.newest).count("evaluate"), 0)
      })
    )
  )

  it.effect("requests a read-only evaluation for print", () =>
    inSquare((fake) =>
      Effect.gen(function* () {
        yield* call.print(["n"])
        const asked = (yield* fake.newest).requests.at(-1)
        assert.deepInclude(asked?.detail, { expression: "n", how: "read" })
      })
    )
  )
})

describe("a resume by another client", () => {
  it.effect.each(["stack", "locals", "evaluate", "children"] as const)(
    "while %s is read makes it fail, and never shows another stop",
    (request) => {
      const fake = FakeBackend.make()
      return over(
        fake,
        Effect.gen(function* () {
          yield* call.start({ break: ["main"], context: "none" })
          yield* call.next({ wait: false })
          yield* settle
          const asks = {
            stack: call.backtrace(),
            locals: call.locals(),
            evaluate: call.print(["i"]),
            children: call.print(["pair"])
          }
          const latch = yield* Latch.make()
          fake.fault(request, { kind: "hold", until: latch.await })
          const [asked = call.context()] = calls(asks[request])
          const reading = yield* begin(asked)
          assert.isTrue(yield* reading.pending)
          assert.strictEqual((yield* call.next({ context: "none" })).stop, 3)
          yield* latch.open
          assert.deepInclude(yield* Effect.flip(reading.done), { _tag: "NotStopped" })
          honest(fake)
        })
      )
    }
  )

  it.effect("during a report gives a report of the newer stop", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"], context: "none" })
        const latch = yield* Latch.make()
        fake.fault("locals", { kind: "hold", until: latch.await })
        const reading = yield* begin(call.context())
        yield* call.step({ context: "none" })
        yield* latch.open
        const { data, stop } = yield* reading.done
        assert.deepStrictEqual([stop, data.location?.line, data.reason], [2, 10, "step"])
      })
    )
  })
})

describe("raw", () => {
  it.effect("runs a debugger command and detects a change of state", () =>
    inSquare(() =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* call.raw("image list")).data, {
          output: "ran image list\n",
          state_changed: false
        })
        assert.isTrue((yield* call.raw("process continue")).data.state_changed)
        assert.strictEqual((yield* call.wait()).stop, 2)
      })
    )
  )
})

describe("a failed request of the debugger", () => {
  it.effect.each([
    new Errors.RequestTimeout({ command: "x", after_ms: 30_000 }),
    new Errors.ProtocolError({ detail: "no" }),
    new Errors.Unsupported({ what: "x", by: "fake", remedies: [Hint.call("status", {})] })
  ])("is reported with its own error code: %s", (error) =>
    inSquare((fake) =>
      Effect.gen(function* () {
        fake.fault("evaluate", { kind: "refuse", error })
        assert.strictEqual(yield* code(call.print(["n"])), Errors.meta(error).code)
        assert.strictEqual((yield* call.print(["n"])).data.values[0]?.value, "1")
      })
    )
  )
})
