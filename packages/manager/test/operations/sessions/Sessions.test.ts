/** Sessions: selection, names, descriptions, and ends. */
import { assert, describe, it } from "@effect/vitest"
import { Client, Operations, Payload } from "@sigtrap/protocol"
import { Effect, Fiber, FileSystem, Layer, Option, Path } from "effect"
import { TestClock } from "effect/testing"
import { IntentStore, Ledger, Local, Processes, Simulators } from "../../../src/index.ts"
import { DiskReader, FakeBackend } from "../../../src/testing/index.ts"
import { noPrograms, begin, call, code, fakeWith, ledger, over, settle } from "../../support.ts"

const plain = FakeBackend.make

/** Calls an operation with an encoded payload. */
const ask = <T extends Operations.Tag>(tag: T, input: Operations.PayloadInput<T>) =>
  Effect.gen(function* () {
    const operation = Operations.find(tag)
    if (operation === undefined) return yield* Effect.die(tag)
    const client = yield* Client.Client
    const answer = yield* client.callAny(operation, yield* Payload.decode(operation, input))
    // `callAny` forgets the types of an operation; here its tag says what they were.
    return answer as Operations.Answer<T>
  })

/** Returns the name of the session that a directory selects. */
const meant = (directory: string) => Effect.map(ask("status", { directory }), ({ session }) => session)

const two = Effect.gen(function* () {
  yield* call.start({ session: "a", directory: "/src", break: ["main"] })
  yield* call.start({ session: "b", directory: "/src", break: ["main"] })
})

describe("the selected session", () => {
  it.effect("is the newest one of the directory, or the one chosen there", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* two
        assert.strictEqual(yield* meant("/src"), "b")
        assert.strictEqual(yield* code(ask("status", { directory: "/elsewhere" })), "AMBIGUOUS_SESSION")
        const chosen = yield* ask("session.use", { name: "a", directory: "/src" })
        assert.deepInclude(chosen.data, { name: "a", current: true })
        assert.strictEqual(yield* meant("/src"), "a")
        yield* ask("session.use", { name: "b", directory: "/elsewhere" })
        assert.strictEqual(yield* meant("/elsewhere"), "b")
        assert.strictEqual(yield* meant("/src"), "a")
        assert.strictEqual(yield* code(ask("session.use", { name: "c", directory: "/src" })), "SESSION_NOT_FOUND")
      })
    )
  )

  it.effect("is marked in the list for the caller's directory", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* two
        const marked = (directory: string) =>
          Effect.map(ask("sessions", { directory }), ({ data }) =>
            data.sessions.filter(({ current }) => current).map(({ name }) => name)
          )
        assert.deepStrictEqual(yield* marked("/src"), ["b"])
        assert.deepStrictEqual(yield* marked("/elsewhere"), [])
      })
    )
  )

  it.effect("is another live session after the selected one is ended", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* two
        yield* ask("stop", { names: ["b"] })
        assert.strictEqual(yield* meant("/src"), "a")
      })
    )
  )
})

describe("session rename", () => {
  it.effect("keeps the session, its directory and its record under the new name", () => {
    const kept = ledger()
    return over(
      plain(),
      Effect.gen(function* () {
        yield* two
        yield* settle
        const renamed = yield* ask("session.rename", { name: "b", new_name: "c", directory: "/src" })
        assert.deepInclude(renamed.data, { name: "c", state: "stopped", current: true })
        assert.deepStrictEqual([...kept.entries.keys()], ["a", "c"])
        assert.strictEqual(yield* meant("/src"), "c")
        assert.strictEqual(yield* code(ask("status", { session: "b" })), "SESSION_NOT_FOUND")
        assert.strictEqual((yield* call.next({ session: "c" })).session, "c")
      }),
      kept.layer
    )
  })

  it.effect("refuses the name of a live session and reuses that of an ended one", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* two
        assert.strictEqual(yield* code(ask("session.rename", { name: "a", new_name: "b" })), "SESSION_EXISTS")
        yield* call.start({ session: "over" })
        yield* ask("session.rename", { name: "a", new_name: "over" })
        const { sessions } = (yield* call.sessions()).data
        assert.deepStrictEqual(sessions.map(({ name, state }) => `${name} ${state}`).toSorted(), [
          "b stopped",
          "over stopped"
        ])
      })
    )
  )
})

