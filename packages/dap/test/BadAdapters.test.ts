import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Client, Errors, Requests, type Transport } from "../src/index.ts"
import type { ScriptedAdapter } from "../src/testing/index.ts"
import { connect, initialize } from "./support.ts"

describe("bad adapters", () => {
  it.effect("that exit early fail all pending requests at once", () =>
    Effect.gen(function* () {
      const { client } = yield* connect((adapter) =>
        Effect.gen(function* () {
          yield* adapter.expect("threads")
          yield* adapter.expect("evaluate")
          yield* adapter.end
        })
      )
      const errors = yield* Effect.all(
        [
          Effect.flip(client.request(Requests.Threads)),
          Effect.flip(client.request(Requests.Evaluate, { expression: "1" })),
          Effect.flip(client.initialized)
        ],
        { concurrency: "unbounded" }
      )
      for (const error of errors) {
        assert(error._tag === "ConnectionClosed")
        assert.strictEqual(error.reason, "ended")
      }
      const later = yield* Effect.flip(client.request(Requests.Threads))
      assert.strictEqual(later, yield* client.closed)
    })
  )

  it.effect("that stop in the middle of a frame are reported", () =>
    Effect.gen(function* () {
      const { client } = yield* connect((adapter) =>
        Effect.gen(function* () {
          yield* adapter.expect("threads")
          yield* adapter.raw('Content-Length: 90\r\n\r\n{"type":"response"')
          yield* adapter.end
        })
      )
      const error = yield* Effect.flip(client.request(Requests.Threads))
      assert(error._tag === "ConnectionClosed")
      assert.strictEqual(error.reason, "ended")
      assert.match(error.detail, /middle of a message.*\{"type":"response"/)
    })
  )

  it.effect("that announce a wrong length are not read any further, but earlier messages count", () =>
    Effect.gen(function* () {
      for (const chunks of ["whole", 1, 7] as const) {
        const { client, events } = yield* connect(
          (adapter) =>
            Effect.gen(function* () {
              yield* adapter.expect("threads")
              yield* adapter.together(
                Effect.all([
                  adapter.event("output", { output: "before" }),
                  adapter.raw('Content-Length: 20\r\n\r\n{"type":"event","event":"x"}'),
                  adapter.event("output", { output: "after" })
                ])
              )
            }),
          { chunks }
        )
        const error = yield* Effect.flip(client.request(Requests.Threads))
        assert(error._tag === "ConnectionClosed")
        assert.strictEqual(error.reason, "framing")
        assert.deepStrictEqual(
          events.map((event) => event.body),
          [{ output: "before" }]
        )
        assert.strictEqual(client.counters().badFrames, 1)
      }
    })
  )

  it.effect("that answer twice, or without a request, are counted without other effect", () =>
    Effect.gen(function* () {
      const { client, responses } = yield* connect((adapter) =>
        Effect.gen(function* () {
          const request = yield* adapter.expect("evaluate")
          yield* adapter.frame({ type: "response", request_seq: 99, success: true, command: "evaluate" })
          yield* adapter.frame({ type: "response", request_seq: 0, success: true, command: "evaluate" })
          yield* adapter.frame({ type: "response", request_seq: 0.5, success: true, command: "evaluate" })
          yield* adapter.respond(request, { result: "first" })
          yield* adapter.respond(request, { result: "second" })
          yield* adapter.end
        })
      )
      assert.deepStrictEqual(yield* client.request(Requests.Evaluate, { expression: "1" }), { result: "first" })
      yield* client.closed
      assert.deepStrictEqual(client.counters(), {
        lossy: 0,
        badFrames: 0,
        unknownResponses: 3,
        duplicateResponses: 1,
        lateResponses: 0
      })
      assert.strictEqual(responses.length, 1)
    })
  )

  it.effect("that answer after the timeout still have their response reported, once", () =>
    Effect.gen(function* () {
      const go = yield* Latch.make()
      const { client, responses } = yield* connect((adapter) =>
        Effect.gen(function* () {
          const request = yield* adapter.expect("setBreakpoints")
          yield* go.await
          yield* adapter.respond(request, { breakpoints: [] })
          yield* adapter.respond(request, { breakpoints: [] })
          yield* adapter.end
        })
      )
      const fiber = yield* Effect.forkChild(Effect.flip(client.request(Requests.SetBreakpoints, { source: {} })))
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "RequestTimedOut")
      yield* go.open
      yield* client.closed
      assert.strictEqual(responses.length, 1)
      const { duplicateResponses, lateResponses } = client.counters()
      assert.deepStrictEqual([lateResponses, duplicateResponses], [1, 1])
    })
  )

  it.effect("that flood lose no message, and a request in between is answered", () =>
    Effect.gen(function* () {
      const count = 100_000
      let lines = 0
      const { client } = yield* connect(
        (adapter) =>
          Effect.gen(function* () {
            const flood = adapter.together(
              Effect.forEach(Array.from({ length: count / 100 }), () => adapter.event("output", { output: "line\n" }), {
                discard: true
              })
            )
            const request = yield* adapter.expect("threads")
            for (let part = 0; part < 50; part++) yield* flood
            yield* adapter.respond(request, { threads: [{ id: 1, name: "main" }] })
            for (let part = 0; part < 50; part++) yield* flood
            yield* adapter.end
          }),
        { onEvent: () => lines++ }
      )
      assert.deepStrictEqual(yield* client.request(Requests.Threads), { threads: [{ id: 1, name: "main" }] })
      assert(lines >= count / 2)
      yield* client.closed
      assert.strictEqual(lines, count)
    })
  )

  it.effect("may write text before their first message if that is allowed", () =>
    Effect.gen(function* () {
      const script = (adapter: ScriptedAdapter.Adapter) =>
        Effect.gen(function* () {
          yield* adapter.raw("warning: something is old\n")
          yield* initialize(adapter, {})
        })
      const allowed = yield* connect(script, { noise: 4_096 })
      yield* allowed.client.request(Requests.Initialize, { adapterID: "x" })
      const refused = yield* connect(script)
      const error = yield* Effect.flip(refused.client.request(Requests.Initialize, { adapterID: "x" }))
      assert(error._tag === "ConnectionClosed")
      assert.match(error.detail, /not the Debug Adapter Protocol.*warning: something is old/)
    })
  )
})

