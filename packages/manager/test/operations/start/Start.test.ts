import { assert, describe, it } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect, Exit, Fiber } from "effect"
import { FakeBackend } from "../../../src/testing/index.ts"
import { begin, call, code, fakeWith, gone, ledger, over } from "../../support.ts"

const plain = FakeBackend.make

describe("start", () => {
  it.effect("names a working directory that does not exist or is a file", () =>
    over(
      plain(),
      Effect.gen(function* () {
        const problem = (cwd: string) => Effect.map(Effect.flip(call.start({ cwd })), ({ message }) => message)
        assert.strictEqual(yield* problem("none"), "the working directory /src/none does not exist")
        assert.strictEqual(yield* problem("app.c"), "the working directory /src/app.c is not a directory")
      })
    )
  )

  it.effect("says that a program or its standard input is a directory", () =>
    over(
      plain(),
      Effect.gen(function* () {
        const problem = (input: Parameters<typeof call.start>[0]) =>
          Effect.map(Effect.flip(call.start(input)), ({ message }) => message)
        assert.strictEqual(yield* problem({ program: "sub" }), "cannot debug /src/sub: it is a directory")
        assert.strictEqual(yield* problem({ stdin: "sub" }), "the standard input /src/sub is a directory")
      })
    )
  )

  it.effect("answers with the first stop and its breakpoints", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        const { data, session, state, stop } = yield* call.start({
          break: ["app.c:9"],
          args: ["one"],
          cwd: "sub",
          env: ["A=b=c", "B="],
          environment: { A: "inherited", HOME: "/home" },
          stdin: "input"
        })
        assert.deepStrictEqual([session, state, stop], ["default", "stopped", 1])
        assert.deepStrictEqual([data.event, data.reason, data.pid], ["stopped", "breakpoint", 4000])
        assert.deepStrictEqual(data.location, { function: "main", file: "/src/app.c", line: 10 })
        assert.deepStrictEqual(data.adapter, { name: "fake", version: "1.0", backend: "dap" })
        assert.deepInclude(data.set_breakpoints[0], { id: 1, moved: true, hit_count: 1 })
        const { launch } = yield* fake.newest
        assert.deepStrictEqual(launch, {
          program: "/src/app",
          args: ["one"],
          cwd: "/src/sub",
          env: { A: "b=c", B: "", HOME: "/home" },
          stopOnEntry: false,
          stdin: "/src/input"
        })
      })
    )
  })

  it.effect("can stop at main, and removes that breakpoint afterwards", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        const { data } = yield* call.start({ stop_at_main: true })
        assert.strictEqual(data.location?.line, 7)
        assert.deepStrictEqual((yield* call.breakpoints()).data.breakpoints, [])
        const { lists } = yield* fake.newest
        assert.deepStrictEqual(lists.get(""), [])
      })
    )
  })

  it.effect("reports the exit of a program that does not stop", () =>
    over(
      plain(),
      Effect.gen(function* () {
        const { data, state } = yield* call.start()
        assert.strictEqual(state, "exited")
        assert.deepInclude(data, { event: "exited", exit_code: 14 })
        assert.deepInclude(data.output, { bytes: 25, tail: "total=14" })
      })
    )
  )

  it.effect("answers at once without waiting", () => {
    const fake = fakeWith({ pace: "on demand" })
    return over(
      fake,
      Effect.gen(function* () {
        const { data, state } = yield* call.start({ wait: false })
        assert.deepStrictEqual([data.event, state], ["running", "running"])
      })
    )
  })

  it.effect.each([
    ["PROGRAM_NOT_FOUND", { program: "nothing" }],
    ["PROGRAM_NOT_FOUND", { program: "/src" }],
    ["PROGRAM_NOT_FOUND", { program: "app.c" }],
    ["USAGE", { env: ["novalue"] }],
    ["INVALID_LOCATION", { break: ["app.c:"] }],
    ["INVALID_LOCATION", { break: ["+1"] }],
    ["USAGE", { break: ["app.c:3 hits often"] }],
    ["USAGE", { break: ["app.c:3 if a\nb"] }]
  ] as const)("refuses with %s what cannot be started: %j", ([expected, input]) => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        assert.strictEqual(yield* code(call.start(input)), expected)
        assert.strictEqual(fake.debuggees.length, 0)
      })
    )
  })

  it.effect("names the compiler for source text", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        const refused = yield* Effect.flip(call.start({ program: "app.c" }))
        assert.include(refused.message, "compile it with debug information: cc -g -o app app.c")
      })
    )
  })

  it.effect("names pending for a function that a library may have", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        const refused = yield* Effect.flip(call.start({ break: ["nofunction"] }))
        assert.include(JSON.stringify(refused.hints), '"pending":true')
        const beyond = yield* Effect.flip(call.start({ break: ["app.c:9999"] }))
        assert.notInclude(JSON.stringify(beyond.hints), '"pending":true')
      })
    )
  })

  it.effect.each(["app.c:9999", "nofile.c:3", "nofunction"])(
    "does not run the program when %s does not resolve, and leaves no session or process",
    (at) => {
      const fake = plain()
      const kept = ledger()
      return over(
        fake,
        Effect.gen(function* () {
          assert.strictEqual(yield* code(call.start({ break: ["app.c:10", at] })), "BREAKPOINT_UNRESOLVED")
          assert.strictEqual((yield* fake.newest).count("run"), 0)
          yield* gone(fake)
          assert.strictEqual(kept.entries.size, 0)
          assert.deepStrictEqual((yield* call.sessions()).data.sessions, [])
          assert.strictEqual((yield* call.start({ break: ["app.c:10"] })).state, "stopped")
        }),
        kept.layer
      )
    }
  )

  it.effect("runs with pending breakpoints", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        const { data } = yield* call.start({ break: ["plugin.c:3", "main"], pending: true })
        assert.deepInclude(data.set_breakpoints[0], {
          id: 1,
          resolved: false,
          reason: "no debug information names such a file"
        })
        assert.strictEqual(data.location?.line, 7)
      })
    )
  })

  it.effect.each(["launch", "run"] as const)("leaves nothing when the adapter dies at %s", (stage) => {
    const fake = plain()
    const kept = ledger()
    fake.faultAtStart(stage, { kind: "lose" })
    return over(
      fake,
      Effect.gen(function* () {
        const failed = yield* Effect.exit(call.start({ break: ["main"] }))
        assert.isTrue(Exit.isFailure(failed) || stage === "run")
        yield* gone(fake)
        assert.strictEqual(kept.entries.size, 0)
        assert.strictEqual((yield* call.start({ break: ["main"] })).state, "stopped")
      }),
      kept.layer
    )
  })

  it.effect("leaves no process when the adapter dies while setting breakpoints", () => {
    const fake = plain()
    fake.fault("setBreakpoints", { kind: "lose" })
    return over(
      fake,
      Effect.gen(function* () {
        assert.strictEqual(yield* code(call.start({ break: ["main"] })), "ADAPTER_CRASHED")
        yield* gone(fake)
        assert.strictEqual((yield* call.status()).data.state, "none")
      })
    )
  })

  it.effect("reports a lost session when the adapter dies before the first stop", () => {
    const fake = fakeWith({ pace: "on demand" })
    return over(
      fake,
      Effect.gen(function* () {
        const start = yield* begin(call.start({ break: ["main"] }))
        const debuggee = yield* fake.newest
        debuggee.lose("killed")
        assert.strictEqual(yield* code(start.done), "SESSION_LOST")
        assert.deepInclude((yield* call.status()).data, { state: "lost", lost: "killed" })
        yield* gone(fake)
      })
    )
  })

  it.effect("passes on the debugger's error", () => {
    const fake = plain()
    fake.faultAtStart("launch", {
      kind: "refuse",
      error: new Errors.LaunchFailed({ program: "/src/app", detail: "no" })
    })
    return over(
      fake,
      Effect.gen(function* () {
        assert.strictEqual(yield* code(call.start()), "LAUNCH_FAILED")
        yield* gone(fake)
      })
    )
  })

  it.effect.each(["launch", "run", "setBreakpoints"] as const)("interrupted at %s leaves nothing", (stage) => {
    const fake = plain()
    const hold = { kind: "hold", until: Effect.never } as const
    if (stage === "setBreakpoints") fake.fault(stage, hold)
    else fake.faultAtStart(stage, hold)
    const kept = ledger()
    fake.behaviour = { ...fake.behaviour, pace: "on demand" }
    return over(
      fake,
      Effect.gen(function* () {
        const start = yield* begin(call.start({ break: ["main"] }))
        const interrupted = yield* begin(Fiber.interrupt(start.fiber))
        // A list that is being sent is never cut off in the middle; the adapter's end lets it go.
        if (stage === "setBreakpoints") (yield* fake.newest).lose("killed")
        yield* interrupted.done
        yield* gone(fake)
        assert.strictEqual(kept.entries.size, 0)
        assert.deepStrictEqual((yield* call.sessions()).data.sessions, [])
      }),
      kept.layer
    )
  })

  it.effect("does not run a program whose session has ended meanwhile", () => {
    const fake = plain()
    const gate = Effect.repeat(Effect.yieldNow, { times: 400 }).pipe(Effect.asVoid)
    fake.faultAtStart("launch", { kind: "hold", until: gate })
    return over(
      fake,
      Effect.gen(function* () {
        const start = yield* begin(call.start())
        yield* call.stop()
        assert.isTrue(Exit.isFailure(yield* Effect.exit(start.done)))
        assert.strictEqual((yield* fake.newest).count("run"), 0)
        yield* gone(fake)
      })
    )
  })
})
