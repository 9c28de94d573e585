import { assert, describe, it } from "@effect/vitest"
import { type Answer, Errors, Operations } from "@sigtrap/protocol"
import { Cause, Effect, Exit, Fiber, Schema, Scope } from "effect"
import type { FromClientEncoded, FromServerEncoded } from "effect/rpc/RpcMessage"
import { RpcClientDefect, RpcClientError } from "effect/rpc/RpcClientError"
import * as DirectRequests from "../../../src/daemon/client/DirectRequests.ts"

const answer: Answer.Answer<unknown> = { state: "stopped", data: { later: "field" }, warnings: [], truncated: [] }

const lost = new RpcClientError({ reason: new RpcClientDefect({ message: "lost", cause: "test" }) })

/** A connection whose messages are those of the test. */
const connect = Effect.gen(function* () {
  const sent: Array<FromClientEncoded> = []
  let take: (message: FromServerEncoded) => Effect.Effect<void> = () => Effect.void
  const scope = yield* Scope.make()
  const request = yield* DirectRequests.make({
    run: (_, receive) => {
      take = receive
      return Effect.never
    },
    send: (_, message) => Effect.sync(() => void sent.push(message)),
    supportsAck: true,
    supportsTransferables: false,
    codecFor: Schema.toCodecJson
  }).pipe(Scope.provide(scope))
  const call = (tag: Operations.Tag, payload: object = {}, headers = {}) =>
    Effect.forkChild(request(Operations.byTag(tag), payload, headers), { startImmediately: true })
  const receive = (message: FromServerEncoded) => Effect.suspend(() => take(message))
  /** The id of the newest request. */
  const last = (): string | number => {
    const ids = sent.flatMap((message) => (message._tag === "Request" ? [message.id] : []))
    return ids.at(-1) ?? "none"
  }
  const succeed = (requestId: string | number, value: unknown) =>
    receive({ _tag: "Exit", requestId, exit: { _tag: "Success", value } })
  return { sent, request, scope, call, receive, last, succeed }
})

describe("a request for an operation", () => {
  it.effect("has the defaults of its fields, and its answer is as it came", () =>
    Effect.gen(function* () {
      const { call, last, sent, succeed } = yield* connect
      const fiber = yield* call("locals", { names: ["x"] }, { "sigtrap-caller": "{}" })
      const [message] = sent
      assert.isTrue(message?._tag === "Request" && message.tag === "locals")
      if (message?._tag !== "Request") return
      assert.deepEqual(message.headers, [["sigtrap-caller", "{}"]])
      assert.deepInclude(message.payload, { names: ["x"], scope: [] })
      yield* succeed(last(), answer)
      assert.strictEqual(yield* Fiber.join(fiber), answer)
    })
  )

  it.effect("is answered by its id, whatever the order", () =>
    Effect.gen(function* () {
      const { call, last, succeed } = yield* connect
      const first = yield* call("status")
      const firstId = last()
      const second = yield* call("sessions")
      yield* succeed(last(), answer)
      yield* succeed("unknown", answer)
      yield* Fiber.join(second)
      assert.isUndefined(first.pollUnsafe())
      yield* succeed(firstId, answer)
      yield* Fiber.join(first)
    })
  )

  it.effect("fails with the error of the daemon", () =>
    Effect.gen(function* () {
      const { call, last, receive } = yield* connect
      const fiber = yield* call("status")
      const error = Schema.encodeSync(Errors.SigtrapError)(new Errors.NoSession({}))
      yield* receive({
        _tag: "Exit",
        requestId: last(),
        exit: { _tag: "Failure", cause: [{ _tag: "Fail", error }] }
      })
      assert.instanceOf(yield* Effect.flip(Fiber.join(fiber)), Errors.NoSession)
    })
  )

  it.effect("ends with a defect if its answer is none, or its payload has another form", () =>
    Effect.gen(function* () {
      const { call, last, sent, succeed } = yield* connect
      const fiber = yield* call("status")
      yield* succeed(last(), { data: {} })
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      const refused = yield* Fiber.await(yield* call("locals", { names: 5 }))
      assert.isTrue(Exit.isFailure(refused) && Cause.hasDies(refused.cause))
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("tells the daemon once that it was cancelled", () =>
    Effect.gen(function* () {
      const { call, last, sent, succeed } = yield* connect
      const fiber = yield* call("wait")
      yield* Fiber.interrupt(fiber)
      assert.deepEqual(sent.slice(1), [{ _tag: "Interrupt", requestId: last() }])
      yield* succeed(last(), answer)
      assert.lengthOf(sent, 2)
    })
  )

  it.effect("fails with the connection, and so do all others", () =>
    Effect.gen(function* () {
      const { call, receive, sent } = yield* connect
      const fibers = [yield* call("wait"), yield* call("status")]
      yield* receive({ _tag: "ClientProtocolError", error: lost })
      for (const fiber of fibers) assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), lost)
      assert.lengthOf(sent, 2)
    })
  )

  it.effect("ends with the defect of the daemon", () =>
    Effect.gen(function* () {
      const { call, receive } = yield* connect
      const fiber = yield* call("status")
      yield* receive({ _tag: "Defect", defect: "broken" })
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && String(Cause.squash(exit.cause)).includes("broken"))
    })
  )

  it.effect("is interrupted when the connection is closed, and none is sent after that", () =>
    Effect.gen(function* () {
      const { call, scope, sent } = yield* connect
      const fiber = yield* call("wait")
      yield* Scope.close(scope, Exit.void)
      const later = yield* call("status")
      for (const one of [fiber, later]) {
        const exit = yield* Fiber.await(one)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause))
      }
      assert.lengthOf(sent, 1)
    })
  )
})