describe("session info", () => {
  it.effect("reports how a session was started", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"], label: "a try", ttl: "2h", stdout: "out.txt", args: ["x"] })
        const { data } = yield* ask("session.info", {})
        assert.deepInclude(data, {
          session: "default",
          state: "stopped",
          kind: "launched",
          cwd: "/src",
          label: "a try",
          ttl_s: 7200,
          stdout: "/src/out.txt",
          args: ["x"],
          breakpoints: 1
        })
        assert.deepInclude((yield* call.sessions()).data.sessions[0], { label: "a try" })
      })
    )
  )
})

describe("an unused session", () => {
  it.effect("is ended after its ttl, or never", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ session: "short", break: ["main"], ttl: "1m" })
        yield* call.start({ session: "long", break: ["main"], ttl: "inf" })
        yield* settle
        yield* TestClock.adjust("61 seconds")
        yield* settle
        assert.deepStrictEqual(
          (yield* call.sessions()).data.sessions.map(({ name }) => name),
          ["long"]
        )
        yield* TestClock.adjust("10 days")
        yield* settle
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
      })
    )
  )
})

describe("session prune", () => {
  it.effect("removes ended sessions, and those unused for long enough", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ session: "over" })
        yield* call.start({ session: "old", break: ["main"], ttl: "inf" })
        yield* TestClock.adjust("1 hour")
        yield* call.start({ session: "new", break: ["main"], ttl: "inf" })
        const names = ({ data }: Operations.Answer<"session.prune">) => data.sessions.map(({ name }) => name)
        assert.deepStrictEqual(names(yield* ask("session.prune", { older: "2h" })), ["over"])
        assert.deepStrictEqual(names(yield* ask("session.prune", { older: "30m" })), ["old"])
        assert.deepStrictEqual(names(yield* ask("session.prune", {})), [])
        assert.strictEqual((yield* call.sessions()).data.sessions.length, 1)
      })
    )
  )
})

describe("capabilities", () => {
  it.effect("list what the debugger supports and what the manager adds", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const by = new Map((yield* ask("capabilities", {})).data.features.map(({ id, by }) => [id, by]))
        assert.deepStrictEqual(
          [by.get("stepping"), by.get("logpoints"), by.get("types")],
          ["adapter", "manager", "none"]
        )
        const status = yield* ask("status", { capabilities: true })
        assert.strictEqual(status.data.capabilities?.length, by.size)
        assert.isUndefined((yield* ask("status", {})).data.capabilities)
      })
    )
  )
})

describe("a program that is only loaded", () => {
  it.effect("is started once, by run or continue", () =>
    over(
      plain(),
      Effect.gen(function* () {
        const started = yield* call.start({ run: false, break: ["app.c:10"] })
        assert.deepStrictEqual([started.data.event, started.state], ["loaded", "starting"])
        assert.deepInclude((yield* call.status()).data, { state: "starting", loaded: true })
        assert.strictEqual(yield* code(call.next()), "NOT_STOPPED")
        assert.strictEqual(yield* code(call.wait()), "INVALID_STATE")
        assert.strictEqual(yield* code(call.pause()), "INVALID_STATE")
        yield* call.break("app.c:12")
        const run = yield* ask("run", {})
        assert.deepInclude(run.data, { event: "stopped", reason: "breakpoint" })
        assert.isUndefined((yield* call.status()).data.loaded)
        assert.strictEqual(yield* code(ask("run", {})), "INVALID_STATE")
        yield* call.start({ session: "other", run: false, break: ["app.c:10"] })
        assert.strictEqual((yield* call.continue({ session: "other" })).data.event, "stopped")
      })
    )
  )

  it.effect("is ended by stop without having run", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ run: false })
        assert.strictEqual((yield* call.stop()).data.sessions[0]?.how, "killed")
        assert.strictEqual((yield* fake.newest).count("run"), 0)
      })
    )
  })
})

