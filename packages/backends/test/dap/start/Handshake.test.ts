import { assert, describe, it } from "@effect/vitest"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { argumentsOf, commands, connect, machine, platform, stopMark } from "../../support.ts"

type Adapter = ScriptedAdapter.Adapter

const capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  $__lldb_version: "lldb version 22.1.8"
}

/** The orders of messages between the initialize response and the first stop. */
const orders: Readonly<Record<string, (adapter: Adapter) => Effect.Effect<void>>> = {
  "the launch response before initialized": (adapter) =>
    Effect.gen(function* () {
      yield* adapter.respond(yield* adapter.expect("launch"))
      yield* adapter.event("initialized")
      yield* adapter.respond(yield* adapter.expect("configurationDone"))
    }),
  "initialized before launch is sent": (adapter) =>
    Effect.gen(function* () {
      yield* adapter.event("initialized")
      const launch = yield* adapter.expect("launch")
      yield* adapter.respond(yield* adapter.expect("configurationDone"))
      yield* adapter.respond(launch)
    }),
  "the launch response after that to configurationDone": (adapter) =>
    Effect.gen(function* () {
      const launch = yield* adapter.expect("launch")
      yield* adapter.event("initialized")
      yield* adapter.respond(yield* adapter.expect("configurationDone"))
      yield* adapter.respond(launch)
    }),
  "the launch response between initialized and configurationDone": (adapter) =>
    Effect.gen(function* () {
      const launch = yield* adapter.expect("launch")
      yield* adapter.event("initialized")
      yield* adapter.respond(launch)
      yield* adapter.respond(yield* adapter.expect("configurationDone"))
    }),
  "the launch response before that to configurationDone, and a stop before both": (adapter) =>
    Effect.gen(function* () {
      const launch = yield* adapter.expect("launch")
      yield* adapter.event("initialized")
      const done = yield* adapter.expect("configurationDone")
      yield* adapter.event("stopped", { reason: "breakpoint", threadId: 1, hitBreakpointIds: [7] })
      yield* adapter.event("output", stopMark)
      yield* adapter.respond(launch)
      yield* adapter.respond(done)
    })
}

const initialize = (adapter: Adapter, announced: unknown = capabilities) =>
  Effect.flatMap(adapter.expect("initialize"), (request) => adapter.respond(request, announced))

const breakpoint = (adapter: Adapter) =>
  Effect.gen(function* () {
    yield* adapter.respond(yield* adapter.expect("setFunctionBreakpoints"), {
      breakpoints: [{ id: 7, verified: true }]
    })
    // The target's architecture, and the locations of the breakpoint.
    yield* adapter.respond(yield* adapter.expect("evaluate"), { result: "", variablesReference: 0 })
    yield* adapter.respond(yield* adapter.expect("evaluate"), { result: "", variablesReference: 0 })
  })

const bye = (adapter: Adapter) => Effect.flatMap(adapter.expect("disconnect"), (request) => adapter.respond(request))

const wanted = [{ id: 1, function: "main" }]

