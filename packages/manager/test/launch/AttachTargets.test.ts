import { assert, describe, it } from "@effect/vitest"
import { Client, type Errors, Operations, Payload } from "@sigtrap/protocol"
import { Effect, FileSystem, Layer, Option, Path, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { IntentStore, Ledger, Local, type Manager, Processes, Simulators } from "../../src/index.ts"
import { Behaviour, DiskReader, FakeBackend, SimulatedProgram } from "../../src/testing/index.ts"
import { noPrograms, begin, call, code, gone, over, settle } from "../support.ts"

const { plain } = Behaviour

type Answer<T extends Operations.Tag> = Operations.Answer<T>

/** Calls an operation with an encoded payload. */
const ask = <T extends Operations.Tag>(tag: T, input: Operations.PayloadInput<T>) =>
  Effect.gen(function* () {
    const operation = Operations.find(tag)
    if (operation === undefined) return yield* Effect.die(tag)
    const client = yield* Client.Client
    const answer = yield* client.callAny(operation, yield* Payload.decode(operation, input))
    // `callAny` forgets the types of an operation; here its tag says what they were.
    return answer as Answer<T>
  })

const self = 50

const describeOne = (pid: number, fields: Partial<Processes.Description> = {}): Processes.Description => ({
  pid,
  started: `${pid}`,
  parent: 1,
  name: "server",
  executable: "/srv/server",
  command: ["./server", "--port", "80"],
  sameUser: true,
  traced: false,
  stopped: false,
  ...fields
})

/** Runs a test on a machine with these processes, which the test may change. */
const on = <A, E>(
  fake: FakeBackend.Fake,
  table: Map<number, Processes.Description>,
  test: Effect.Effect<A, E, Client.Client | Manager.Manager | Scope.Scope>
) => {
  const processes = Layer.succeed(Processes.Processes, {
    self,
    identify: (pid) => Effect.sync(() => Option.fromUndefinedOr(table.get(pid))),
    describe: (pid) => Effect.sync(() => Option.fromUndefinedOr(table.get(pid))),
    named: (name) => Effect.sync(() => [...table.values()].filter((process) => process.name === name)),
    descendants: () => Effect.succeed([]),
    carrying: () => Effect.succeed([]),
    kill: () => Effect.succeed(true),
    awaitExit: () => Effect.succeed(true)
  })
  const machine = Layer.mergeAll(
    fake.layer,
    Ledger.Ledger.layerNone,
    IntentStore.IntentStore.layerNone,
    processes,
    FileSystem.layerNoop({}),
    DiskReader.layer.pipe(Layer.provide(FileSystem.layerNoop({}))),
    Path.layer,
    noPrograms,
    Simulators.SimulatorAccess.layerNone("testing")
  )
  return Effect.provide(test, Local.layer.pipe(Layer.provide(machine)))
}

const table = (...all: ReadonlyArray<Processes.Description>) => new Map(all.map((process) => [process.pid, process]))

const tagOf = <A, R>(effect: Effect.Effect<A, Errors.SigtrapError, R>) =>
  Effect.map(Effect.flip(effect), (error) => error._tag)

describe("attach", () => {
  it.effect("attaches to a process by pid and start time, not to a later one with its pid", () => {
    const fake = FakeBackend.make(SimulatedProgram.blockingAt(7), { ...plain, pace: "on demand" })
    return on(
      fake,
      table(describeOne(70)),
      Effect.gen(function* () {
        const { data, state } = yield* ask("attach", { pid: 70, directory: "/src" })
        assert.strictEqual(state, "running")
        assert.deepInclude(data, { event: "running", program: "/srv/server", args: ["--port", "80"] })
        const { launch } = yield* fake.newest
        assert.deepStrictEqual(launch.existing, { kind: "process", pid: 70, started: "70" })
      })
    )
  })

  it.effect("uses the default backend, unless the call names one", () => {
    const fake = FakeBackend.make(SimulatedProgram.blockingAt(7), { ...plain, pace: "on demand" })
    return on(
      fake,
      table(describeOne(70)),
      Effect.gen(function* () {
        yield* ask("defaults.set", { backend: "lldb-cli", directory: "/src" })
        yield* ask("attach", { pid: 70, directory: "/src", session: "wished" })
        const wished = (yield* fake.newest).launch
        assert.deepStrictEqual([wished.backend, wished.settings], [undefined, { "defaults.backend": "lldb-cli" }])
        yield* ask("detach", { session: "wished" })
        yield* ask("attach", { pid: 70, directory: "/src", backend: "dap" })
        const said = (yield* fake.newest).launch
        assert.deepStrictEqual([said.backend, said.settings], ["dap", undefined])
      })
    )
  })

  it.effect("refuses processes of other users, this daemon, its parent, and traced processes", () =>
    on(
      FakeBackend.make(),
      table(
        describeOne(1),
        describeOne(40),
        describeOne(self, { parent: 40 }),
        describeOne(70, { sameUser: false }),
        describeOne(71, { traced: true })
      ),
      Effect.gen(function* () {
        for (const pid of [1, 40, self, 70]) {
          assert.strictEqual(yield* tagOf(ask("attach", { pid })), "Permission", `${pid}`)
        }
        assert.strictEqual(yield* tagOf(ask("attach", { pid: 71 })), "AttachFailed")
        assert.strictEqual(yield* tagOf(ask("attach", { pid: 72 })), "ProcessNotFound")
        assert.strictEqual(yield* tagOf(ask("attach", { pid: 70, name: "server" })), "Usage")
      })
    )
  )

  it.effect("fails with a list when several processes have the name", () =>
    on(
      FakeBackend.make(),
      table(
        describeOne(self, { name: "daemon" }),
        describeOne(70),
        describeOne(71),
        describeOne(72, { sameUser: false })
      ),
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask("attach", { name: "server" }))
        assert.deepInclude(error, {
          _tag: "ProcessNotFound",
          matches: [
            { pid: 70, command: "./server --port 80" },
            { pid: 71, command: "./server --port 80" }
          ]
        })
      })
    )
  )

  it.effect("waits for a new process with a name until the timeout", () => {
    const machine = table(describeOne(self, { name: "daemon" }), describeOne(70))
    const fake = FakeBackend.make(SimulatedProgram.blockingAt(7), { ...plain, pace: "on demand" })
    return on(
      fake,
      machine,
      Effect.gen(function* () {
        const late = yield* begin(ask("attach", { name: "server", wait: true, timeout: "2s" }))
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* tagOf(late.done), "WaitTimeout")
        const waiting = yield* begin(ask("attach", { name: "server", wait: true, timeout: "1m" }))
        yield* TestClock.adjust("10 seconds")
        assert.isTrue(yield* waiting.pending)
        machine.set(71, describeOne(71))
        yield* TestClock.adjust("1 second")
        yield* waiting.done
        assert.deepInclude((yield* fake.newest).launch.existing, { pid: 71 })
      })
    )
  })

  it.effect("detaches from the process and reports its state", () => {
    const machine = table(describeOne(4000))
    const fake = FakeBackend.make(SimulatedProgram.blockingAt(7), { ...plain, pace: "on demand" })
    return on(
      fake,
      machine,
      Effect.gen(function* () {
        yield* ask("attach", { pid: 4000 })
        const { data, state } = yield* ask("detach", {})
        assert.strictEqual(state, "detached")
        assert.deepStrictEqual(data, { pid: 4000, alive: true, suspended: false, traced: false })
        yield* ask("attach", { pid: 4000 })
        assert.strictEqual((yield* ask("stop", {})).data.sessions[0]?.how, "detached")
        for (const debuggee of fake.debuggees) assert.deepStrictEqual(debuggee.ends, ["detach"])
        yield* gone(fake)
      })
    )
  })
})

