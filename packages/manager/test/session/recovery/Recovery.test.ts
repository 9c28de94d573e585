/**
 * Intent records and `recover`, over a fake debugger and a store in memory. `lose` returns what a later daemon finds if the
 * daemon is killed at that moment.
 */
import { assert, it } from "@effect/vitest"
import { Caller, Errors } from "@sigtrap/protocol"
import { Effect, Layer, type Scope } from "effect"
import { Intent, IntentStore, Manager } from "../../../src/index.ts"
import { call, calls, code, fakeWith, ledger, over } from "../../support.ts"

const secret = "value-that-must-not-be-stored"

/** A store in memory. With `isFull` its writes fail. */
class MemoryStore {
  readonly intents = new Map<string, Intent.Intent>()
  readonly events = new Map<string, ReadonlyArray<IntentStore.StoredEvent>>()
  /** Called before a record is created. */
  creating: () => void = () => undefined
  isFull = false
  readonly layer: Layer.Layer<IntentStore.IntentStore>

  constructor(lost: ReadonlyArray<IntentStore.Lost> = [], unreadable: ReadonlyArray<IntentStore.Unreadable> = []) {
    this.layer = Layer.succeed(IntentStore.IntentStore, {
      create: (name, intent) => {
        this.creating()
        return this.#record(name, intent)
      },
      open: ({ events, intent, name }) => {
        this.events.set(name, events)
        return this.#record(name, intent)
      },
      lost: Effect.succeed(lost),
      unreadable: Effect.succeed(unreadable),
      environment: { SAME: "here" },
      salt: () => "salt",
      digest: (text) => `${text.length}`
    })
  }

  #record(begun: string, first: Intent.Intent): IntentStore.Record {
    let name = begun
    let intent = first
    let isWritten = false
    const write = () => {
      if (!this.isFull) this.intents.set(name, intent)
      isWritten = !this.isFull
    }
    write()
    return {
      append: (change) => {
        intent = Intent.fold(intent, change) ?? intent
        write()
      },
      appendEvents: (events) => {
        if (!this.isFull) this.events.set(name, [...(this.events.get(name) ?? []), ...events])
        return !this.isFull
      },
      clearEvents: () => void this.events.delete(name),
      rename: (next) => {
        this.intents.delete(name)
        name = next
        write()
      },
      remove: () => {
        this.intents.delete(name)
        this.events.delete(name)
      },
      problem: () => {
        if (!isWritten) write()
        return isWritten ? undefined : "no space left on device"
      }
    }
  }

  /** Returns the sessions that a later daemon finds. */
  lose(): ReadonlyArray<IntentStore.Lost> {
    return [...this.intents].map(([name, intent]) => ({ name, intent, events: this.events.get(name) ?? [] }))
  }
}

const plain = () => fakeWith({})

/** Starts a session with breakpoints, and returns what a later daemon finds after SIGKILL at its first stop. */
const lost = Effect.suspend(() => {
  const store = new MemoryStore()
  return over(
    plain(),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"], args: ["one", "two"], label: "mine" })
      yield* call.break("main", { temporary: false })
      yield* call.break("work", { condition: "n > 2", name: "second", pending: true })
      yield* call.break("/^never$/", { pending: true })
      yield* call.remove([3])
      yield* call.display("i")
      yield* call.display("total", { format: "x" })
      yield* call.undisplay([1])
      return store.lose()
    }),
    undefined,
    store.layer
  )
})

/** Runs a test as the daemon after the one that was killed. */
const next = <A, E>(
  test: (store: MemoryStore, fake: ReturnType<typeof plain>) => Parameters<typeof over<A, E>>[1],
  found: Effect.Effect<ReadonlyArray<IntentStore.Lost>, unknown, Scope.Scope> = lost
) =>
  Effect.flatMap(found, (sessions) => {
    const store = new MemoryStore(sessions)
    const fake = plain()
    return over(fake, test(store, fake), undefined, store.layer)
  })

const shape = Effect.map(call.breakpoints(), ({ data }) =>
  data.breakpoints.map(({ condition, hit_count, id, name, requested }) => [
    id,
    requested.text,
    hit_count,
    condition,
    name
  ])
)

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

it.effect("what an answer shows is stored before it, and the session is stored before its program runs", () => {
  const store = new MemoryStore()
  const fake = plain()
  const kept = ledger()
  const stored = () => store.intents.get("default")
  const order: Array<string> = []
  store.creating = () => order.push(kept.entries.get("default")?.adapter === undefined ? "no process" : "process")
  return over(
    fake,
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      assert.deepStrictEqual(order, ["process"], "the ledger has the debugger before the intent is stored")
      assert.strictEqual(stored()?.stop, 1)
      assert.strictEqual(stored()?.breakpoints.get(1)?.model.hit_count, 1)
      yield* call.break("work", { condition: "n > 2", pending: true })
      assert.strictEqual(stored()?.breakpoints.get(2)?.model.condition, "n > 2")
      yield* call.edit(2, { condition: "n > 3" })
      assert.strictEqual(stored()?.breakpoints.get(2)?.model.condition, "n > 3")
      yield* call.disable([1])
      assert.isFalse(stored()?.breakpoints.get(1)?.model.enabled)
      yield* call.remove([2])
      assert.isFalse(stored()?.breakpoints.has(2))
      yield* call.rename("default", "other")
      assert.deepStrictEqual([...store.intents.keys()], ["other"])
      yield* call.next()
      assert.strictEqual(store.intents.get("other")?.stop, 2)
      yield* call.stop()
      assert.deepStrictEqual([...store.intents.keys(), ...store.events.keys()], [])
    }),
    kept.layer,
    store.layer
  )
})

