import { assert, describe, it } from "@effect/vitest"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { adapterPid, argumentsOf, commands, connect, machine, platform, type Machine } from "../support.ts"

type Adapter = ScriptedAdapter.Adapter

const server = { pid: 4001, started: "1" }
const program = { pid: 4002, started: "1" }

/** A connected adapter with a debug server and a program. */
const connected = Effect.fnUntraced(function* (
  on: Machine,
  ending: (adapter: Adapter) => Effect.Effect<unknown>,
  options?: { readonly stderr?: string }
) {
  const adapter = yield* ScriptedAdapter.make((adapter) =>
    Effect.gen(function* () {
      yield* adapter.respond(yield* adapter.expect("initialize"), {})
      yield* adapter.respond(yield* adapter.expect("launch"))
      yield* adapter.event("initialized")
      yield* ending(adapter)
    })
  )
  on.family.push(server, program)
  const { events, launch } = yield* connect(adapter, { on, ...options })
  const connection = yield* launch
  yield* connection.run
  return { adapter, connection, events }
})

const answers = (adapter: Adapter) =>
  Effect.flatMap(adapter.expect("disconnect"), (request) => adapter.respond(request))

const pids = [adapterPid, server.pid, program.pid]

describe("the shutdown of a launched program", () => {
  it.effect("sends disconnect, closes the input, then kills the remaining descendants", () =>
    Effect.gen(function* () {
      const on = machine()
      const { adapter, connection, events } = yield* connected(on, answers)
      yield* connection.end("kill")
      assert.deepStrictEqual(argumentsOf(adapter, "disconnect"), { terminateDebuggee: true })
      assert.deepStrictEqual(
        on.steps.filter((step) => step.startsWith("SIGKILL")),
        pids.map((pid) => `SIGKILL ${pid}`)
      )
      assert.deepStrictEqual(pids.map(on.alive), [false, false, false])
      assert.deepStrictEqual(events, [], "nothing is lost when we ended it ourselves")
    }).pipe(Effect.provide(platform))
  )

  it.effect("spares processes that keep the pipes after the program's own exit, and no others", () =>
    Effect.gen(function* () {
      for (const hasExited of [true, false]) {
        const on = machine()
        const { connection, events } = yield* connected(on, (adapter) =>
          Effect.andThen(hasExited ? adapter.event("exited", { exitCode: 0 }) : Effect.void, answers(adapter))
        )
        on.holders.add(program.pid)
        if (hasExited) {
          yield* Effect.repeat(Effect.yieldNow, { until: () => events.some(({ _tag }) => _tag === "Exited") })
        }
        yield* connection.end("kill")
        assert.deepStrictEqual(pids.map(on.alive), [false, false, hasExited])
      }
    }).pipe(Effect.provide(platform))
  )

  it.effect("ends helpers of an adapter that was killed, but not what an exited program left running", () =>
    Effect.gen(function* () {
      for (const hasExited of [false, true]) {
        const on = machine()
        const { connection, events } = yield* connected(on, (adapter) =>
          Effect.andThen(hasExited ? adapter.event("exited", { exitCode: 0 }) : Effect.void, adapter.silence)
        )
        // Nothing descends from an adapter that has exited.
        on.helpers.push({ pid: 4003, started: "1" })
        if (hasExited) {
          yield* Effect.repeat(Effect.yieldNow, { until: () => events.some(({ _tag }) => _tag === "Exited") })
        }
        on.end({ signal: "SIGKILL" })
        const ending = yield* Effect.forkChild(connection.end("kill"))
        yield* TestClock.adjust("8 seconds")
        yield* Fiber.join(ending)
        assert.strictEqual(on.alive(4003), hasExited)
      }
    }).pipe(Effect.provide(platform))
  )

  it.effect("does not fail when the adapter aborts after disconnect", () =>
    Effect.gen(function* () {
      const on = machine()
      const { connection, events } = yield* connected(on, (adapter) =>
        Effect.gen(function* () {
          yield* answers(adapter)
          on.end({ signal: "SIGABRT" })
          yield* adapter.event("output", { category: "stderr", output: "PLEASE submit a bug report" })
          yield* adapter.end
        })
      )
      yield* connection.end("kill")
      yield* Effect.yieldNow
      assert.deepStrictEqual(
        events.filter((event) => event._tag === "Lost"),
        []
      )
    }).pipe(Effect.provide(platform))
  )

  it.effect("ends within 8 s when the adapter never answers disconnect, after a second disconnect", () =>
    Effect.gen(function* () {
      const on = machine()
      const { adapter, connection } = yield* connected(on, (adapter) => adapter.silence)
      const ending = yield* Effect.forkChild(connection.end("kill"))
      yield* TestClock.adjust("4499 millis")
      assert.deepStrictEqual(on.steps, [])
      assert.strictEqual(commands(adapter).filter((command) => command === "disconnect").length, 2)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(on.steps, ["stdin closed"])
      yield* TestClock.adjust("999 millis")
      assert(on.alive(adapterPid))
      yield* TestClock.adjust("2001 millis")
      assert.deepStrictEqual(yield* Fiber.join(ending), { forced: true })
      assert.deepStrictEqual(on.steps, ["stdin closed", ...pids.map((pid) => `SIGKILL ${pid}`)])
      assert.deepStrictEqual(pids.map(on.alive), [false, false, false])
    }).pipe(Effect.provide(platform))
  )

  it.effect("ends even when a process cannot be killed", () =>
    Effect.gen(function* () {
      const on = machine()
      on.immortal.add(program.pid)
      const { connection } = yield* connected(on, answers)
      const ending = yield* Effect.forkChild(connection.end("kill"))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(ending)
      assert.deepStrictEqual(pids.map(on.alive), [false, false, true])
    }).pipe(Effect.provide(platform))
  )

  it.effect("happens once, and a second caller waits for it", () =>
    Effect.gen(function* () {
      const on = machine()
      const { adapter, connection } = yield* connected(on, answers)
      yield* Effect.all([connection.end("kill"), connection.end("kill"), connection.end("detach")], {
        concurrency: "unbounded"
      })
      yield* connection.end("kill")
      assert.strictEqual(commands(adapter).filter((command) => command === "disconnect").length, 1)
      assert.deepStrictEqual(pids.map(on.alive), [false, false, false])
    }).pipe(Effect.provide(platform))
  )

  it.effect("happens when the scope closes, also for a program that was never run", () =>
    Effect.gen(function* () {
      const on = machine()
      yield* Effect.scoped(connected(on, answers))
      assert.deepStrictEqual(pids.map(on.alive), [false, false, false])
    }).pipe(Effect.provide(platform))
  )

  it.effect("kills the noted descendants of an adapter that died", () =>
    Effect.gen(function* () {
      const on = machine()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { events } = yield* connected(on, (adapter) =>
            Effect.gen(function* () {
              yield* adapter.event("process", { name: "/src/app", systemProcessId: program.pid })
              yield* Effect.sleep("1 second")
              on.family.length = 0
              on.end({ signal: "SIGKILL" })
              yield* adapter.end
            })
          )
          yield* TestClock.adjust("1 second")
          assert.deepInclude(events, { _tag: "Lost", reason: "lldb-dap was killed by SIGKILL" })
        })
      )
      assert.deepStrictEqual(pids.map(on.alive), [false, false, false])
    }).pipe(Effect.provide(platform))
  )
})

