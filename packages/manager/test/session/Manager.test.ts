import { assert, describe, it } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect, Exit, Fiber, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Backend, Manager } from "../../src/index.ts"
import { FakeBackend } from "../../src/testing/index.ts"
import { begin, call, code, gone, ledger, manager, over, settle } from "../support.ts"

const crashed = new Errors.AdapterCrashed({ detail: "it broke" })
const plain = FakeBackend.make

/** A fake whose debuggers do not end before `release`. `ended` counts those that have ended. */
const held = () => {
  const fake = plain()
  const state = { ended: 0 }
  const latch = Latch.makeUnsafe(false)
  const end = Effect.andThen(
    latch.await,
    Effect.sync(() => state.ended++)
  )
  const layer = Layer.effect(
    Backend.Backend,
    Effect.map(Backend.Backend, (inner) =>
      Backend.Backend.of({
        ...inner,
        launch: (request, listener) =>
          Effect.andThen(
            Effect.addFinalizer(() => end),
            inner.launch(request, listener)
          )
      })
    )
  ).pipe(Layer.provide(fake.layer))
  return { fake: { ...fake, layer }, state, release: latch.open }
}

const refused = {
  kind: "refuse",
  error: new Errors.LaunchFailed({ program: "/src/app", detail: "no" })
} as const

describe("a start that fails", () => {
  it.effect("is answered at once; the next one of its name waits until the debugger has ended", () => {
    const { fake, release, state } = held()
    fake.faultAtStart("launch", refused)
    const kept = ledger()
    return over(
      fake,
      Effect.gen(function* () {
        const first = yield* begin(call.start())
        yield* settle
        assert.isDefined(first.fiber.pollUnsafe())
        assert.strictEqual(state.ended, 0)
        assert.deepStrictEqual((yield* call.sessions()).data.sessions, [])
        const next = yield* begin(call.start({ break: ["main"] }))
        yield* TestClock.adjust("20 seconds")
        assert.isUndefined(next.fiber.pollUnsafe())
        assert.lengthOf(fake.debuggees, 1)
        yield* release
        assert.strictEqual((yield* next.done).state, "stopped")
        assert.strictEqual(state.ended, 1)
        assert.strictEqual(kept.entries.size, 1)
      }).pipe(Effect.ensuring(release)),
      kept.layer
    )
  })

  it.effect("is over for the manager when its debugger has ended", () => {
    const { fake, release, state } = held()
    fake.faultAtStart("launch", refused)
    return over(
      fake,
      Effect.gen(function* () {
        yield* begin(Effect.exit(call.start()))
        const all = yield* Effect.forkChild((yield* Manager.Manager).endAll, { startImmediately: true })
        yield* TestClock.adjust("20 seconds")
        assert.isUndefined(all.pollUnsafe())
        yield* release
        yield* Fiber.join(all)
        assert.strictEqual(state.ended, 1)
      }).pipe(Effect.ensuring(release))
    )
  })
})

describe("names of sessions", () => {
  it.effect("are taken while the session is alive", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.strictEqual(yield* code(call.start()), "SESSION_EXISTS")
        assert.strictEqual((yield* call.start({ break: ["main"], session: "other" })).session, "other")
      })
    )
  )

  it.effect("are reused with replace, after the old session has ended", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const { data } = yield* call.start({ break: ["app.c:10"], replace: true })
        assert.strictEqual(data.location?.line, 10)
        assert.deepStrictEqual(
          fake.debuggees.map(({ closed, ends }) => [closed, ends]),
          [
            [true, ["kill"]],
            [false, []]
          ]
        )
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
      })
    )
  })

  it.effect("of ended sessions are reused without replace", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start()
        assert.strictEqual((yield* call.status()).data.exit_code, 14)
        assert.strictEqual((yield* call.start({ break: ["main"] })).state, "stopped")
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
      })
    )
  )

  it.effect("go to one of two sessions that start at the same time", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        const both = yield* Effect.all(
          [Effect.exit(call.start({ break: ["main"] })), Effect.exit(call.start({ break: ["main"] }))],
          {
            concurrency: "unbounded"
          }
        )
        assert.deepStrictEqual(both.map(Exit.isSuccess).toSorted(), [false, true])
        assert.strictEqual(fake.debuggees.filter(({ closed }) => !closed).length, 1)
      })
    )
  })
})

describe("the session of an operation that names none", () => {
  it.effect("is the only live one, else the only one, else an error", () =>
    over(
      plain(),
      Effect.gen(function* () {
        assert.strictEqual((yield* call.status()).data.state, "none")
        assert.strictEqual(yield* code(call.context()), "NO_SESSION")
        assert.strictEqual(yield* code(call.continue()), "NO_SESSION")
        yield* call.start({ session: "ended" })
        assert.strictEqual((yield* call.context()).session, "ended")
        yield* call.start({ session: "a", break: ["main"] })
        assert.strictEqual((yield* call.context()).session, "a")
        yield* call.start({ session: "b", break: ["main"] })
        assert.strictEqual(yield* code(call.context()), "AMBIGUOUS_SESSION")
        assert.strictEqual((yield* call.context({ session: "b" })).session, "b")
        assert.strictEqual(yield* code(call.context({ session: "c" })), "SESSION_NOT_FOUND")
        const { sessions } = (yield* call.sessions()).data
        assert.deepStrictEqual(
          sessions.map(({ current, name, state }) => [name, state, current]),
          [
            ["ended", "exited", false],
            ["a", "stopped", false],
            ["b", "stopped", false]
          ]
        )
        yield* call.stop({ names: ["a"] })
        assert.strictEqual((yield* call.context()).session, "b")
        assert.isTrue((yield* call.sessions()).data.sessions.find(({ name }) => name === "b")?.current)
      })
    )
  )
})