describe("continue to a later stop without waiting", () => {
  it.effect("answers at once and continues at the stops in between", () => {
    const fake = fakeWith({ pace: "on demand" })
    return over(
      fake,
      Effect.gen(function* () {
        const start = yield* begin(call.start({ break: ["app.c:10"] }))
        const debuggee = yield* fake.newest
        debuggee.go()
        yield* start.done
        const answer = yield* call.continue({ count: 2, wait: false })
        assert.strictEqual(answer.data.event, "running")
        debuggee.go()
        yield* settle
        assert.deepStrictEqual([(yield* call.status()).data.state, debuggee.count("resume")], ["running", 2])
      })
    )
  })
})

describe("a temporary breakpoint", () => {
  it.effect("is in the report of its stop, and removed", () =>
    over(
      plain(),
      Effect.gen(function* () {
        const { data } = yield* call.start({ stop_at_main: true })
        assert.deepStrictEqual([data.breakpoints, data.hit_counts], [[1], [1]])
        assert.deepStrictEqual((yield* call.breakpoints()).data.breakpoints, [])
        assert.deepStrictEqual((yield* call.next()).data.breakpoints, [])
      })
    )
  )
})

describe("a repeated request", () => {
  it.effect("is carried out once within ten minutes, even if the first caller disconnects", () => {
    const fake = plain()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const first = yield* call.next({ request_id: "r1" })
        const again = yield* call.next({ request_id: "r1" })
        assert.deepStrictEqual(again, first)
        assert.strictEqual((yield* fake.newest).count("resume"), 1)
        yield* call.next({ request_id: "r2" })
        yield* TestClock.adjust("11 minutes")
        assert.notDeepEqual((yield* call.next({ request_id: "r1" })).stop, first.stop)
      })
    )
  })

  it.effect("repeats an error, too", () =>
    over(
      plain(),
      Effect.gen(function* () {
        assert.strictEqual(yield* code(ask("start", { program: "nothing", request_id: "x" })), "PROGRAM_NOT_FOUND")
        assert.strictEqual(
          yield* code(ask("start", { program: "/src/app", directory: "/src", request_id: "x" })),
          "PROGRAM_NOT_FOUND"
        )
      })
    )
  )
})

/** A machine that records signals, whose processes die of them and stop `looks` looks after SIGSTOP. */
const signalled = (looks = 0) => {
  const sent: Array<string> = []
  let left = looks
  const dead = new Set<number>()
  const alive = (pid: number) => (dead.has(pid) ? Option.none() : Option.some({ pid, started: "now" }))
  const layer = Layer.succeed(Processes.Processes, {
    self: 4242,
    identify: (pid) => Effect.sync(() => alive(pid)),
    describe: (pid) =>
      Effect.sync(() =>
        Option.map(alive(pid), (one) => ({
          ...one,
          parent: 1,
          name: "server",
          executable: "/src/app",
          command: ["app"],
          sameUser: true,
          traced: false,
          stopped: sent.includes("SIGSTOP") && left-- <= 0
        }))
      ),
    named: () => Effect.succeed([]),
    descendants: () => Effect.succeed([]),
    carrying: () => Effect.succeed([]),
    kill: ({ pid }, signal) =>
      Effect.sync(() => {
        sent.push(signal)
        if (signal === "SIGKILL") dead.add(pid)
        return true
      }),
    awaitExit: ({ pid }) => Effect.sync(() => dead.has(pid))
  })
  return { sent, dead, layer }
}

