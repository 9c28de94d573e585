// The sessions of a killed daemon in the next one: their names, their pages, and records that cannot be used.
import { assert, it } from "@effect/vitest"
import { Caller } from "@sigtrap/protocol"
import { Effect } from "effect"
import { IntentStore } from "../../../src/index.ts"
import { call, code, fakeWith, over } from "../../support.ts"
import { MemoryStore } from "../records/memoryStore.ts"
import { next } from "./lostSessions.ts"

it.effect("a session that is started with the name of a lost one replaces its record", () =>
  next((store) =>
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      assert.strictEqual(yield* code(call.recover({ name: "default" })), "INVALID_STATE")
      assert.deepStrictEqual(
        store.lose().map(({ name, intent }) => [name, [...intent.breakpoints.keys()], intent.request.launch.args]),
        [["default", [1], []]]
      )
    })
  )
)

/** Starts sessions, renames each, and returns what a later daemon finds. */
const renamed = (...names: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>) =>
  Effect.suspend(() => {
    const store = new MemoryStore()
    return over(
      fakeWith({}),
      Effect.gen(function* () {
        for (const [first, ...others] of names) {
          yield* call.start({ session: first, break: ["main"] })
          let before = first
          for (const name of others) {
            yield* call.rename(before, name)
            before = name
          }
        }
        return store.lose()
      }),
      undefined,
      store.layer
    )
  })

/** Returns the sessions that the page of a session sees. */
const seenBy = (session: string) =>
  Effect.map(call.sessions(), ({ data }) => data.sessions.map(({ name }) => name)).pipe(
    Effect.provideService(Caller.Current, {
      actor: { kind: "page", name: "g2" },
      allowance: { ...Caller.everything, session },
      grant: "g2"
    })
  )

it.effect("a page follows a renamed session into the next daemon, and through recover", () =>
  next(
    (store) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* seenBy("web"), ["newest"])
        assert.deepStrictEqual(yield* seenBy("fresh"), ["newest"])
        assert.deepStrictEqual(yield* seenBy("other"), [])
        yield* call.recover({ name: "newest", yes: true })
        assert.deepStrictEqual(yield* seenBy("web"), ["newest"])
        assert.deepStrictEqual(store.intents.get("newest")?.former, ["web", "fresh"])
        yield* call.start({ session: "web", break: ["main"] })
        assert.deepStrictEqual(yield* seenBy("web"), ["web"])
      }),
    renamed(["web", "fresh", "newest"])
  )
)

it.effect("a page follows neither of two sessions that had a name before the next daemon", () =>
  next(
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* seenBy("web"), [])
        assert.deepStrictEqual(yield* seenBy("one"), ["one"])
      }),
    renamed(["web", "one"], ["web", "two"])
  )
)

it.effect("a record that cannot be used is reported with the reason, and is removed with its session", () => {
  let isRemoved = false
  const record = {
    ...IntentStore.none,
    remove: () => {
      isRemoved = true
    }
  }
  const store = new MemoryStore([], [{ name: "bad", problem: "it is a symbolic link", record }])
  return over(
    fakeWith({}),
    Effect.gen(function* () {
      assert.include((yield* call.status()).data.lost, "its record cannot be used: it is a symbolic link")
      assert.isFalse((yield* call.status()).data.durable)
      assert.include((yield* call.recover()).data.plan?.[0]?.problem, "its record cannot be used")
      assert.strictEqual(yield* code(call.recover({ yes: true })), "LAUNCH_FAILED")
      assert.isFalse(isRemoved)
      yield* call.stop()
      assert.isTrue(isRemoved)
    }),
    undefined,
    store.layer
  )
})