describe("the end of a connection", () => {
  it.effect("by the client fails pending requests", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { client } = yield* Scope.provide(
        connect((adapter) => adapter.silence),
        scope
      )
      const fiber = yield* Effect.forkChild(Effect.flip(client.request(Requests.Threads)), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "ConnectionClosed")
      assert.strictEqual(error.reason, "shutdown")
    })
  )

  it.effect("by a failing transport has its text, for reading and for writing", () =>
    Effect.gen(function* () {
      const broken = new Errors.TransportError({ reason: "failed", detail: "wire cut" })
      const check = (transport: Transport.Transport) =>
        Effect.gen(function* () {
          const client = yield* Client.make({ transport, onEvent: () => {} })
          const error = yield* Effect.flip(client.request(Requests.Threads))
          assert(error._tag === "ConnectionClosed")
          assert.deepStrictEqual([error.reason, error.detail], ["transport", "wire cut"])
        })
      yield* check({ incoming: Stream.fail(broken), send: () => Effect.void })
      yield* check({ incoming: Stream.never, send: () => Effect.fail(broken) })
    })
  )

  it.effect("by a callback that throws completes every caller", () =>
    Effect.gen(function* () {
      const { client } = yield* connect(
        (adapter) => Effect.andThen(adapter.expect("threads"), adapter.event("stopped")),
        {
          onEvent: () => {
            throw new Error("bug in the fold")
          }
        }
      )
      const error = yield* Effect.flip(client.request(Requests.Threads))
      assert(error._tag === "ConnectionClosed")
      assert.strictEqual(error.reason, "defect")
      assert.match(error.detail, /bug in the fold/)
    })
  )
})