const among = <A, E>(
  fake: FakeBackend.Fake,
  processes: Layer.Layer<Processes.Processes>,
  test: Effect.Effect<A, E, Client.Client>
) => {
  const files = FileSystem.layerNoop({
    exists: () => Effect.succeed(true)
  })
  const simulators = Simulators.SimulatorAccess.layerNone("testing")
  const machine = Layer.mergeAll(
    fake.layer,
    Ledger.Ledger.layerNone,
    IntentStore.IntentStore.layerNone,
    processes,
    files,
    DiskReader.layer.pipe(Layer.provide(files)),
    Path.layer,
    simulators,
    noPrograms
  )
  return Effect.provide(test, Local.layer.pipe(Layer.provide(machine)))
}

describe("stop", () => {
  it.effect("kills an attached program with kill, and detaches otherwise", () => {
    const fake = fakeWith({ pace: "on demand" })
    const machine = signalled()
    return among(
      fake,
      machine.layer,
      Effect.gen(function* () {
        yield* ask("attach", { pid: 4000 })
        yield* settle
        const kept = yield* ask("stop", {})
        assert.deepStrictEqual([kept.data.sessions[0]?.how, machine.sent], ["detached", []])
        yield* ask("attach", { pid: 4001 })
        yield* settle
        const killed = yield* ask("stop", { kill: true })
        assert.deepStrictEqual([killed.data.sessions[0]?.how, machine.sent], ["killed", ["SIGKILL"]])
      })
    )
  })

  it.effect("with grace sends SIGTERM first, and SIGKILL if the program does not exit", () => {
    const fake = fakeWith({ pace: "on demand" })
    const machine = signalled()
    return among(
      fake,
      machine.layer,
      Effect.gen(function* () {
        yield* ask("attach", { pid: 4000 })
        yield* settle
        yield* ask("stop", { kill: true, grace: "2s" })
        assert.deepStrictEqual(machine.sent, ["SIGTERM", "SIGKILL"])
        assert.deepStrictEqual((yield* fake.newest).ends, ["detach"])
      })
    )
  })

  it.effect("with detach leaves a launched program running and reports remaining processes", () =>
    over(
      plain(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* settle
        const { data } = yield* ask("stop", { detach: true })
        assert.strictEqual(data.sessions[0]?.how, "detached")
        // The processes of this machine never end: the debugger is left over, the program is free.
        assert.deepStrictEqual(data.leftovers, [{ pid: 1, name: "fake" }])
      })
    )
  )

  it.effect.each([
    { kill: true, detach: true },
    { detach: true, grace: "1s" }
  ] as const)("refuses what contradicts itself: %j", (input) =>
    over(
      plain(),
      Effect.gen(function* () {
        assert.strictEqual(yield* code(ask("stop", input)), "USAGE")
      })
    )
  )
})

describe("detach", () => {
  it.effect("with suspended leaves the program stopped", () => {
    const machine = signalled()
    return among(
      fakeWith({ pace: "on demand" }),
      machine.layer,
      Effect.gen(function* () {
        yield* ask("attach", { pid: 4000 })
        yield* settle
        const { data } = yield* ask("detach", { suspended: true })
        assert.deepInclude(data, { alive: true, suspended: true })
        assert.deepStrictEqual(machine.sent, ["SIGSTOP"])
      })
    )
  })

  it.effect("waits until the program has stopped", () =>
    among(
      fakeWith({ pace: "on demand" }),
      signalled(3).layer,
      Effect.gen(function* () {
        yield* ask("attach", { pid: 4000 })
        yield* settle
        const detached = yield* Effect.forkChild(ask("detach", { suspended: true }), { startImmediately: true })
        yield* TestClock.adjust("100 millis")
        assert.deepInclude((yield* Fiber.join(detached)).data, { alive: true, suspended: true })
      })
    )
  )

  it.effect("reports a program that has not stopped within a second", () =>
    among(
      fakeWith({ pace: "on demand" }),
      signalled(Number.POSITIVE_INFINITY).layer,
      Effect.gen(function* () {
        yield* ask("attach", { pid: 4000 })
        yield* settle
        const detached = yield* Effect.forkChild(ask("detach", { suspended: true }), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        assert.deepInclude((yield* Fiber.join(detached)).data, { alive: true, suspended: false })
      })
    )
  )
})
