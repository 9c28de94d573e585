import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@sigtrap/protocol"
import { Effect, Layer, Option, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Manager, Processes } from "../../../src/index.ts"
import { call, fakeWith, over } from "../../support.ts"

const grandchild: Processes.Description = {
  pid: 5001,
  started: "now",
  parent: 1,
  name: "server",
  command: ["server"],
  sameUser: true,
  traced: false,
  stopped: false
}

/** Runs a test with a program whose pipes a grandchild keeps. The grandchild dies of SIGKILL. */
const withGrandchild = (
  test: (at: {
    readonly debuggee: Effect.Success<ReturnType<typeof fakeWith>["newest"]>
    readonly killed: ReadonlyArray<number>
    /** Ends the grandchild. */
    readonly exit: () => void
  }) => Effect.Effect<void, unknown, Client.Client | Manager.Manager | Scope.Scope>
) => {
  const fake = fakeWith({ pace: "on demand" })
  const killed: Array<number> = []
  let isAlive = true
  const exit = () => {
    isAlive = false
    for (const one of fake.debuggees) one.holders = []
  }
  const table = Layer.succeed(Processes.Processes, {
    self: 4242,
    identify: (pid) =>
      Effect.sync(() => (pid === grandchild.pid && !isAlive ? Option.none() : Option.some({ pid, started: "now" }))),
    describe: () => Effect.succeedNone,
    named: () => Effect.succeed([]),
    descendants: () => Effect.succeed([]),
    carrying: () => Effect.succeed([]),
    kill: ({ pid }) =>
      Effect.sync(() => {
        killed.push(pid)
        if (pid === grandchild.pid) exit()
        return true
      }),
    awaitExit: () => Effect.succeed(true)
  })
  const run = Effect.gen(function* () {
    yield* call.start({ wait: false })
    const debuggee = yield* fake.newest
    debuggee.holders = [grandchild]
    yield* test({ debuggee, killed, exit })
  })
  return over(fake, run, undefined, undefined, table)
}

const restart = Manager.Manager.use((sessions) =>
  Effect.flatMap(sessions.select({}), (session) => Effect.asVoid(sessions.restart(session, {})))
)

const text = Effect.map(call.output(), ({ data }) => data.text)

describe("a process that keeps the pipes of a program after its exit", () => {
  it.effect("is named by status, its output is shown after the exit, and stop kills it", () =>
    withGrandchild(({ debuggee, killed }) =>
      Effect.gen(function* () {
        debuggee.write("first\n")
        debuggee.exit({ exit_code: 3 })
        assert.deepInclude((yield* call.wait()).data, { event: "exited", exit_code: 3 })
        assert.deepInclude((yield* call.status()).data, {
          state: "exited",
          outlived_by: [{ pid: grandchild.pid, name: "server" }]
        })
        debuggee.write("late\n")
        assert.strictEqual(yield* text, "first\nlate\n")
        yield* TestClock.adjust("1 hour")
        debuggee.write("later\n", "stderr")
        assert.strictEqual(yield* text, "first\nlate\nlater\n")
        const kinds = (yield* call.events()).data.events.map(({ kind }) => kind)
        assert.deepStrictEqual(kinds.slice(-3), ["exited", "output", "output"])
        assert.deepStrictEqual((yield* call.status()).data.state, "exited")
        assert.deepStrictEqual(killed, [])
        assert.deepInclude((yield* call.stop()).data.sessions[0], { how: "already-ended" })
        assert.deepStrictEqual(killed, [grandchild.pid])
        assert.isTrue(debuggee.pipesClosed)
      })
    )
  )

  it.effect("is killed by a restart and by a start under the same name", () =>
    Effect.forEach([restart, Effect.asVoid(call.start({ wait: false }))], (again) =>
      withGrandchild(({ debuggee, killed }) =>
        Effect.gen(function* () {
          debuggee.exit({ exit_code: 0 })
          yield* call.wait()
          yield* again
          assert.deepStrictEqual(killed, [grandchild.pid])
          assert.isTrue(debuggee.pipesClosed)
        })
      )
    )
  )

  it.effect("closes the pipes with its own exit, after its last output was read", () =>
    withGrandchild(({ debuggee, exit, killed }) =>
      Effect.gen(function* () {
        debuggee.exit({ exit_code: 0 })
        yield* call.wait()
        yield* TestClock.adjust("10 seconds")
        assert.isFalse(debuggee.pipesClosed)
        debuggee.unread = "last words\n"
        exit()
        yield* TestClock.adjust("1 second")
        assert.isTrue(debuggee.pipesClosed)
        assert.strictEqual(yield* text, "last words\n")
        assert.notProperty((yield* call.status()).data, "outlived_by")
        assert.deepStrictEqual(killed, [])
      })
    )
  )

  it.effect("is killed with a program that is stopped, and if the debugger is lost", () =>
    Effect.forEach(["stop", "lost"] as const, (how) =>
      withGrandchild(({ debuggee, killed }) =>
        Effect.gen(function* () {
          if (how === "lost") {
            debuggee.lose("the adapter was killed")
            yield* Effect.flip(call.wait())
          } else yield* call.stop()
          assert.deepStrictEqual(killed, [grandchild.pid])
          assert.isTrue(debuggee.pipesClosed)
        })
      )
    )
  )

  it.effect("lives on after a detach, which closes the pipes", () =>
    withGrandchild(({ debuggee, killed }) =>
      Effect.gen(function* () {
        yield* call.stop({ detach: true })
        assert.deepStrictEqual(killed, [])
        assert.isTrue(debuggee.pipesClosed)
      })
    )
  )
})

it.effect("the pipes of a program that leaves no process are closed at its exit", () =>
  withGrandchild(({ debuggee, exit }) =>
    Effect.gen(function* () {
      exit()
      debuggee.exit({ exit_code: 0 })
      yield* call.wait()
      yield* TestClock.adjust("0 millis")
      assert.isTrue(debuggee.pipesClosed)
    })
  )
)
