import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { type Client, Errors, Requests } from "../src/index.ts"
import type { ScriptedAdapter } from "../src/testing/index.ts"
import { connect, initialize } from "./support.ts"

const page = { threadId: 1, startFrame: 0, levels: 20 }

describe("requests", () => {
  it.effect("return the body of the response, decoded leniently", () =>
    Effect.gen(function* () {
      const { client } = yield* connect((adapter) =>
        Effect.gen(function* () {
          yield* adapter.respond(yield* adapter.expect("stackTrace"), {
            stackFrames: [
              { id: 0, name: "main", line: 4, column: 1, source: null, $__lldb_extensions: { a: 1 }, unknown: 1 }
            ],
            totalFrames: 18446744073709552000
          })
          yield* adapter.respond(yield* adapter.expect("setBreakpoints"), {
            breakpoints: [{ line: 3 }, { id: 0, verified: true }]
          })
          yield* adapter.respond(yield* adapter.expect("variables"), {
            variables: [{ name: "a", value: "1", variablesReference: 4294967297 }]
          })
          yield* adapter.respond(yield* adapter.expect("setExceptionBreakpoints"))
        })
      )
      assert.deepStrictEqual(yield* client.request(Requests.StackTrace, page), {
        stackFrames: [{ id: 0, name: "main", line: 4, column: 1, $__lldb_extensions: { a: 1 } }],
        totalFrames: 2 ** 64
      })
      assert.deepStrictEqual(yield* client.request(Requests.SetBreakpoints, { source: { path: "/a.c" } }), {
        breakpoints: [
          { verified: false, line: 3 },
          { id: 0, verified: true }
        ]
      })
      const { variables } = yield* client.request(Requests.Variables, { variablesReference: 1 })
      assert.strictEqual(variables[0]?.variablesReference, 4294967297)
      assert.deepStrictEqual(yield* client.request(Requests.SetExceptionBreakpoints, { filters: [] }), {
        breakpoints: []
      })
    })
  )

  it.effect("are matched by the client's sequence numbers, in any order of responses", () =>
    Effect.gen(function* () {
      const { client } = yield* connect((adapter) =>
        Effect.gen(function* () {
          const first = yield* adapter.expect("evaluate")
          const second = yield* adapter.expect("evaluate")
          yield* adapter.respond(second, { result: "second" })
          yield* adapter.respond(first, { result: "first" })
        })
      )
      const results = yield* Effect.all(
        [
          client.request(Requests.Evaluate, { expression: "1" }),
          client.request(Requests.Evaluate, { expression: "2" })
        ],
        { concurrency: 2 }
      )
      assert.deepStrictEqual(results, [{ result: "first" }, { result: "second" }])
    })
  )

  it.effect("without arguments have no arguments field", () =>
    Effect.gen(function* () {
      const { adapter, client } = yield* connect((adapter) =>
        Effect.flatMap(adapter.expect("threads"), (request) => adapter.respond(request, { threads: [] }))
      )
      yield* client.request(Requests.Threads)
      assert.deepStrictEqual(adapter.received(), [{ seq: 1, type: "request", command: "threads" }])
    })
  )

  it.effect("that are refused fail with the adapter's text, from the first field that has one", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [ScriptedAdapter.Refusal, string, string | undefined, boolean | undefined]> = [
        [
          {
            message: "cancelled",
            body: {
              message: "m",
              error: { id: 1, format: "no {what} in {where}", variables: { what: "x" }, showUser: true }
            }
          },
          "no x in {where}",
          "cancelled",
          true
        ],
        [{ message: "text of it", body: { message: "inner", error: { format: " " } } }, "inner", undefined, undefined],
        [{ message: "the text", body: {} }, "the text", undefined, undefined],
        [{ message: "notStopped" }, "evaluate failed", "notStopped", undefined],
        [{ message: "", body: null }, "evaluate failed", undefined, undefined],
        [{ body: { error: { format: "hidden", showUser: false } } }, "hidden", undefined, false],
        [{}, "evaluate failed", undefined, undefined]
      ]
      const { client } = yield* connect((adapter) =>
        Effect.forEach(rows, ([refusal]) =>
          Effect.flatMap(adapter.expect("evaluate"), (request) => adapter.refuse(request, refusal))
        )
      )
      for (const [, text, code, showUser] of rows) {
        const error = yield* Effect.flip(client.request(Requests.Evaluate, { expression: "x" }))
        assert(error._tag === "RequestFailed")
        assert.deepStrictEqual(
          [error.command, error.text, error.code, error.showUser],
          ["evaluate", text, code, showUser]
        )
      }
    })
  )

  it.effect("with an invalid body name the field", () =>
    Effect.gen(function* () {
      const { client } = yield* connect((adapter) =>
        Effect.flatMap(adapter.expect("threads"), (request) =>
          adapter.respond(request, { threads: [{ id: 1, name: 2 }] })
        )
      )
      const error = yield* Effect.flip(client.request(Requests.Threads))
      assert(error._tag === "BodyInvalid")
      assert.match(error.issue, /threads.*0.*name/s)
    })
  )

  it.effect("time out on a silent adapter, initialize sooner", () =>
    Effect.gen(function* () {
      const { client } = yield* connect((adapter) => adapter.silence)
      const check = (request: Effect.Effect<unknown, Errors.RequestError>, millis: number) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Effect.flip(request))
          yield* TestClock.adjust(millis - 1)
          assert.strictEqual(fiber.pollUnsafe(), undefined)
          yield* TestClock.adjust(1)
          const error = yield* Fiber.join(fiber)
          assert(error._tag === "RequestTimedOut")
          assert.strictEqual(Duration.toMillis(error.after), millis)
        })
      yield* check(client.request(Requests.Initialize, { adapterID: "x" }), 10_000)
      yield* check(client.request(Requests.Threads), 30_000)
      yield* check(client.request(Requests.Launch, {}, { timeout: "2 minutes" }), 120_000)
      yield* check(client.request(Requests.Threads, undefined, { timeout: 5 }), 5)
    })
  )

  it.effect("each have their own timeout when many are pending", () =>
    Effect.gen(function* () {
      const { client } = yield* connect((adapter) => adapter.silence)
      const order: Array<number> = []
      const wait = (timeout: number) =>
        client
          .request(Requests.Threads, undefined, { timeout })
          .pipe(Effect.ignore, Effect.ensuring(Effect.sync(() => order.push(timeout))), Effect.forkChild)
      yield* wait(50)
      // The watcher sleeps for the longest deadline; the others are earlier.
      yield* TestClock.adjust(1)
      yield* Effect.forEach([10, 40, 20, 30], wait, { discard: true })
      yield* TestClock.adjust(30)
      assert.deepStrictEqual(order, [10, 20, 30])
      yield* TestClock.adjust(30)
      assert.deepStrictEqual(order, [10, 20, 30, 40, 50])
    })
  )

  it.effect("that are interrupted are cancelled if supported, and their response is still reported", () =>
    Effect.gen(function* () {
      const arrived = yield* Latch.make()
      const { client, responses, sent } = yield* connect((adapter) =>
        Effect.gen(function* () {
          yield* initialize(adapter, { supportsCancelRequest: true })
          const request = yield* adapter.expect("evaluate")
          yield* arrived.open
          const cancel = yield* adapter.expect("cancel")
          assert.deepStrictEqual(cancel.arguments, { requestId: request.seq })
          yield* adapter.respond(cancel)
          yield* adapter.refuse(request, { message: "cancelled" })
          yield* adapter.end
        })
      )
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      const fiber = yield* Effect.forkChild(client.request(Requests.Evaluate, { expression: "f()" }))
      yield* arrived.await
      yield* Fiber.interrupt(fiber)
      yield* client.closed
      assert.deepStrictEqual(sent(), ["initialize", "evaluate", "cancel"])
      assert.deepStrictEqual(
        responses.map(([command]) => command),
        ["initialize", "cancel", "evaluate"]
      )
      assert.strictEqual(client.counters().lateResponses, 1)
      assert.strictEqual(client.counters().unknownResponses, 0)
    })
  )

  it.effect("that are interrupted are not cancelled if that is not supported", () =>
    Effect.gen(function* () {
      const arrived = yield* Latch.make()
      const { client, sent } = yield* connect((adapter) =>
        Effect.gen(function* () {
          yield* adapter.expect("evaluate")
          yield* arrived.open
          yield* adapter.respond(yield* adapter.expect("threads"), {})
        })
      )
      const fiber = yield* Effect.forkChild(client.request(Requests.Evaluate, { expression: "f()" }))
      yield* arrived.await
      yield* Fiber.interrupt(fiber)
      yield* client.request(Requests.Threads)
      assert.deepStrictEqual(sent(), ["evaluate", "threads"])
    })
  )
})

