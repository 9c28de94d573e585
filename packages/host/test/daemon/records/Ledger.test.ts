import { Ledger, Processes, RuntimeDirectory } from "@sigtrap/host"
import { Ledger as Records, Processes as Table } from "@sigtrap/manager"
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { child, directory, ended } from "../../../src/testing/Children.ts"

const processes = Processes.layer.pipe(Layer.provide(NodeServices.layer))

/** Runs an effect with a new ledger, as a new daemon would. */
const owner = <A, E>(path: string, effect: Effect.Effect<A, E, Records.Ledger | Table.Processes>) =>
  effect.pipe(
    Effect.provide(
      Ledger.layer.pipe(Layer.provideMerge(processes), Layer.provide(RuntimeDirectory.layer(path)), Layer.fresh)
    )
  )

const entry = (name: string, fields: Partial<Records.Entry>): Records.Entry => ({
  name,
  program: "/bin/app",
  args: [],
  started_at: 1,
  launched: true,
  ...fields
})

const identified = Effect.fnUntraced(function* (program: string, ...args: ReadonlyArray<string>) {
  const started = yield* child(program, args)
  const found = yield* (yield* Table.Processes).identify(started.pid ?? 0)
  return { started, id: Option.getOrThrow(found) }
})

const write = (record: Records.Entry) => Effect.flatMap(Records.Ledger, (ledger) => ledger.write(record))
const lost = Effect.flatMap(Records.Ledger, (ledger) => ledger.lost)

it.live("a record is private, replaced atomically, and removable", () =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* owner(
      path,
      Effect.gen(function* () {
        const ledger = yield* Records.Ledger
        yield* ledger.write(entry("default", {}))
        yield* ledger.write(entry("default", { program: "/bin/other" }))
        const file = `${path}/sessions/default.json`
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        assert.strictEqual(JSON.parse(readFileSync(file, "utf8")).program, "/bin/other")
        assert.deepStrictEqual(readdirSync(`${path}/sessions`), ["default.json"])
        yield* ledger.remove("default")
        assert.deepStrictEqual(readdirSync(`${path}/sessions`), [])
        assert.deepStrictEqual(yield* ledger.lost, [])
      })
    )
  })
)

it.live("a record that cannot be written leaves no draft behind and does not fail", () =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* owner(
      path,
      Effect.gen(function* () {
        // A record cannot replace a folder.
        mkdirSync(`${path}/sessions/default.json`)
        yield* write(entry("default", {}))
        assert.deepStrictEqual(readdirSync(`${path}/sessions`), ["default.json"])
      })
    )
  })
)

it.live("the next owner kills remaining processes but not attached programs, and reports each record once", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const adapter = yield* identified("sleep", "60")
    const debuggee = yield* identified("sleep", "60")
    const attached = yield* identified("sleep", "60")
    const records = [
      entry("launched", { adapter: adapter.id, debuggee: debuggee.id }),
      entry("attached", { debuggee: attached.id, launched: false })
    ]
    yield* owner(path, Effect.forEach(records, write))
    yield* owner(
      path,
      Effect.gen(function* () {
        assert.sameDeepMembers([...(yield* lost)], records)
        assert.deepStrictEqual(yield* lost, [])
      })
    )
    assert.strictEqual(yield* ended(adapter.started), "SIGKILL")
    assert.strictEqual(yield* ended(debuggee.started), "SIGKILL")
    assert.isTrue(Option.isSome(yield* (yield* Table.Processes).identify(attached.id.pid)))
    assert.deepStrictEqual(yield* owner(path, lost), [])
  }).pipe(Effect.provide(processes))
)

it.live("the next owner kills helpers that outlived their adapter, by the home in their environment", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const home = `${path}/home-1`
    const started = yield* child("sleep", ["60"], { HOME: home })
    const other = yield* child("sleep", ["60"], { HOME: `${home}2` })
    yield* owner(path, write(entry("launched", { home })))
    yield* owner(path, lost)
    // Only Linux shows the environment of other processes.
    if (process.platform === "linux") assert.strictEqual(yield* ended(started), "SIGKILL")
    assert.isTrue(Option.isSome(yield* (yield* Table.Processes).identify(other.pid ?? 0)))
  }).pipe(Effect.provide(processes))
)

it.live("a process that only has the pid of a recorded one is not killed", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const stranger = yield* identified("sleep", "60")
    const before = { ...stranger.id, started: "1" }
    yield* owner(path, write(entry("default", { adapter: before, debuggee: before })))
    assert.strictEqual((yield* owner(path, lost)).length, 1)
    const table = yield* Table.Processes
    assert.deepStrictEqual(yield* table.identify(stranger.id.pid), Option.some(stranger.id))
  }).pipe(Effect.provide(processes))
)

it.live("an invalid record is removed and not reported", () =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* owner(path, write(entry("good", {})))
    writeFileSync(`${path}/sessions/bad.json`, "{")
    assert.deepStrictEqual(
      (yield* owner(path, lost)).map(({ name }) => name),
      ["good"]
    )
    assert.deepStrictEqual(readdirSync(`${path}/sessions`), [])
  })
)

it.live("an adapter without a session is ended, and no lost session is listed", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const { id, started } = yield* Effect.provide(identified("sleep", "60"), processes)
    const name = `@prestarted-${id.pid}`
    yield* owner(path, write(entry(name, { adapter: id, prestarted: true })))
    assert.deepStrictEqual(yield* owner(path, lost), [])
    yield* ended(started)
    assert.deepStrictEqual(readdirSync(`${path}/sessions`), [])
  })
)