describe("a connection to a debug server", () => {
  /** Connects with an adapter that refuses the first attach with this text, and answers a second one. */
  const attached = (text: string, second: "accepts" | "refuses") =>
    Effect.gen(function* () {
      const on = machine()
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* initialize(adapter, {})
          yield* adapter.refuse(yield* adapter.expect("attach"), { message: text })
          let request = yield* adapter.next
          if (request.command === "attach") {
            if (second === "refuses") yield* adapter.refuse(request, { message: "invalid process" })
            else yield* Effect.andThen(adapter.respond(request), adapter.event("initialized"))
            request = yield* adapter.expect("disconnect")
          }
          yield* adapter.respond(request)
          on.end({ code: 0 })
        })
      )
      const existing = { kind: "remote", host: "10.0.0.9", port: 2345 } as const
      const { launch } = yield* connect(adapter, { on, launch: { program: "", existing } })
      const result = yield* Effect.result(Effect.scoped(launch))
      const sent = adapter
        .received()
        .flatMap((message) =>
          message.type === "request" && message.command === "attach" ? [Object(message.arguments).attachCommands] : []
        )
      return { result, sent }
    }).pipe(Effect.provide(platform))

  const unloaded = "process unloaded during launch or attach"

  it.effect("that the adapter refuses although it has connected is taken by a second request", () =>
    Effect.gen(function* () {
      const { result, sent } = yield* attached(unloaded, "accepts")
      assert.strictEqual(result._tag, "Success")
      assert.deepStrictEqual(sent, [["gdb-remote 10.0.0.9:2345"], ["target select 0"]])
    })
  )

  it.effect("that failed has the first error", () =>
    Effect.gen(function* () {
      const { result, sent } = yield* attached(unloaded, "refuses")
      assert(result._tag === "Failure" && result.failure._tag === "AttachFailed")
      assert.include(result.failure.detail, unloaded)
      assert.lengthOf(sent, 2)
      assert.lengthOf((yield* attached("Connection refused", "refuses")).sent, 1)
    })
  )
})

describe("a launch", () => {
  for (const [order, play] of Object.entries(orders)) {
    for (const chunks of ["whole", 1] as const) {
      it.effect(`succeeds with ${order} (chunks: ${chunks})`, () =>
        Effect.gen(function* () {
          const adapter = yield* ScriptedAdapter.make(
            (adapter) =>
              Effect.gen(function* () {
                yield* initialize(adapter)
                yield* Effect.forkScoped(breakpoint(adapter))
                yield* play(adapter)
                yield* adapter.event("stopped", { reason: "breakpoint", threadId: 1, hitBreakpointIds: [7] })
                yield* adapter.event("output", stopMark)
                yield* bye(adapter)
              }),
            { chunks }
          )
          const { events, launch } = yield* connect(adapter)
          const connection = yield* launch
          yield* connection.setBreakpoints({ kind: "function" }, wanted)
          yield* connection.run
          yield* connection.end("kill")
          yield* adapter.finished
          assert.deepStrictEqual(connection.adapter, { name: "lldb-dap", backend: "dap", version: "22.1.8" })
          assert.deepStrictEqual(commands(adapter), [
            "initialize",
            "launch",
            "setFunctionBreakpoints",
            "evaluate",
            "evaluate",
            "configurationDone",
            "disconnect"
          ])
          assert.deepInclude(events, {
            _tag: "Stopped",
            reason: "breakpoint",
            raw_reason: "breakpoint",
            thread: 1,
            breakpoints: [1],
            focus: true
          })
        }).pipe(Effect.provide(platform))
      )
    }
  }

  it.effect("sends the program's arguments, and only requests that the adapter supports", () =>
    Effect.gen(function* () {
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* initialize(adapter, { __lldb: { version: "lldb version 17.0.6" } })
          yield* adapter.respond(yield* adapter.expect("launch"))
          yield* adapter.event("initialized")
          yield* bye(adapter)
        })
      )
      const { launch } = yield* connect(adapter, { launch: { stopOnEntry: true, stdin: "/in/a b" } })
      const connection = yield* launch
      yield* connection.run
      yield* connection.end("kill")
      assert.deepStrictEqual(commands(adapter), ["initialize", "launch", "disconnect"])
      assert.deepStrictEqual(argumentsOf(adapter, "launch"), {
        program: "/src/app",
        args: ["one", "two words"],
        cwd: "/src",
        env: ["PATH=/nowhere", "WORD=a b"],
        stopOnEntry: true,
        initCommands: [
          'settings set -- target.input-path "/in/a b"',
          'settings set -- target.output-path "/pipes/stdout"',
          'settings set -- target.error-path "/pipes/stderr"',
          "settings set target.inherit-env false",
          "settings set target.load-script-from-symbol-file false",
          "settings set target.auto-apply-fixits false",
          "settings set target.display-runtime-support-values true",
          "settings set symbols.enable-external-lookup false"
        ],
        stopCommands: ["settings show auto-confirm"],
        enableAutoVariableSummaries: true
      })
      assert.deepStrictEqual(argumentsOf(adapter, "disconnect"), { terminateDebuggee: true })
    }).pipe(Effect.provide(platform))
  )

  it.effect("fails when a setting fails, with adapters that report it", () =>
    Effect.gen(function* () {
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* initialize(adapter)
          yield* adapter.refuse(yield* adapter.expect("launch"), { body: { error: { format: "no such setting" } } })
          yield* bye(adapter)
        })
      )
      const { launch } = yield* connect(adapter)
      const error = yield* Effect.flip(Effect.scoped(launch))
      assert(error._tag === "LaunchFailed")
      const { initCommands } = argumentsOf(adapter, "launch")
      assert(Array.isArray(initCommands) && initCommands.length === 9)
      for (const command of initCommands.slice(0, 8)) assert.match(String(command), /^!settings set /)
      // An LLDB without Python keeps its own formatters, so this command may fail.
      assert.match(String(initCommands[8]), /^\?script exec\(/)
    }).pipe(Effect.provide(platform))
  )
})