describe("capabilities", () => {
  it.effect("that are missing prevent a request", () =>
    Effect.gen(function* () {
      const { client, sent } = yield* connect((adapter) =>
        Effect.gen(function* () {
          yield* initialize(adapter, { supportsModulesRequest: "yes", supportsReadMemoryRequest: false })
          yield* adapter.respond(yield* adapter.expect("threads"), {})
        })
      )
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      const check = (request: Effect.Effect<unknown, Errors.RequestError>, capability: string) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(request)
          assert(error._tag === "RequestUnsupported")
          assert.strictEqual(error.capability, capability)
        })
      yield* check(client.request(Requests.Modules, {}), "supportsModulesRequest")
      yield* check(
        client.request(Requests.ReadMemory, { memoryReference: "0x1", count: 1 }),
        "supportsReadMemoryRequest"
      )
      yield* check(client.request(Requests.Terminate), "supportsTerminateRequest")
      yield* client.request(Requests.Threads)
      assert.deepStrictEqual(sent(), ["initialize", "threads"])
    })
  )

  it.effect("come with the initialize response and grow by events, before the callbacks run", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const holder: { client?: Client.Client } = {}
      const { client } = yield* connect(
        (adapter) =>
          Effect.gen(function* () {
            yield* initialize(adapter, { supportsTerminateDebuggee: true, supportsLogPoints: true })
            yield* adapter.event("capabilities", {
              capabilities: { supportsRestartRequest: true, supportsLogPoints: false }
            })
            yield* adapter.respond(yield* adapter.expect("restart"))
          }),
        {
          onEvent: () => seen.push(holder.client?.capabilities()),
          onResponse: () => seen.push(holder.client?.capabilities())
        }
      )
      holder.client = client
      assert.deepStrictEqual(client.capabilities(), {})
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      const first = { supportTerminateDebuggee: true, supportsTerminateDebuggee: true, supportsLogPoints: true }
      const second = { ...first, supportsRestartRequest: true, supportsLogPoints: false }
      yield* client.request(Requests.ConfigurationDone).pipe(Effect.flip)
      yield* Effect.yieldNow
      yield* client.request(Requests.Restart)
      assert.deepStrictEqual(seen, [first, second, second])
    })
  )
})

