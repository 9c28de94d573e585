/** An adapter that is started before it is needed: when it is taken, and when it ends. */
import { assert, describe, it } from "@effect/vitest"
import { Framing } from "@sigtrap/dap"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Ledger, Processes } from "@sigtrap/manager"
import { Context, Deferred, Effect, Exit, Layer, Option, Scope, Sink, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { TestClock } from "effect/testing"
import { Settings } from "@sigtrap/protocol"
import { PrestartedAdapters, ProgramStreams } from "../../../src/index.ts"
import { connect, platform } from "../../support.ts"

/** Adapters by pid: what was sent to each, and how each is now. */
const machine = () => {
  const sent = new Map<number, Array<string>>()
  const ends = new Map<number, Deferred.Deferred<void>>()
  const homes = new Set<string>()
  const records = new Map<string, Ledger.Entry>()
  const about = { stopped: false, replaced: false }
  const alive = (pid: number) => ends.has(pid) && !isDone(pid)
  const isDone = (pid: number) => {
    const end = ends.get(pid)
    return end === undefined || Deferred.isDoneUnsafe(end)
  }
  const exit = (pid: number) => {
    const end = ends.get(pid)
    if (end !== undefined) Deferred.doneUnsafe(end, Exit.void)
  }
  const spawner = Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const pid = 100 + ends.size
          const end = Deferred.makeUnsafe<void>()
          ends.set(pid, end)
          const got: Array<string> = []
          sent.set(pid, got)
          return ChildProcessSpawner.makeHandle({
            pid: ChildProcessSpawner.ProcessId(pid),
            exitCode: Effect.as(Deferred.await(end), ChildProcessSpawner.ExitCode(0)),
            isRunning: Effect.sync(() => alive(pid)),
            kill: () => Effect.sync(() => exit(pid)),
            stdin: Sink.forEach((bytes: Uint8Array) => Effect.sync(() => got.push(new TextDecoder().decode(bytes)))),
            stdout: Stream.never,
            stderr: Stream.empty,
            all: Stream.empty,
            getInputFd: () => Sink.drain,
            getOutputFd: () => Stream.empty,
            unref: Effect.succeed(Effect.void)
          })
        }),
        ({ pid }) => Effect.sync(() => exit(pid))
      )
    )
  )
  const processes = Layer.mock(Processes.Processes, {
    self: 1,
    identify: (pid) => Effect.sync(() => (alive(pid) ? Option.some({ pid, started: "1" }) : Option.none())),
    describe: (pid) =>
      Effect.sync(() =>
        alive(pid)
          ? Option.some({
              pid,
              started: "1",
              parent: 1,
              name: "adapter",
              command: [],
              sameUser: true,
              traced: false,
              memory: 4096,
              ...about
            })
          : Option.none()
      )
  })
  const streams = Layer.mock(ProgramStreams.ProgramStreams, {
    home: () =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const home = `/homes/${homes.size}`
          homes.add(home)
          return home
        }),
        (home) => Effect.sync(() => homes.delete(home))
      )
  })
  const ledger = Layer.mock(Ledger.Ledger, {
    write: (entry) => Effect.sync(() => records.set(entry.name, entry).size > 0),
    remove: (name) => Effect.sync(() => void records.delete(name))
  })
  const layer = PrestartedAdapters.layer.pipe(Layer.provide([spawner, processes, streams, ledger]))
  return { about, alive, exit, homes, layer, records, sent, started: () => ends.size }
}

const plan = (
  env: Readonly<Record<string, string>> = {},
  args: ReadonlyArray<string> = []
): PrestartedAdapters.Plan => ({
  adapter: "lldb-dap",
  path: "/bin/adapter",
  runner: undefined,
  startIn: (directory) => ({ args, env: { ...env, HOME: directory } }),
  initialize: { adapterID: "lldb-dap" }
})