const refusals: Readonly<Record<string, (adapter: Adapter) => Effect.Effect<void>>> = {
  "at once": (adapter) =>
    Effect.gen(function* () {
      yield* adapter.refuse(yield* adapter.expect("launch"), { message: "the true reason" })
    }),
  "at once, and is initialized all the same": (adapter) =>
    Effect.gen(function* () {
      yield* adapter.refuse(yield* adapter.expect("launch"), { body: { error: { format: "the true reason" } } })
      yield* adapter.event("initialized")
    }),
  "together with initialized": (adapter) =>
    adapter.together(
      Effect.gen(function* () {
        const launch = yield* adapter.expect("launch")
        yield* adapter.event("initialized")
        yield* adapter.refuse(launch, { body: { error: { format: "the true reason" } } })
      })
    ),
  "after a misleading failure of configurationDone": (adapter) =>
    Effect.gen(function* () {
      const launch = yield* adapter.expect("launch")
      yield* adapter.event("initialized")
      yield* adapter.refuse(yield* adapter.expect("configurationDone"), { message: "unexpected process state" })
      yield* adapter.refuse(launch, { body: { error: { format: "the true reason" } } })
    })
}

describe("a launch that is refused", () => {
  for (const [form, play] of Object.entries(refusals)) {
    it.effect(`${form} reports the adapter's own reason and ends the adapter`, () =>
      Effect.gen(function* () {
        const adapter = yield* ScriptedAdapter.make((adapter) =>
          Effect.gen(function* () {
            yield* initialize(adapter)
            yield* play(adapter)
            yield* bye(adapter)
          })
        )
        const { launch, on } = yield* connect(adapter)
        const error = yield* Effect.flip(Effect.scoped(Effect.flatMap(launch, (connection) => connection.run)))
        assert(error._tag === "LaunchFailed", error._tag)
        assert.deepStrictEqual([error.program, error.detail], ["/src/app", "the true reason"])
        assert.strictEqual(commands(adapter).at(-1), "disconnect")
        assert(!on.alive(4000))
      }).pipe(Effect.provide(platform))
    )
  }
})

/** The point at which an adapter dies, with the stage that the failure names. */
const stages: ReadonlyArray<readonly [stage: string, play: (adapter: Adapter) => Effect.Effect<unknown>]> = [
  ["initialize", () => Effect.void],
  ["initialize", (adapter) => adapter.expect("initialize")],
  ["launch", (adapter) => initialize(adapter)],
  ["launch", (adapter) => Effect.andThen(initialize(adapter), adapter.expect("launch"))],
  [
    "launch",
    (adapter) =>
      Effect.andThen(
        initialize(adapter),
        Effect.flatMap(adapter.expect("launch"), (request) => adapter.respond(request))
      )
  ],
  [
    "launch",
    (adapter) =>
      Effect.andThen(
        initialize(adapter),
        Effect.andThen(adapter.event("initialized"), adapter.expect("configurationDone"))
      )
  ],
  [
    "configuration",
    (adapter) =>
      Effect.gen(function* () {
        yield* initialize(adapter)
        yield* adapter.respond(yield* adapter.expect("launch"))
        yield* adapter.event("initialized")
        yield* adapter.expect("configurationDone")
      })
  ]
]

