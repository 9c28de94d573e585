// Notifications about the resources of sessions: no event after a subscription is taken for an earlier one.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Predicate } from "effect"
import { McpServer, McpTest } from "effect/ai"
import { Client, type Payload } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Server from "../../src/server/Server.ts"
import * as Subscriptions from "../../src/resources/Subscriptions.ts"

const caller: Payload.Caller = { directory: "/", environment: {} }

/** A session whose newest event has number 7 at the subscription. The next one comes when `happens` is done. */
const session = Effect.gen(function* () {
  const happens = yield* Deferred.make<void>()
  const seen = yield* Deferred.make<void>()
  const page = (next: number, events: ReadonlyArray<object>) => ({
    ...Recorder.answer({ events, next, dropped: 0 }),
    session: "a",
    state: "stopped" as const
  })
  const recorder = Recorder.make(({ _tag }, payload) => {
    if (_tag !== "events") return Effect.succeed(Recorder.answer({ sessions: [] }))
    const since = Predicate.isReadonlyObject(payload) ? payload["since"] : undefined
    if (since === undefined) return Effect.succeed(page(8, [{}]))
    return Number(since) === 8
      ? Effect.as(Deferred.await(happens), page(9, [{}]))
      : Effect.andThen(Deferred.succeed(seen, undefined), Effect.never)
  })
  return { happens, recorder, seen }
})

describe("a subscription", () => {
  it.effect("has the cursors before it is answered, and follows from there", () =>
    Effect.gen(function* () {
      const { happens, recorder, seen } = yield* session
      const subscribed = Subscriptions.first()
      const made = yield* Deferred.make<Subscriptions.Subscriptions>()
      const registrations = Layer.effectDiscard(
        Effect.gen(function* () {
          const server = yield* McpServer.McpServer
          const client = yield* Client.Client
          yield* Deferred.succeed(made, yield* Subscriptions.make(server, client, caller, subscribed))
        })
      )
      yield* McpTest.makeClient(registrations, { protocols: Server.protocols }).pipe(Effect.provide(recorder.layer))
      const { onSession } = yield* Deferred.await(made)
      yield* onSession("a")
      const asked = () => recorder.calls.filter(({ tag }) => tag === "events").length
      assert.strictEqual(asked(), 0)
      yield* subscribed.begin
      assert.isAtLeast(asked(), 1)
      yield* Deferred.succeed(happens, undefined)
      yield* Deferred.await(seen)
      const cursors = recorder.calls.flatMap(({ payload, tag }) =>
        tag === "events" && Predicate.isReadonlyObject(payload) ? [payload["since"]] : []
      )
      assert.deepStrictEqual(cursors, [undefined, 8, 9])
    })
  )
})
