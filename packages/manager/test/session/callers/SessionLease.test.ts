// While an actor has control of a session, others read and pause, and nothing else.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Client, Effects, Feed, Operation, Operations, Payload } from "@sigtrap/protocol"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Manager, SessionFeed, SessionLease } from "../../../src/index.ts"
import { begin, call, calls, code, fakeWith, manager, over, settle } from "../../support.ts"

/** Runs calls as a client. */
const as =
  (actor: Caller.Actor) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, Caller.Current, { actor, allowance: Caller.everything })

const agent = as({ kind: "mcp", name: "claude-code" })
const other = as({ kind: "mcp", name: "codex" })
const person = as({ kind: "cli", name: "pts/3", person: true })
const second = as({ kind: "cli", name: "pts/4", person: true })

/** Operations that begin sessions of their own. */
const begins: ReadonlySet<string> = new Set(["recover", "diverge", "bisect"])

const started = agent(call.start({ break: ["square"] }))

const holder = Effect.map(call.control(), ({ data }) => data.lease?.holder.id)

/** The events of the lease as the history shows them. */
const leases = Effect.map(call.events({ limit: 1000, kind: ["lease"] }), ({ data }) =>
  data.events.map(({ reason, text }) => `${reason}: ${text}`)
)

describe("while a person has control", () => {
  it.effect("an agent reads and pauses, and its other calls are refused", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        const { data } = yield* person(call.take())
        assert.deepStrictEqual(data.lease?.holder, { id: "cli:pts/3", kind: "cli", role: "person", name: "pts/3" })
        const refused = yield* Effect.flip(agent(call.next()))
        assert.strictEqual(refused.message, "cli:pts/3 (person) drives default since 00:00:00 UTC; nothing was done")
        assert.deepStrictEqual(refused.hints[0], { operation: "wait", input: { for: "control" } })
        for (const attempt of calls(
          call.continue(),
          call.break("main"),
          call.set("n", "3"),
          call.eval("n = 3"),
          call.detach(),
          call.restart(),
          call.stop(),
          call.rename("default", "other"),
          call.start({ replace: true }),
          call.output({ clear: true })
        )) {
          assert.strictEqual(yield* code(agent(attempt)), "LEASE_HELD")
        }
        assert.strictEqual(yield* code(other(call.stop())), "LEASE_HELD")
        assert.strictEqual((yield* agent(call.context())).stop, 1)
        assert.strictEqual((yield* agent(call.pause())).stop, 1)
        yield* agent(call.print(["n"]))
        assert.strictEqual((yield* person(call.next())).stop, 2)
      })
    )
  )

  // The safety of the rule: every operation of the protocol, by its declared effects alone.
  it.effect("no operation of another acts on the session", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* person(call.take())
        const client = yield* Client.Client
        const refused: Array<string> = []
        for (const operation of Operations.all) {
          const { composite, effect, examples, execution, ignoresLease } = Operation.meta(operation)
          const isRead = effect === "observe" || effect === "read-file"
          const acts = Object.hasOwn(Payload.published(operation).properties, "session") && execution !== "start"
          if (ignoresLease || isRead || !acts || composite || begins.has(operation._tag)) continue
          const payload = yield* Payload.decode(operation, { ...examples[0].input, directory: "/src" })
          const found = yield* Effect.flip(agent(client.callAny(operation, payload)))
          assert.strictEqual(found._tag, "LeaseHeld", operation._tag)
          refused.push(operation._tag)
        }
        assert.includeMembers(refused, ["stop", "detach", "restart", "continue", "raw", "set", "breakpoint.load"])
        assert.strictEqual((yield* person(call.status())).data.state, "stopped")
      })
    )
  )

  it.effect("an agent cannot take it, and another person can", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* person(call.take())
        assert.strictEqual(yield* code(agent(call.take())), "LEASE_HELD")
        assert.strictEqual(yield* code(agent(call.release())), "LEASE_HELD")
        const refused = yield* Effect.flip(second(call.next()))
        assert.deepStrictEqual(refused.hints, [{ operation: "control.take", input: {} }])
        const { data } = yield* second(call.take())
        assert.strictEqual(data.previous?.id, "cli:pts/3")
        assert.strictEqual(data.lease?.holder.id, "cli:pts/4")
        assert.strictEqual(yield* code(person(call.next())), "LEASE_HELD")
        assert.deepStrictEqual(yield* leases, [
          "taken: cli:pts/3 took control",
          "taken: cli:pts/4 took control from cli:pts/3"
        ])
      })
    )
  )

  it.effect("a call that began before makes no more resumes", () =>
    Effect.gen(function* () {
      const fake = fakeWith({})
      yield* over(
        fake,
        Effect.gen(function* () {
          yield* started
          fake.behaviour = { ...fake.behaviour, pace: "on demand" }
          const stepping = yield* begin(agent(call.next({ count: 3 })))
          yield* person(call.take())
          const debuggee = yield* fake.newest
          debuggee.go()
          assert.strictEqual((yield* stepping.done).stop, 2)
          assert.strictEqual((yield* person(call.status())).data.state, "stopped")
        })
      )
    })
  )
})