describe("an adapter that dies before the session is ready", () => {
  for (const [index, [stage, play]] of stages.entries()) {
    for (const end of [{ code: 3 }, { signal: "SIGABRT" }] as const) {
      const how = "code" in end ? "exited with code 3" : "was killed by SIGABRT"
      it.effect(`is a failed start that names the stage: ${stage} (${index}), ${how}`, () =>
        Effect.gen(function* () {
          const on = machine()
          const adapter = yield* ScriptedAdapter.make((adapter) =>
            Effect.andThen(
              play(adapter),
              Effect.andThen(
                Effect.sync(() => on.end(end)),
                adapter.end
              )
            )
          )
          const { events, launch } = yield* connect(adapter, { on, stderr: "first\nlast words\n" })
          const scope = yield* Scope.make()
          const error = yield* Effect.flip(Effect.flatMap(Scope.provide(launch, scope), (connection) => connection.run))
          assert(error._tag === "AdapterStartFailed", error._tag)
          assert.deepStrictEqual(
            [error.adapter, error.stage, error.detail, error.log],
            ["lldb-dap", stage, `it ${how}`, "first\nlast words"]
          )
          yield* Scope.close(scope, Exit.void)
          assert.deepStrictEqual(
            events.filter((event) => event._tag !== "Lost"),
            []
          )
        }).pipe(Effect.provide(platform))
      )
    }
  }

  it.effect("while breakpoints are set fails that request with the adapter's last output", () =>
    Effect.gen(function* () {
      const on = machine()
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* initialize(adapter)
          yield* adapter.respond(yield* adapter.expect("launch"))
          yield* adapter.event("initialized")
          yield* adapter.expect("setFunctionBreakpoints")
          on.end({ signal: "SIGSEGV" })
          yield* adapter.end
        })
      )
      const { events, launch } = yield* connect(adapter, { on, stderr: "last words" })
      const connection = yield* launch
      const error = yield* Effect.flip(connection.setBreakpoints({ kind: "function" }, wanted))
      assert(error._tag === "AdapterCrashed")
      assert.strictEqual(error.log, "last words")
      yield* Effect.yieldNow
      assert.deepStrictEqual(events, [{ _tag: "Lost", reason: "lldb-dap was killed by SIGSEGV" }])
    }).pipe(Effect.provide(platform))
  )
})

describe("an adapter that stops answering", () => {
  const silent = (stage: string, play: (adapter: Adapter) => Effect.Effect<unknown>, wait: number, command: string) =>
    it.effect(`at ${stage} is given up after ${wait} s, and killed`, () =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const adapter = yield* ScriptedAdapter.make((adapter) =>
          Effect.andThen(play(adapter), Effect.andThen(Deferred.succeed(reached, undefined), adapter.silence))
        )
        const { launch, on } = yield* connect(adapter)
        const attempt = yield* Effect.forkChild(
          Effect.flip(Effect.scoped(Effect.flatMap(launch, (connection) => connection.run)))
        )
        yield* Deferred.await(reached)
        yield* TestClock.adjust(wait * 1000 - 1)
        assert(on.alive(4000))
        // The timeout, then the whole shutdown, since disconnect is not answered either.
        yield* TestClock.adjust("20 seconds")
        const error = yield* Fiber.join(attempt)
        assert(error._tag === "RequestTimeout", error._tag)
        assert.deepStrictEqual([error.command, error.after_ms], [command, wait * 1000])
        assert(!on.alive(4000))
      }).pipe(Effect.provide(platform))
    )

  silent("initialize", (adapter) => adapter.expect("initialize"), 10, "initialize")
  silent("launch", (adapter) => Effect.andThen(initialize(adapter), adapter.expect("launch")), 30, "launch")
})