describe("restart", () => {
  it.effect("runs the same program with its breakpoints, and continues the numbers", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:3", "app.c:11"], args: ["one"] })
        yield* call.remove([1])
        const before = yield* call.continue()
        const again = yield* ask("restart", { args: ["two"] })
        assert.deepInclude(again.data, { event: "stopped", breakpoints: [2], hit_counts: [1], args: ["two"] })
        assert.strictEqual(again.stop, (before.stop ?? 0) + 1)
        assert.strictEqual((yield* call.break("main")).data.id, 3)
        assert.isTrue(fake.debuggees[0]?.closed)
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
      })
    )
  })
})

describe("until", () => {
  it.effect("reports whether the place was reached, and leaves no breakpoint", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const there = yield* ask("until", { at: "11" })
        assert.deepInclude(there.data, { event: "stopped", reason: "until", reached: true })
        yield* call.break("app.c:3")
        const away = yield* ask("continue", { to: "app.c:13", directory: "/src" })
        assert.deepInclude(away.data, { event: "stopped", reason: "breakpoint", reached: false })
        const left = (yield* call.breakpoints()).data.breakpoints.map(({ requested }) => requested.text)
        assert.deepStrictEqual(left, ["main", "app.c:3"])
      })
    )
  })

  it.effect("removes its breakpoint at the timeout", () => {
    const fake = FakeBackend.make(SimulatedProgram.blockingAt(10))
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const waiting = yield* begin(ask("until", { at: "13", timeout: "5s" }))
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* code(waiting.done), "WAIT_TIMEOUT")
        assert.strictEqual((yield* call.breakpoints()).data.breakpoints.length, 1)
      })
    )
  })
})