/** A connection to an attached program, which `stopped` processes of the debugger cannot serve. */
const attached = Effect.fnUntraced(function* (on: Machine, ending: (adapter: Adapter) => Effect.Effect<unknown>) {
  const adapter = yield* ScriptedAdapter.make((adapter) =>
    Effect.gen(function* () {
      yield* adapter.respond(yield* adapter.expect("initialize"), {})
      yield* adapter.respond(yield* adapter.expect("attach"))
      yield* adapter.event("initialized")
      yield* ending(adapter)
    })
  )
  on.family.push(server)
  const existing = { kind: "process", pid: program.pid, started: program.started } as const
  const { events, launch } = yield* connect(adapter, { on, launch: { existing } })
  const connection = yield* launch
  yield* connection.run
  return { adapter, connection, events }
})

describe("the end of a session with an attached program", () => {
  it.effect("continues a stopped adapter and its server before disconnect, and not the program", () =>
    Effect.gen(function* () {
      const on = machine()
      for (const { pid } of [server, program, { pid: adapterPid }]) on.stopped.add(pid)
      on.traced.add(program.pid)
      on.family.push(program)
      const { connection } = yield* attached(on, (adapter) =>
        Effect.gen(function* () {
          yield* adapter.expect("disconnect")
          assert.deepStrictEqual(on.steps, [`SIGCONT ${adapterPid}`, `SIGCONT ${server.pid}`])
          on.end({ code: 0 })
          yield* adapter.end
        })
      )
      assert.deepStrictEqual(yield* connection.end("kill"), { forced: false })
      assert(on.alive(program.pid))
    }).pipe(Effect.provide(platform))
  )

  it.effect("continues an adapter that stops later, and disconnects again before it is killed", () =>
    Effect.gen(function* () {
      const on = machine()
      const { adapter, connection } = yield* attached(on, (adapter) =>
        Effect.gen(function* () {
          yield* adapter.expect("disconnect")
          on.stopped.add(adapterPid)
          const second = yield* adapter.expect("disconnect")
          assert.deepStrictEqual(on.steps, [`SIGCONT ${adapterPid}`])
          yield* adapter.respond(second)
          on.end({ code: 0 })
          yield* adapter.end
        })
      )
      const ending = yield* Effect.forkChild(connection.end("detach"))
      yield* TestClock.adjust("2500 millis")
      assert.deepStrictEqual(yield* Fiber.join(ending), { forced: false })
      assert.deepStrictEqual(argumentsOf(adapter, "disconnect"), { terminateDebuggee: false })
      assert.deepStrictEqual(
        on.steps.filter((step) => step.startsWith("SIGKILL")),
        []
      )
    }).pipe(Effect.provide(platform))
  )

  it.effect("is lost when the adapter dies, and the reason says what happens to the program", () =>
    Effect.gen(function* () {
      const on = machine()
      const { connection, events } = yield* attached(on, (adapter) =>
        Effect.gen(function* () {
          yield* adapter.expect("threads")
          on.end({ signal: "SIGKILL" })
          yield* adapter.end
        })
      )
      const failed = yield* Effect.flip(connection.threads)
      assert.deepInclude(failed, { _tag: "AdapterCrashed", detail: "lldb-dap: it was killed by SIGKILL" })
      yield* Effect.yieldNow
      assert.deepInclude(events, {
        _tag: "Lost",
        reason: "lldb-dap was killed by SIGKILL; process 4002 may end by SIGTRAP at its next breakpoint"
      })
      assert(on.alive(program.pid))
    }).pipe(Effect.provide(platform))
  )

  it.effect("is forced if the adapter never answers, and the program is not killed", () =>
    Effect.gen(function* () {
      const on = machine()
      const { connection } = yield* attached(on, (adapter) => adapter.silence)
      const ending = yield* Effect.forkChild(connection.end("kill"))
      yield* TestClock.adjust("8 seconds")
      assert.deepStrictEqual(yield* Fiber.join(ending), { forced: true })
      assert.deepStrictEqual(
        on.steps.filter((step) => step.startsWith("SIG")),
        [`SIGKILL ${adapterPid}`]
      )
    }).pipe(Effect.provide(platform))
  )
})