describe("control", () => {
  it.effect("is free for everybody with the tier until an actor takes it", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        assert.isUndefined(yield* holder)
        yield* other(call.next())
        yield* agent(call.take())
        assert.strictEqual(yield* code(other(call.next())), "LEASE_HELD")
        assert.strictEqual(yield* code(other(call.take())), "LEASE_HELD")
        assert.strictEqual((yield* person(call.take())).data.previous?.id, "mcp:claude-code")
        assert.strictEqual((yield* person(call.release())).data.previous?.id, "cli:pts/3")
        assert.isUndefined((yield* person(call.release())).data.previous)
        yield* other(call.next())
      })
    )
  )

  it.effect("ends 2 minutes after the holder's last call", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* person(call.take())
        yield* TestClock.adjust("119 seconds")
        yield* person(call.locals())
        yield* TestClock.adjust("119 seconds")
        assert.strictEqual(yield* code(agent(call.next())), "LEASE_HELD")
        yield* TestClock.adjust("1 second")
        yield* agent(call.next())
        assert.deepStrictEqual((yield* leases).slice(1), [
          "idle: cli:pts/3 has no control any more: it made no call within the time of control.idle"
        ])
      })
    )
  )

  it.effect("stays while a call of the holder is under way, unless that only follows", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* person(call.take())
        const waiting = yield* begin(Effect.result(person(call.wait({ after: 100, timeout: "5m" }))))
        yield* TestClock.adjust("299 seconds")
        assert.strictEqual(yield* code(agent(call.next())), "LEASE_HELD")
        yield* TestClock.adjust("1 second")
        yield* waiting.done
        yield* TestClock.adjust("119 seconds")
        assert.strictEqual(yield* holder, "cli:pts/3")
        yield* begin(person(call.events({ follow: true, since: 10_000, timeout: "1h" })))
        yield* TestClock.adjust("3 minutes")
        assert.isUndefined(yield* holder)
      })
    )
  )

  it.effect("ends after the time for which it was taken", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        const { data } = yield* person(call.take({ for: "30s" }))
        assert.strictEqual(data.lease?.until, 30_000)
        yield* TestClock.adjust("29 seconds")
        yield* person(call.locals())
        yield* TestClock.adjust("1 second")
        assert.isUndefined(yield* holder)
        assert.match((yield* leases).at(-1) ?? "", /^expired: /)
        assert.strictEqual(yield* code(person(call.take({ for: "0s" }))), "USAGE")
      })
    )
  )

  it.effect("ends with the holder's last connection, if it was taken over one", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        const { disconnected } = yield* Manager.Manager
        const connected = Effect.provideService(SessionLease.Connected, true)
        yield* person(call.take())
        yield* disconnected("cli:pts/3")
        assert.strictEqual(yield* holder, "cli:pts/3")
        yield* person(call.release())
        yield* connected(agent(call.take()))
        yield* disconnected("mcp:codex")
        assert.strictEqual(yield* holder, "mcp:claude-code")
        yield* disconnected("mcp:claude-code")
        assert.isUndefined(yield* holder)
      })
    )
  )

  it.effect("continues over a restart, and ends with the session", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* person(call.take({ for: "100s" }))
        yield* person(call.restart())
        assert.strictEqual(yield* code(agent(call.next())), "LEASE_HELD")
        yield* TestClock.adjust("100 seconds")
        yield* agent(call.next())
        yield* person(call.take())
        yield* person(call.stop())
        yield* agent(call.start({ break: ["square"] }))
        yield* agent(call.next())
      })
    )
  )
})