describe("an unused session", () => {
  it.effect("ends after half an hour without a call, not before, and not during one", () => {
    const fake = FakeBackend.make(SimulatedProgram.blockingAt(10))
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* TestClock.adjust("29 minutes")
        assert.strictEqual((yield* call.status()).data.state, "stopped")
        yield* TestClock.adjust("29 minutes")
        const waiting = yield* begin(ask("continue", { timeout: "2h" }))
        yield* TestClock.adjust("70 minutes")
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
        yield* TestClock.adjust("50 minutes")
        assert.strictEqual(yield* code(waiting.done), "WAIT_TIMEOUT")
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
        yield* TestClock.adjust("90 minutes")
        yield* settle
        assert.deepStrictEqual((yield* call.sessions()).data.sessions, [])
        assert.deepStrictEqual((yield* fake.newest).ends, ["kill"])
        yield* gone(fake)
      })
    )
  })
})

describe("wait for", () => {
  it.effect("a pattern in the output, written before or after, or the end of the program", () => {
    const fake = FakeBackend.make(SimulatedProgram.blockingAt(10))
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.continue({ wait: false })
        yield* settle
        const debuggee = yield* fake.newest
        debuggee.write("ready on ")
        const waiting = yield* begin(ask("wait", { for: "output:/^READY on \\d+/i" }))
        assert.isTrue(yield* waiting.pending)
        debuggee.write("8080\n")
        assert.strictEqual((yield* waiting.done).data.event, "running")
        assert.strictEqual((yield* ask("wait", { for: "output:/ready/" })).data.event, "running")
        const never = yield* begin(ask("wait", { for: "output:/never/" }))
        debuggee.exit({ exit_code: 4 })
        assert.deepInclude((yield* never.done).data, { event: "exited", exit_code: 4 })
      })
    )
  })

  it.effect("one breakpoint of several, or a state; other conditions are refused", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:3", "app.c:11"] })
        const second = yield* begin(ask("wait", { for: "breakpoint:2" }))
        assert.isTrue(yield* second.pending)
        yield* call.continue()
        assert.deepStrictEqual((yield* second.done).data.breakpoints, [2])
        assert.strictEqual((yield* ask("wait", { for: "state:stopped" })).data.event, "stopped")
        assert.strictEqual(yield* code(ask("wait", { for: "exit", timeout: "0" })), "WAIT_TIMEOUT")
        for (const text of ["a miracle", "output:/(/", "breakpoint:x", "state:happy"]) {
          assert.strictEqual(yield* code(ask("wait", { for: text })), "USAGE", text)
        }
      })
    )
  })
})

describe("the environment and arguments of a program", () => {
  it.effect("come from files and fields, without the unset variables", () => {
    const fake = FakeBackend.make()
    return over(
      fake,
      Effect.gen(function* () {
        const environment = { PATH: "/bin", HOME: "/home", LANG: "C" }
        yield* call.start({ break: ["main"], environment, unset_env: ["PATH"], env: ["A=1"] })
        const { launch } = yield* fake.newest
        assert.deepStrictEqual(launch.env, { HOME: "/home", LANG: "C", A: "1" })
        assert.deepStrictEqual(launch.callerEnv, environment)
        yield* call.start({ break: ["main"], environment, clear_env: true, env: ["A=1"], replace: true })
        assert.deepStrictEqual((yield* fake.newest).launch.env, { A: "1" })
        const wrong = call.start({ environment, env: ["=1"], replace: true })
        assert.strictEqual(yield* code(wrong), "USAGE")
        // The simulated file is a program text. Its lines may be secrets.
        const file = call.start({ environment, env_file: "/src/input", replace: true })
        assert.strictEqual((yield* Effect.flip(file)).message, "/src/input:1 is not NAME=VALUE")
      })
    )
  })
})
