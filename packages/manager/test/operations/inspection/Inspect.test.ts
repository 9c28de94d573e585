import { assert, describe, it } from "@effect/vitest"
import { Errors, Hint } from "@sigtrap/protocol"
import { Effect, Latch } from "effect"
import { FakeBackend } from "../../../src/testing/index.ts"
import { begin, call, calls, code, fakeWith, honest, over, settle } from "../../support.ts"

/** Runs a test in a session stopped in line 2, in `square`. */
const inSquare = <A, E, R>(test: (fake: FakeBackend.Fake) => Effect.Effect<A, E, R>, fake = FakeBackend.make()) => ({
  fake,
  run: call.start({ break: ["square"] }).pipe(
    Effect.andThen(test(fake)),
    Effect.tap(() => Effect.sync(() => honest(fake)))
  )
})

describe("an operation that needs a stop", () => {
  it.effect("waits for a step that arrived before it, and reads at its stop", () => {
    const { fake, run } = inSquare(() =>
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
    return over(fake, run)
  })

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
    const { fake, run } = inSquare(() => Effect.map(code(one), (found) => assert.strictEqual(found, expected)))
    return over(fake, run)
  })

  it.effect.each([true, false])("knows how deep the stack is, whether the debugger says so or not: %s", (totals) => {
    const { fake, run } = inSquare(
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
    return over(fake, run)
  })

  it.effect("of several expressions names why each of them failed", () => {
    const { fake, run } = inSquare(() =>
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
    return over(fake, run)
  })

  it.effect("suggests similar names for an unknown variable", () => {
    const { fake, run } = inSquare(() =>
      Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(call.print(["resul"])), { name: "resul", near: ["result"] })
      })
    )
    return over(fake, run)
  })
})

describe("a stop report", () => {
  it.effect("has location, source, frames, locals and output, in the requested size", () => {
    const { fake, run } = inSquare(() =>
      Effect.gen(function* () {
        const { data } = yield* call.continue()
        assert.deepInclude(data, { event: "stopped", reason: "breakpoint", threads: 1, hidden_frames: 1 })
        assert.deepStrictEqual(data.location, { function: "square", file: "/src/app.c", line: 2 })
        assert.deepStrictEqual(data.source?.first, 1)
        assert.strictEqual(data.source?.lines[1], "  int result = n * n;")
        assert.strictEqual(data.source?.lines.length, 3)
        assert.deepStrictEqual(
          data.frames?.map((frame) => [frame.index, frame.function]),
          [
            [0, "square"],
            [1, "main"]
          ]
        )
        assert.deepStrictEqual(
          data.locals?.map(({ name, value }) => [name, value]),
          [
            ["n", "2"],
            ["result", "0"]
          ]
        )
        assert.deepInclude(data.output, { bytes: 8, tail: "total=1" })
        const line = yield* call.next({ context: "line" })
        assert.deepStrictEqual([line.data.source, line.data.locals], [undefined, undefined])
        assert.strictEqual((yield* call.context()).data.source?.lines.length, 8)
      })
    )
    return over(fake, run)
  })

  it.effect("marks changes since the previous stop in the same frame, at every read", () => {
    const { fake, run } = inSquare(() =>
      Effect.gen(function* () {
        const marks = (answer: Effect.Success<ReturnType<typeof call.next>>) =>
          answer.data.locals?.filter(({ changed }) => changed === true).map(({ name }) => name)
        assert.deepStrictEqual(marks(yield* call.wait()), [])
        assert.deepStrictEqual(marks(yield* call.next()), ["result"])
        assert.deepStrictEqual(marks(yield* call.wait()), ["result"])
        assert.deepStrictEqual(marks(yield* call.finish()), [])
        assert.deepStrictEqual(marks(yield* call.next()), ["i"])
      })
    )
    return over(fake, run)
  })

  it.effect("reports which part was truncated", () => {
    const fake = fakeWith({})
    const names = Array.from({ length: 61 }, (_, i) => [`v${i}`, `${i}`])
    fake.program = {
      ...fake.program,
      moments: [{ stack: [{ function: "main", line: 7, variables: Object.fromEntries(names) }] }]
    }
    return over(
      fake,
      Effect.gen(function* () {
        const { data, truncated } = yield* call.start({ break: ["main"] })
        assert.strictEqual(data.locals?.length, 8)
        assert.deepStrictEqual(truncated, [
          { path: "data.locals", shown: 8, total: 61, hints: [Hint.call("locals", {})] }
        ])
        const page = yield* call.locals({ start: 20, count: 20 })
        assert.deepStrictEqual(
          page.data.variables.map(({ name }) => name),
          names.slice(20, 40).map(([name]) => name)
        )
        assert.deepInclude(page.truncated[0], {
          shown: 20,
          total: 61,
          hints: [Hint.call("locals", { start: 40, count: 20 })]
        })
        assert.deepStrictEqual((yield* call.locals({ names: ["v3", "w"] })).data.not_found, ["w"])
        assert.deepStrictEqual((yield* call.locals({ count: 1000 })).truncated, [])
      })
    )
  })
})

describe("frames", () => {
  it.effect("are paged, and frames of the runtime are hidden", () => {
    const { fake, run } = inSquare(() =>
      Effect.gen(function* () {
        const all = yield* call.backtrace()
        assert.deepStrictEqual(
          all.data.frames.map((frame) => frame.function),
          ["square", "main"]
        )
        assert.deepStrictEqual([all.data.hidden, all.data.total], [1, 3])
        const first = yield* call.backtrace({ limit: 1 })
        assert.deepInclude(first.truncated[0], { hints: [Hint.call("backtrace", { limit: 1, start: 1 })], total: 3 })
        const whole = yield* call.backtrace({ all_frames: true })
        assert.deepStrictEqual(
          whole.data.frames.map(({ hidden, index }) => [index, hidden]),
          [
            [0, undefined],
            [1, undefined],
            [2, true]
          ]
        )
        assert.strictEqual((yield* call.backtrace({ start: 2, all_frames: true })).data.frames[0]?.hidden, true)
        assert.strictEqual((yield* call.locals({ frame: 1 })).data.frame.function, "main")
        assert.strictEqual((yield* call.context({ frame: 1 })).data.location?.function, "main")
      })
    )
    return over(fake, run)
  })
})