describe("the order of messages", () => {
  it.effect("is processed before any caller continues", () =>
    Effect.gen(function* () {
      for (const chunks of ["whole", 1] as const) {
        const log: Array<string> = []
        const { client } = yield* connect(
          (adapter) =>
            Effect.gen(function* () {
              const request = yield* adapter.expect("continue")
              yield* adapter.together(
                Effect.all([
                  adapter.event("continued", { threadId: 1 }),
                  adapter.respond(request),
                  adapter.event("stopped", { reason: "breakpoint" })
                ])
              )
            }),
          { chunks, onEvent: ({ event }) => log.push(event), onResponse: ({ command }) => log.push(command) }
        )
        yield* client.request(Requests.Continue, { threadId: 1 })
        log.push("caller")
        yield* Effect.yieldNow
        const inOneChunk = ["continued", "continue", "stopped", "caller"]
        if (chunks === "whole") assert.deepStrictEqual(log, inOneChunk)
        else assert.deepStrictEqual(log.slice(0, 2), inOneChunk.slice(0, 2))
      }
    })
  )

  it.effect("does not matter for initialized, which may come before the wait", () =>
    Effect.gen(function* () {
      const { client } = yield* connect((adapter) =>
        Effect.gen(function* () {
          const request = yield* adapter.expect("initialize")
          yield* adapter.event("initialized")
          yield* adapter.respond(request, {})
        })
      )
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      yield* client.initialized
      yield* client.initialized
    })
  )

  it.effect("delays initialized until its event, not longer", () =>
    Effect.gen(function* () {
      const go = yield* Latch.make()
      const { client } = yield* connect((adapter) =>
        Effect.gen(function* () {
          yield* initialize(adapter, {})
          yield* adapter.event("process")
          yield* adapter.respond(yield* adapter.expect("launch"))
          yield* go.await
          yield* adapter.event("initialized")
        })
      )
      const ready = yield* Effect.forkChild(client.initialized, { startImmediately: true })
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      yield* client.request(Requests.Launch, {})
      assert.strictEqual(ready.pollUnsafe(), undefined)
      yield* go.open
      yield* Fiber.join(ready)
    })
  )
})

describe("reverse requests", () => {
  it.effect("are answered by the handler while the reader continues", () =>
    Effect.gen(function* () {
      const shell = yield* Deferred.make<number>()
      const { adapter, client } = yield* connect(
        (adapter) =>
          Effect.gen(function* () {
            const launch = yield* adapter.expect("launch")
            const terminal = yield* Effect.forkChild(adapter.reverse("runInTerminal", { args: ["a.out"] }))
            yield* adapter.respond(yield* adapter.expect("threads"), {})
            const response = yield* Fiber.join(terminal)
            assert.deepStrictEqual([response.success, response.body], [true, { processId: 7 }])
            yield* adapter.respond(launch)
          }),
        {
          onReverseRequest: (request) => {
            assert.deepStrictEqual(request.arguments, { args: ["a.out"] })
            return Effect.map(Deferred.await(shell), (processId) => ({ processId }))
          }
        }
      )
      const launch = yield* Effect.forkChild(client.request(Requests.Launch, {}))
      yield* client.request(Requests.Threads)
      yield* Deferred.succeed(shell, 7)
      yield* Fiber.join(launch)
      yield* adapter.finished
    })
  )

  it.effect("are refused if there is no handler, it refuses, or it throws", () =>
    Effect.gen(function* () {
      const check = (options: Partial<Client.Options>, text: string) =>
        Effect.gen(function* () {
          const { adapter } = yield* connect(
            (adapter) =>
              Effect.gen(function* () {
                const response = yield* adapter.reverse("startDebugging", {})
                assert.deepStrictEqual(
                  [response.success, response.message, response.body],
                  [false, text, { error: { id: 1, format: text, showUser: true } }]
                )
              }),
            options
          )
          yield* adapter.finished
        })
      yield* check({}, "unknown request: startDebugging")
      yield* check(
        { onReverseRequest: () => Effect.fail(new Errors.ReverseRefused({ text: "no child sessions" })) },
        "no child sessions"
      )
      yield* check({ onReverseRequest: () => Effect.die("bug") }, "startDebugging failed in the client")
    })
  )
})