describe("a debug server of an attached program whose adapter was killed", () => {
  it.effect("is killed, and the program lives on", () =>
    Effect.gen(function* () {
      const on = machine()
      const { connection } = yield* attached(on, (adapter) => adapter.silence)
      on.helpers.push(server)
      on.end({ signal: "SIGKILL" })
      const ending = yield* Effect.forkChild(connection.end("detach"))
      yield* TestClock.adjust("8 seconds")
      yield* Fiber.join(ending)
      assert.isFalse(on.alive(server.pid))
      assert.isTrue(on.alive(program.pid))
    }).pipe(Effect.provide(platform))
  )
})

describe("a detach", () => {
  it.effect("kills neither the program nor its debug server", () =>
    Effect.gen(function* () {
      const on = machine()
      const { adapter, connection } = yield* connected(on, (adapter) =>
        Effect.gen(function* () {
          yield* answers(adapter)
          on.end({ code: 0 })
          yield* adapter.end
        })
      )
      yield* connection.end("detach")
      assert.deepStrictEqual(argumentsOf(adapter, "disconnect"), { terminateDebuggee: false })
      assert.deepStrictEqual(pids.map(on.alive), [false, true, true])
      assert.deepStrictEqual(
        on.steps.filter((step) => step.startsWith("SIG")),
        []
      )
    }).pipe(Effect.provide(platform))
  )

  it.effect("kills only the adapter when it keeps running", () =>
    Effect.gen(function* () {
      const on = machine()
      const { adapter, connection } = yield* connected(on, answers)
      const ending = yield* Effect.forkChild(connection.end("detach"))
      yield* adapter.finished
      yield* TestClock.adjust("900 millis")
      assert(on.alive(adapterPid))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(ending)
      assert.deepStrictEqual(pids.map(on.alive), [false, true, true])
    }).pipe(Effect.provide(platform))
  )
})