describe("wait --for control", () => {
  it.effect("answers when the lease ends, and at once if it is free or the caller's", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* agent(call.wait({ for: "control" }))
        yield* person(call.take())
        yield* person(call.wait({ for: "control" }))
        const waiting = yield* begin(agent(call.wait({ for: "control", timeout: "1m" })))
        assert.isTrue(yield* waiting.pending)
        yield* person(call.release())
        assert.strictEqual((yield* waiting.done).data.event, "stopped")
        yield* agent(call.next())
      })
    )
  )

  it.effect("names the holder after its timeout", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* person(call.take())
        const waiting = yield* begin(Effect.flip(agent(call.wait({ for: "control", timeout: "10s" }))))
        yield* TestClock.adjust("10 seconds")
        const error = yield* waiting.done
        assert.strictEqual(error.message, "cli:pts/3 (person) still drives default (waited 10 s)")
      })
    )
  )
})

describe("the driver in status", () => {
  it.effect("is the holder, or who resumed the program last within 2 minutes", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* agent(call.next())
        const drivers = Effect.map(call.status(), ({ data }) => [
          data.lease?.holder.id,
          ...(data.clients ?? []).flatMap(({ actor, role }) => (role === "drive" ? [actor.id] : []))
        ])
        assert.deepStrictEqual(yield* drivers, [undefined, "mcp:claude-code"])
        yield* person(call.take())
        assert.deepStrictEqual(yield* drivers, ["cli:pts/3", "cli:pts/3"])
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(yield* drivers, [undefined])
      })
    )
  )

  it.effect("is named to a caller that saw another stop", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* started
        yield* agent(call.next())
        const error = yield* Effect.flip(person(call.next({ at_stop: 1 })))
        assert.match(error.message, /at stop #2, not at #1; mcp:claude-code resumed it last; nothing was resumed$/)
      })
    )
  )
})

it.effect("two actors that take control in the same instant: one gets it", () =>
  over(
    fakeWith({}),
    Effect.gen(function* () {
      yield* started
      for (let round = 0; round < 200; round++) {
        const taken = yield* Effect.forEach(
          [agent, other],
          (one) => Effect.exit(one(Effect.andThen(Effect.yieldNow, call.take()))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(taken.filter(({ _tag }) => _tag === "Success").length, 1, `round ${round}`)
        yield* person(call.take())
        yield* person(call.release())
      }
    })
  )
)

it("tells reading from acting by the effects of the call", () => {
  assert.deepStrictEqual(Effects.ofTiers(["observe"]), ["observe", "read-file"])
})

it.effect("the lease of an actor of HTTP ends with its last stream", () =>
  Effect.gen(function* () {
    const page = as({ kind: "page", name: "1" })
    yield* started
    yield* page(call.take())
    const feed = yield* Feed.Feed
    const stream = Effect.forkChild(page(Stream.runDrain(feed.lines({ sessions: true }))), { startImmediately: true })
    const [first, second] = [yield* stream, yield* stream]
    const another = yield* Effect.forkChild(agent(Stream.runDrain(feed.lines({}))), { startImmediately: true })
    yield* settle
    yield* Fiber.interrupt(first)
    yield* Fiber.interrupt(another)
    assert.strictEqual(yield* holder, "page:1")
    yield* Fiber.interrupt(second)
    assert.isUndefined(yield* holder)
    assert.match((yield* leases).at(-1) ?? "", /^disconnected: /)
    // The lease of a terminal belongs to its calls.
    yield* person(call.take())
    const watching = yield* Effect.forkChild(person(Stream.runDrain(feed.lines({}))), { startImmediately: true })
    yield* settle
    yield* Fiber.interrupt(watching)
    assert.strictEqual(yield* holder, "cli:pts/3")
  }).pipe(Effect.provide(SessionFeed.layer("1").pipe(Layer.provideMerge(manager(fakeWith({}))))), Effect.scoped)
)