/** Starts sessions, renames each, and returns what a later daemon finds. */
const renamed = (...names: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>) =>
  Effect.suspend(() => {
    const store = new MemoryStore()
    return over(
      plain(),
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

it.effect("is reported as not stored while writes fail, and is stored again afterwards", () => {
  const store = new MemoryStore()
  return over(
    plain(),
    Effect.gen(function* () {
      const started = yield* call.start({ break: ["main"] })
      assert.notProperty(started, "durable")
      store.isFull = true
      const set = yield* call.break("work", { pending: true })
      assert.isFalse(set.durable)
      const [warning] = set.warnings
      assert.strictEqual(warning?.code, "NOT_DURABLE")
      assert.strictEqual(
        warning?.message,
        "launch and breakpoints are not stored, so a killed daemon loses them: no space left on device"
      )
      assert.isFalse((yield* call.status()).data.durable)
      store.isFull = false
      const after = yield* call.status()
      assert.notProperty(after, "durable")
      assert.isTrue(after.data.durable)
      assert.deepStrictEqual(after.warnings, [])
      assert.isTrue(store.intents.get("default")?.breakpoints.has(2))
    }),
    undefined,
    store.layer
  )
})

it.effect("has the names of secret variables and not their values, even when answers are not masked", () => {
  const store = new MemoryStore()
  return over(
    plain(),
    Effect.gen(function* () {
      yield* call.start({
        break: ["main"],
        environment: { SAME: "here", HOME: "/home/me" },
        env: [`API_TOKEN=${secret}`, `PLAIN=ghp_${"a1B2".repeat(9)}`, "MODE=fast"],
        settings: { "redact.enabled": "false" }
      })
      const text = JSON.stringify([...store.intents])
      assert.notInclude(text, secret)
      assert.notInclude(text, "ghp_")
      const recorded = store.intents.get("default")?.request.launch.env
      assert.sameMembers([...(recorded?.masked ?? [])], ["API_TOKEN", "PLAIN"])
      assert.deepStrictEqual(recorded?.set, { HOME: "/home/me", MODE: "fast" })
      assert.deepStrictEqual(Object.keys(recorded?.same ?? {}), ["SAME"])
    }),
    undefined,
    store.layer
  )
})

it.effect("takes secret values from the caller of recover, and names those that are missing", () => {
  const found = Effect.suspend(() => {
    const store = new MemoryStore()
    const run = Effect.andThen(
      call.start({ break: ["main"], env: [`API_TOKEN=${secret}`, "OTHER_TOKEN=also"] }),
      Effect.sync(() => store.lose())
    )
    return over(plain(), run, undefined, store.layer)
  })
  return next(
    (_, fake) =>
      Effect.gen(function* () {
        const environment = { API_TOKEN: secret }
        const lost = [
          {
            what: "environment variable OTHER_TOKEN",
            why: "its value is not stored and the caller has none"
          }
        ]
        assert.deepStrictEqual((yield* call.recover({ environment })).data.plan?.[0]?.lost, lost)
        const { data } = yield* call.recover({ environment, yes: true })
        assert.deepStrictEqual(data.recovered?.lost, lost)
        const { env } = (yield* fake.newest).launch
        assert.strictEqual(env["API_TOKEN"], secret)
        assert.notProperty(env, "OTHER_TOKEN")
      }),
    found
  )
})

it.effect("with intent.store = false nothing is stored, and recover says so", () => {
  const store = new MemoryStore()
  const kept = ledger()
  const before = over(
    plain(),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"], settings: { "intent.store": "false" } })
      yield* call.break("work", { pending: true })
      assert.isFalse((yield* call.status()).data.durable)
      assert.deepStrictEqual([...store.intents.keys(), ...store.events.keys()], [])
      return [...kept.entries.values()]
    }),
    kept.layer,
    store.layer
  )
  return Effect.flatMap(before, (entries) =>
    over(
      plain(),
      Effect.gen(function* () {
        const problem = "intent.store is false, so the session was not stored; start the program again"
        assert.strictEqual((yield* call.recover()).data.plan?.[0]?.problem, problem)
        const error = yield* Effect.flip(call.recover({ yes: true }))
        assert.strictEqual(error._tag, "LaunchFailed")
        assert.include(error.message, problem)
        assert.include(JSON.stringify(error.hints), "/src/app")
      }),
      ledger(entries).layer,
      new MemoryStore().layer
    )
  )
})

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
    plain(),
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

it.effect("keeps its record when the daemon ends because of a failure", () => {
  const store = new MemoryStore()
  return over(
    plain(),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      const { endAll, keepRecords, sessions } = yield* Manager.Manager
      yield* keepRecords
      yield* endAll
      assert.deepStrictEqual(yield* sessions, [])
      const [found] = store.lose()
      assert.deepInclude(found?.intent, { stop: 1 })
      assert.notProperty(found?.intent, "ended")
      assert.isAbove(found?.events.length ?? 0, 0)
    }),
    undefined,
    store.layer
  )
})

/** Connects to a debug server, and returns what a later daemon finds after SIGKILL. */
const lostConnection = Effect.suspend(() => {
  const store = new MemoryStore()
  return over(
    plain(),
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
