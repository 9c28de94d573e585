/** Options of `start`: debugger, sources, output, logpoints and exceptions. */
import { assert, describe, it } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ConnectRetry from "../../src/launch/ConnectRetry.ts"
import { FakeBackend } from "../../src/testing/index.ts"
import { call, code, over } from "../support.ts"

describe("start", () => {
  it.effect("refuses more variables and deeper options than a program or an adapter can take", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        for (const [input, problem] of [
          [{ env: Array.from({ length: 5001 }, (_, n) => `A${n}=b`) }, "more than 5000 variables"],
          [{ adapter_opt: [`x=${"[".repeat(70)}${"]".repeat(70)}`] }, "more than 64 levels"],
          [{ adapter_opt: [`x=[${"1,".repeat(10_001)}1]`] }, "more than 10000 values"]
        ] as const) {
          const error = yield* Effect.flip(call.start(input))
          assert.strictEqual(Errors.meta(error).code, "USAGE")
          assert.include(error.message, problem)
        }
        const { data } = yield* call.start({ env: Array.from({ length: 5000 }, (_, n) => `A${n}=b`) })
        assert.strictEqual(data.event, "exited")
      })
    )
  )

  it.effect("refuses a named pipe as standard input, whose launch would wait for a writer", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        const error = yield* Effect.flip(call.start({ stdin: "pipe" }))
        assert.strictEqual(Errors.meta(error).code, "USAGE")
        assert.include(error.message, "/src/pipe is a named pipe")
      })
    )
  )

  it.effect("names the file of the standard input that does not exist", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        const error = yield* Effect.flip(call.start({ stdin: "missing", break: ["main"] }))
        assert.strictEqual(Errors.meta(error).code, "USAGE")
        assert.include(error.message, "the standard input /src/missing does not exist")
      })
    )
  )

  it.effect("passes on variables whose names are those of properties", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ env: ["__proto__=1", "constructor=2", "gone=3"], unset_env: ["gone"], clear_env: true })
        const { launch } = yield* fake.newest
        assert.include(JSON.stringify(launch), '{"__proto__":"1","constructor":"2"}')
      })
    )
  })

  it.effect("passes on options of debugger, sources and output", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({
          adapter_opt: ['a.b="x"', "n=3"],
          init_cmd: ["one"],
          pre_run_cmd: ["two"],
          stop_cmd: ["three"],
          source_map: ["/build=."],
          stdout: "out",
          stderr: "/err",
          aslr: "on",
          run: false
        })
        const { launch } = yield* fake.newest
        assert.deepInclude(launch, {
          options: { "a.b": "x", n: 3 },
          commands: { init: ["one"], preRun: ["two"], stop: ["three"] },
          sourceMap: [["/build", "/src"]],
          stdout: "/src/out",
          stderr: "/err",
          aslr: true,
          loadOnly: true
        })
      })
    )
  })

  it.effect("passes on no absent option", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ merge_stderr: true, terminal: "none" })
        const { launch } = yield* fake.newest
        assert.deepStrictEqual(Object.keys(launch).toSorted(), [
          "args",
          "cwd",
          "env",
          "mergeStderr",
          "program",
          "stopOnEntry"
        ])
      })
    )
  })

  it.effect.each([
    ["USAGE", { adapter_opt: ["novalue"] }],
    ["USAGE", { adapter_opt: ["a={"] }],
    ["USAGE", { init_cmd: ["two\nlines"] }],
    ["USAGE", { stop_cmd: [" "] }],
    ["USAGE", { source_map: ["/a"] }],
    ["SOURCE_NOT_FOUND", { source_map: ["/a=/nowhere"] }],
    ["USAGE", { terminal: "pty", merge_stderr: true }],
    ["UNSUPPORTED", { terminal: "external" }],
    ["USAGE", { merge_stderr: true, stdout: "out" }],
    ["USAGE", { logpoint: ["app.c:10 no message"] }],
    ["INVALID_LOCATION", { logpoint: ["app.c: :: x"] }],
    ["USAGE", { catch: ["nosuch"] }]
  ] as const)("refuses with %s: %j", ([expected, input]) => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        assert.strictEqual(yield* code(call.start(input)), expected)
        assert.strictEqual((yield* call.status()).state, "none")
      })
    )
  })

  it.effect("sets logpoints and exceptions before the program runs", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ logpoint: ["app.c:10 :: i={i}"], catch: ["throw"], break: ["app.c:12"] })
        const { breakpoints } = (yield* call.breakpoints()).data
        assert.deepStrictEqual(
          breakpoints.map(({ kind, log }) => [kind, log]),
          [
            ["line", undefined],
            ["line", "i={i}"],
            ["catch", undefined]
          ]
        )
        const { requests } = yield* fake.newest
        const run = requests.findIndex(({ request }) => request === "run")
        assert.isTrue(requests.slice(run).every(({ request }) => request !== "setBreakpoints"))
      })
    )
  })

  it.effect.each(["running", "loaded"] as const)("waits for %s only", (wait_for) =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        assert.strictEqual((yield* call.start({ break: ["main"], wait_for })).data.event, "running")
      })
    )
  )
})

describe("waiting for a debug server", () => {
  const refused = new Errors.AttachFailed({
    target: "localhost:1",
    detail: "nothing listens",
    reason: "connection-refused"
  })
  const other = new Errors.AttachFailed({ target: "localhost:1", detail: "connection refused, in words alone" })

  it.effect("retries until the server listens", () =>
    Effect.gen(function* () {
      let tries = 0
      const connect = Effect.suspend(() => (++tries < 4 ? Effect.fail(refused) : Effect.succeed(tries)))
      const fiber = yield* Effect.forkChild(ConnectRetry.retry(connect, 10_000), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), 4)
    })
  )

  it.effect("fails at its timeout, and at once for another error or without a timeout", () =>
    Effect.gen(function* () {
      let tries = 0
      const failing = (error: Errors.AttachFailed) =>
        Effect.suspend(() => {
          tries++
          return Effect.fail(error)
        })
      const fiber = yield* Effect.forkChild(Effect.flip(ConnectRetry.retry(failing(refused), 500)), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), refused)
      assert.isAbove(tries, 2)
      tries = 0
      assert.strictEqual(yield* Effect.flip(ConnectRetry.retry(failing(other), 500)), other)
      assert.strictEqual(yield* Effect.flip(ConnectRetry.retry(failing(refused), 0)), refused)
      assert.strictEqual(tries, 2)
    })
  )
})