it.effect("print with array shows members of a value that is neither a pointer nor an array", () => {
  const { fake, run } = inSquare(() =>
    Effect.gen(function* () {
      // An index of a map is a key: `pair[0]` would be its member of that key.
      const [value] = (yield* call.print(["pair"], { frame: 1, array: 1 })).data.values
      assert.deepStrictEqual(
        value?.children?.map(({ name }) => name),
        ["first"]
      )
    })
  )
  return over(fake, run)
})

describe("references", () => {
  it.effect("are stable within a stop and stale after it, with their expression in the error", () => {
    const { fake, run } = inSquare(() =>
      Effect.gen(function* () {
        const first = yield* call.locals({ frame: 1 })
        const ref = first.data.variables.find(({ name }) => name === "pair")?.ref ?? ""
        assert.match(ref, /^@v\d+$/)
        const again = yield* call.locals({ frame: 1 })
        assert.deepStrictEqual(again.data, first.data)
        const [value] = (yield* call.print(["pair"], { frame: 1 })).data.values
        assert.strictEqual(value?.ref, ref)
        const opened = yield* call.print([ref])
        assert.deepStrictEqual(
          opened.data.values[0]?.children?.map(({ name }) => name),
          ["first", "second"]
        )
        assert.deepStrictEqual(yield* call.print([ref.replace("@", ":")]), opened)
        yield* call.next()
        const stale = yield* Effect.flip(call.print([ref]))
        assert.deepInclude(stale, { _tag: "StaleReference", ref, expression: "pair" })
        assert.deepStrictEqual(stale.hints, [Hint.call("print", { expressions: ["pair"] })])
        const fresh = (yield* call.locals({ frame: 1 })).data.variables.find(({ name }) => name === "pair")?.ref
        assert.notStrictEqual(fresh, ref)
      })
    )
    return over(fake, run)
  })

  it.effect("differ for members of the same name that have no expression", () => {
    const { fake, run } = inSquare(() =>
      Effect.gen(function* () {
        const inner = Effect.fnUntraced(function* (expression: string) {
          const [value] = (yield* call.print([expression], { frame: 1 })).data.values
          const ref = value?.children?.[0]?.ref ?? ""
          const [opened] = (yield* call.print([ref])).data.values
          return { ref, text: opened?.children?.[0]?.value }
        })
        const one = yield* inner("pair.first")
        const two = yield* inner("pair.second")
        assert.deepStrictEqual([one.text, two.text], ['"one"', '"two"'])
        assert.notStrictEqual(one.ref, two.ref)
        assert.deepStrictEqual(yield* inner("pair.first"), one)
        // Their name may be that of a variable, which must not be written or read in their place.
        for (const asked of calls(call.set(one.ref, "1"), call.eval(one.ref), call.memoryRead(one.ref))) {
          assert.deepInclude(yield* Effect.flip(asked), { _tag: "EvaluationFailed", expression: "inner" })
        }
      })
    )
    return over(fake, run)
  })
})

describe("evaluating", () => {
  it.effect("can change the program, and later reads show the change", () => {
    const { fake, run } = inSquare(() =>
      Effect.gen(function* () {
        assert.strictEqual((yield* call.locals()).data.variables[0]?.value, "1")
        assert.deepInclude((yield* call.eval("n = 5")).data.value, { name: "n = 5", value: "5" })
        assert.strictEqual((yield* call.locals()).data.variables[0]?.value, "5")
        assert.strictEqual((yield* call.print(["n"])).data.values[0]?.value, "5")
      })
    )
    return over(fake, run)
  })

  it.effect("is refused by print before a request to the debugger", () => {
    const { fake, run } = inSquare((fake) =>
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
    return over(fake, run)
  })

  it.effect("requests a read-only evaluation for print", () => {
    const { fake, run } = inSquare((fake) =>
      Effect.gen(function* () {
        yield* call.print(["n"])
        const asked = (yield* fake.newest).requests.at(-1)
        assert.deepInclude(asked?.detail, { expression: "n", how: "read" })
      })
    )
    return over(fake, run)
  })
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
  it.effect("runs a debugger command and detects a change of state", () => {
    const { fake, run } = inSquare(() =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* call.raw("image list")).data, {
          output: "ran image list\n",
          state_changed: false
        })
        assert.isTrue((yield* call.raw("process continue")).data.state_changed)
        assert.strictEqual((yield* call.wait()).stop, 2)
      })
    )
    return over(fake, run)
  })
})

describe("a failed request of the debugger", () => {
  it.effect.each([
    new Errors.RequestTimeout({ command: "x", after_ms: 30_000 }),
    new Errors.ProtocolError({ detail: "no" }),
    new Errors.Unsupported({ what: "x", by: "fake", remedies: [Hint.call("status", {})] })
  ])("is reported with its own error code: %s", (error) => {
    const { fake, run } = inSquare((fake) =>
      Effect.gen(function* () {
        fake.fault("evaluate", { kind: "refuse", error })
        assert.strictEqual(yield* code(call.print(["n"])), Errors.meta(error).code)
        assert.strictEqual((yield* call.print(["n"])).data.values[0]?.value, "1")
      })
    )
    return over(fake, run)
  })
})
