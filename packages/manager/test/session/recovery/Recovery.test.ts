// `recover` over a fake debugger: what a session is after it, and what a recover that fails leaves.
import { assert, it } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import { type IntentStore, Manager } from "../../../src/index.ts"
import { call, calls, code, fakeWith, over } from "../../support.ts"
import { MemoryStore } from "../records/memoryStore.ts"
import { next, shape } from "./lostSessions.ts"

it.effect("a lost session is named with the operation that recovers it, and its plan changes nothing", () =>
  next((store, fake) =>
    Effect.gen(function* () {
      for (const failing of calls(call.continue(), call.context(), call.break("main"), call.pause())) {
        const error = yield* Effect.flip(failing)
        assert.strictEqual(error._tag, "SessionLost")
        assert.include(JSON.stringify(error), "recover")
      }
      const before = store.lose()
      const { data } = yield* call.recover()
      assert.isFalse(data.done)
      assert.deepInclude(data.plan?.[0], { how: "start", program: "/src/app", args: ["one", "two"], stop: 1, lost: [] })
      assert.deepStrictEqual(data.plan?.[0]?.displays, [{ id: 2, expression: "total", format: "x" }])
      assert.deepStrictEqual(store.lose(), before)
      assert.lengthOf(fake.debuggees, 0)
      assert.strictEqual((yield* call.status()).state, "lost")
    })
  )
)

it.effect("a recovered session has the numbers, conditions, labels and counts of before, and continues them", () =>
  next((_, fake) =>
    Effect.gen(function* () {
      const before = yield* shape
      assert.deepStrictEqual(before, [
        [1, "main", 1, undefined, undefined],
        [2, "work", 0, "n > 2", "second"]
      ])
      const { data, stop } = yield* call.recover({ yes: true })
      assert.isTrue(data.done)
      assert.deepStrictEqual(data.recovered?.lost, [])
      assert.strictEqual(stop, 2)
      assert.deepStrictEqual(yield* shape, [
        [1, "main", 2, undefined, undefined],
        [2, "work", 0, "n > 2", "second"]
      ])
      assert.deepStrictEqual(
        data.evaluations?.map(({ display, expression, format }) => [display, expression, format]),
        [[2, "total", "x"]]
      )
      assert.deepStrictEqual(
        (yield* call.display("i")).data.items.map(({ display }) => display),
        [2, 3]
      )
      // Number 3 was used and removed before the kill.
      assert.strictEqual((yield* call.break("/^never$/", { pending: true })).data.id, 4)
      assert.deepStrictEqual((yield* fake.newest).launch.args, ["one", "two"])
    })
  )
)

it.effect("of two recovers at once one recovers the session, and the other changes nothing", () =>
  next((_, fake) =>
    Effect.gen(function* () {
      const both = [call.recover({ yes: true }), call.recover({ yes: true })].map((one) =>
        Effect.match(one, { onSuccess: ({ state }) => `${state}`, onFailure: ({ _tag }) => `${_tag}` })
      )
      const results = yield* Effect.all(both, { concurrency: "unbounded" })
      assert.sameMembers([...results], ["stopped", "InvalidState"])
      assert.lengthOf(fake.debuggees, 1)
      assert.strictEqual(yield* code(call.recover({ name: "default", yes: true })), "INVALID_STATE")
    })
  )
)

it.effect("a session that another call has recovered since it was selected is not recovered again", () =>
  next((_, fake) =>
    Effect.gen(function* () {
      const { recover, sessions } = yield* Manager.Manager
      const [session] = yield* sessions
      assert.isDefined(session)
      const again = recover(session, session.launch, session.breakpoints.recorded())
      yield* again
      assert.strictEqual(yield* code(again), "INVALID_STATE")
      assert.lengthOf(fake.debuggees, 1)
    })
  )
)

it.effect("a failed recover leaves the session lost, with its breakpoints and its record", () =>
  next((store, fake) =>
    Effect.gen(function* () {
      const [before, listed] = [store.lose(), yield* shape]
      const error = new Errors.AdapterStartFailed({ adapter: "fake", stage: "launch", detail: "it does not start" })
      fake.faultAtStart("launch", { kind: "refuse", error })
      assert.strictEqual(yield* code(call.recover({ yes: true })), "ADAPTER_START_FAILED")
      assert.strictEqual((yield* call.status()).state, "lost")
      assert.deepStrictEqual(yield* shape, listed)
      const kept = (all: ReadonlyArray<IntentStore.Lost>) =>
        all.map(({ intent, name }) => [name, [...intent.breakpoints]])
      assert.deepStrictEqual(kept(store.lose()), kept(before))
      assert.strictEqual((yield* call.recover({ yes: true })).state, "stopped")
    })
  )
)

/** Connects to a debug server, and returns what a later daemon finds after SIGKILL. */
const lostConnection = Effect.suspend(() => {
  const store = new MemoryStore()
  return over(
    fakeWith({}),
    Effect.gen(function* () {
      yield* call.connect("127.0.0.1:2345", { program: "app", break: ["main"], session: "far" })
      yield* call.break("work", { condition: "n > 2", pending: true, session: "far" })
      return store.lose()
    }),
    undefined,
    store.layer
  )
})

it.effect(
  "a debug server that does not listen is named by the call that waits for it, and the session stays lost",
  () =>
    next(
      (_, fake) =>
        Effect.gen(function* () {
          const refused = new Errors.AttachFailed({
            target: "127.0.0.1:2345",
            detail: "connection refused",
            reason: "connection-refused"
          })
          fake.faultAtStart("launch", { kind: "refuse", error: refused })
          const error = yield* Effect.flip(call.recover({ name: "far", yes: true }))
          assert.strictEqual(error._tag, "AttachFailed")
          assert.deepStrictEqual(error.hints, [
            {
              operation: "connect",
              input: {
                address: "127.0.0.1:2345",
                program: "/src/app",
                break: ["main", "work if n > 2"],
                wait: "1m",
                session: "far"
              }
            }
          ])
          assert.strictEqual((yield* call.status({ session: "far" })).state, "lost")
          assert.strictEqual((yield* call.recover({ name: "far", yes: true })).state, "stopped")
        }),
      lostConnection
    )
)