describe("stop", () => {
  it.effect("ends the program and the debugger, and removes their record", () => {
    const fake = plain()
    const kept = ledger()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* settle
        assert.deepInclude(kept.entries.get("default"), {
          launched: true,
          adapter: { pid: 1, started: "now" },
          debuggee: { pid: 4000, started: "now" }
        })
        const { data, state } = yield* call.stop()
        assert.strictEqual(state, "none")
        assert.deepStrictEqual(data.sessions, [
          { name: "default", program: "/src/app", how: "killed", state: "stopped" }
        ])
        assert.deepStrictEqual((yield* fake.newest).ends, ["kill"])
        assert.isTrue((yield* fake.newest).closed)
        assert.strictEqual(kept.entries.size, 0)
        assert.strictEqual(yield* code(call.stop()), "NO_SESSION")
      }),
      kept.layer
    )
  })

  it.effect("keeps the ended session on request, so that it can be restarted", () => {
    const fake = plain()
    const kept = ledger()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.strictEqual((yield* call.stop({ keep: true })).data.sessions[0]?.how, "killed")
        assert.deepStrictEqual((yield* fake.newest).ends, ["kill"])
        assert.strictEqual(kept.entries.size, 0)
        assert.deepInclude((yield* call.sessions()).data.sessions[0], { name: "default", state: "terminated" })
        const again = yield* call.stop({ keep: true })
        assert.strictEqual(again.data.sessions[0]?.how, "already-ended")
        assert.strictEqual((yield* call.restart()).state, "stopped")
        yield* call.stop()
        assert.strictEqual(yield* code(call.stop()), "NO_SESSION")
      }),
      kept.layer
    )
  })

  it.effect("reports sessions that ended before, with their exit code", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start()
        assert.deepStrictEqual((yield* call.stop()).data.sessions, [
          { name: "default", program: "/src/app", how: "already-ended", state: "exited", exit_code: 14 }
        ])
      })
    )
  )

  it.effect("ends all sessions or the named ones, and ignores missing ones with if_exists", () =>
    over(
      plain(),
      Effect.gen(function* () {
        for (const session of ["a", "b", "c"]) yield* call.start({ session, break: ["main"] })
        assert.strictEqual(yield* code(call.stop()), "AMBIGUOUS_SESSION")
        assert.strictEqual(yield* code(call.stop({ names: ["a", "x"] })), "SESSION_NOT_FOUND")
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 3)
        const some = yield* call.stop({ names: ["a", "x", "a"], if_exists: true })
        assert.deepStrictEqual(
          some.data.sessions.map(({ name }) => name),
          ["a"]
        )
        const all = yield* call.stop({ all: true })
        assert.deepStrictEqual(
          all.data.sessions.map(({ name }) => name),
          ["b", "c"]
        )
        assert.deepStrictEqual((yield* call.stop({ if_exists: true })).data.sessions, [])
      })
    )
  )

  it.effect("does not fail when the adapter crashes meanwhile", () => {
    const fake = plain()
    fake.fault("threads", { kind: "refuse", error: crashed })
    return over(
      fake,
      Effect.gen(function* () {
        yield* Effect.exit(call.start({ break: ["main"] }))
        yield* call.stop()
        yield* gone(fake)
      })
    )
  })
})

describe("all sessions", () => {
  it.effect("end with the manager", () => {
    const fake = plain()
    const kept = ledger()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(manager(fake, kept.layer), scope)
      yield* Effect.provide(
        Effect.andThen(call.start({ session: "a", break: ["main"] }), call.start({ session: "b", break: ["main"] })),
        context
      )
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(
        fake.debuggees.map(({ closed, ends }) => [closed, ends]),
        [
          [true, ["kill"]],
          [true, ["kill"]]
        ]
      )
      assert.strictEqual(kept.entries.size, 0)
    })
  })

  it.effect("end with endAll", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ session: "a", break: ["main"] })
        yield* call.start({ session: "b" })
        const service = yield* Manager.Manager
        assert.strictEqual(yield* service.live, 1)
        yield* service.endAll
        assert.strictEqual(yield* service.live, 0)
        assert.deepStrictEqual(yield* service.sessions, [])
        yield* gone(fake)
      })
    )
  })

  it.effect("of a killed daemon are listed as lost, and their names can be reused", () => {
    const entry = { name: "old", program: "/src/app", args: ["x"], started_at: 0, launched: true }
    return over(
      plain(),
      Effect.gen(function* () {
        assert.deepInclude((yield* call.sessions()).data.sessions[0], { name: "old", state: "lost" })
        assert.deepInclude((yield* call.status()).data, {
          state: "lost",
          lost: "the daemon that kept it ended unexpectedly"
        })
        assert.strictEqual(yield* code(call.context()), "SESSION_LOST")
        assert.strictEqual(yield* code(call.wait()), "SESSION_LOST")
        assert.strictEqual((yield* call.start({ session: "old", break: ["main"] })).state, "stopped")
      }),
      ledger([entry]).layer
    )
  })
})
