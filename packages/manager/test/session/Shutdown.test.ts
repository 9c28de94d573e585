// How `stop` and `detach` end a session, and which signals its program gets.
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@sigtrap/protocol"
import { Effect, Fiber, FileSystem, Layer, Option, Path } from "effect"
import { TestClock } from "effect/testing"
import { IntentStore, Ledger, Local, Processes, Simulators } from "../../src/index.ts"
import { DiskReader, FakeBackend } from "../../src/testing/index.ts"
import { ask, call, code, fakeWith, noPrograms, over, settle } from "../support.ts"

const plain = FakeBackend.make

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