/** Runs a test with the service, a second after `prepare`. */
const prepared = <A, E>(
  test: (
    all: ReturnType<typeof machine> & { readonly service: PrestartedAdapters.Service }
  ) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.gen(function* () {
    const on = machine()
    const context = yield* Layer.build(on.layer)
    const service = Context.get(context, PrestartedAdapters.PrestartedAdapters)
    yield* service.prepare(plan())
    assert.strictEqual(on.started(), 0)
    yield* TestClock.adjust(PrestartedAdapters.delay)
    assert.isTrue(on.alive(100))
    return yield* test({ ...on, service })
  })

describe("an adapter that was started early", () => {
  it.effect("is taken once, and is sent initialize once", () =>
    prepared(({ alive, homes, records, sent, service }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* service.waiting, { adapter: "lldb-dap", pid: 100, memory_bytes: 4096 })
        assert.deepInclude(records.get("@prestarted-100"), { adapter: { pid: 100, started: "1" }, prestarted: true })
        const scope = yield* Scope.make()
        const taken = yield* Scope.provide(service.take(plan()), scope)
        assert.isUndefined(yield* service.take(plan()))
        assert.isUndefined(yield* service.waiting)
        if (taken === undefined) return assert.fail("it was not taken")
        yield* taken.recorded
        assert.strictEqual(records.size, 0)
        const { initialize: args } = plan()
        yield* taken.process.send(Framing.encode({ seq: 1, type: "request", command: "initialize", arguments: args }))
        yield* taken.process.send(Framing.encode({ seq: 2, type: "request", command: "launch" }))
        yield* TestClock.adjust(PrestartedAdapters.idle)
        const commands = (sent.get(100) ?? []).map((text) => /"command":"(\w+)"/.exec(text)?.[1])
        assert.deepStrictEqual(commands, ["initialize", "launch"])
        assert.isTrue(alive(100))
        yield* Scope.close(scope, Exit.void)
        assert.isFalse(alive(100))
        assert.strictEqual(homes.size, 0)
      })
    )
  )

  it.effect("is not taken with another environment, other arguments or another initialize", () =>
    prepared(({ alive, service }) =>
      Effect.gen(function* () {
        const other = [
          plan({ PATH: "/other" }),
          plan({}, ["--repl-mode=command"]),
          { ...plan(), path: "/bin/other" },
          { ...plan(), runner: "/usr/bin/node" },
          { ...plan(), initialize: { adapterID: "other" } }
        ]
        for (const one of other) assert.isUndefined(yield* service.take(one))
        assert.isTrue(alive(100))
        assert.isDefined(yield* service.take(plan()))
      })
    )
  )

  it.effect("ends after a minute", () =>
    prepared(({ alive, homes, records, service }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("59 seconds")
        assert.isTrue(alive(100))
        yield* TestClock.adjust("1 second")
        assert.isFalse(alive(100))
        assert.deepStrictEqual([homes.size, records.size], [0, 0])
        assert.isUndefined(yield* service.take(plan()))
      })
    )
  )

  it.effect("is not taken when it has exited, is stopped or was replaced", () =>
    Effect.gen(function* () {
      for (const fault of ["exited", "stopped", "replaced"] as const) {
        yield* prepared(({ about, alive, exit, records, service }) =>
          Effect.gen(function* () {
            if (fault === "exited") exit(100)
            else about[fault] = true
            assert.isUndefined(yield* service.take(plan()), fault)
            yield* TestClock.adjust(0)
            assert.isFalse(alive(100), fault)
            assert.strictEqual(records.size, 0, fault)
          })
        )
      }
    })
  )

  it.effect("is one: another plan ends it, the same plan keeps it", () =>
    prepared(({ alive, service, started }) =>
      Effect.gen(function* () {
        yield* service.prepare(plan())
        yield* TestClock.adjust(PrestartedAdapters.delay)
        assert.strictEqual(started(), 1)
        yield* service.prepare(plan({ PATH: "/a" }))
        yield* service.prepare(plan({ PATH: "/b" }))
        yield* TestClock.adjust(PrestartedAdapters.delay)
        assert.deepStrictEqual([alive(100), alive(101), started()], [false, true, 2])
        assert.isDefined(yield* service.take(plan({ PATH: "/b" })))
      })
    )
  )

  it.effect("ends with the daemon", () =>
    Effect.gen(function* () {
      const on = machine()
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(on.layer, scope)
      yield* Context.get(context, PrestartedAdapters.PrestartedAdapters).prepare(plan())
      yield* TestClock.adjust(PrestartedAdapters.delay)
      assert.isTrue(on.alive(100))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual([on.alive(100), on.homes.size, on.records.size], [false, 0, 0])
    })
  )
})

describe("a launch", () => {
  /** Returns how often a launch with these settings takes and prepares an adapter. */
  const launchedWith = Effect.fnUntraced(function* (settings: Settings.Values) {
    const adapter = yield* ScriptedAdapter.make((scripted) =>
      Effect.gen(function* () {
        yield* scripted.respond(yield* scripted.expect("initialize"), {})
        yield* scripted.respond(yield* scripted.expect("launch"))
        yield* scripted.event("initialized")
        yield* scripted.respond(yield* scripted.expect("disconnect"))
      })
    )
    const asked: Array<string> = []
    const note = (what: string) => Effect.sync(() => void asked.push(what))
    const { launch } = yield* connect(adapter, { launch: { settings: Settings.ofSession(settings) } })
    yield* Effect.provideService(launch, PrestartedAdapters.PrestartedAdapters, {
      take: () => Effect.as(note("take"), undefined),
      prepare: () => note("prepare"),
      waiting: Effect.undefined
    })
    return asked
  })

  it.effect("takes an adapter and prepares the next one, unless the setting is off", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* launchedWith({}), ["take", "prepare"])
      assert.deepStrictEqual(yield* launchedWith({ "defaults.prestart": "false" }), [])
    }).pipe(Effect.provide(platform))
  )
})
