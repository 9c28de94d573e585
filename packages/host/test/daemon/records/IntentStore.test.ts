import { FileReader, IntentRecord, IntentStore, RuntimeDirectory } from "@sigtrap/host"
import { FileReader as Files, Intent, IntentStore as Store } from "@sigtrap/manager"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { directory } from "../../../src/testing/Children.ts"

const request: Intent.Request = {
  time: 1,
  launch: {
    program: "/bin/größe",
    args: ["a b", "🧵"],
    cwd: "/",
    env: { salt: "s", set: { A: "1" }, same: {}, masked: ["TOKEN"] },
    callerEnv: false,
    stopOnEntry: false
  },
  stopAtMain: false,
  readOnly: false,
  deny: [],
  roots: { directories: [], searched: [], policy: [], homes: [] }
}

const changes: ReadonlyArray<Intent.Change> = [
  { _tag: "Requested", request },
  { _tag: "Stopped", stop: 1, next: 4, hits: [] },
  { _tag: "Breakpoints", set: [], removed: [], last: 3 },
  { _tag: "Displayed", items: [{ id: 2, expression: "n", format: "x" }], last: 2 },
  { _tag: "Stopped", stop: 2, next: 9, hits: [] },
  { _tag: "Renamed", from: "web" },
  { _tag: "Ended", how: "exit 0" }
]

const begun: Intent.Intent = { request, breakpoints: new Map(), last: 0, stop: 0, next: 1 }

const event = (seq: number): Store.StoredEvent => ({
  seq,
  time: seq,
  stop: 0,
  event: { _tag: "Output", channel: "stdout", text: `line ${seq} ü\n` }
})

/** Returns a text cut at each byte, and with each byte changed. */
function* damaged(text: string) {
  const bytes = new TextEncoder().encode(text)
  const decoder = new TextDecoder()
  for (let at = 0; at < bytes.length; at++) {
    yield decoder.decode(bytes.subarray(0, at))
    const flipped = bytes.slice()
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
    yield decoder.decode(flipped)
  }
}

/** Runs an effect with a new store, as a new daemon would. */
const owner = <A, E>(
  path: string,
  effect: Effect.Effect<A, E, Store.IntentStore>,
  options: IntentStore.Options = {},
  reader: Layer.Layer<Files.FileReader> = FileReader.layer
) =>
  effect.pipe(
    Effect.provide(
      IntentStore.layerWith(options).pipe(Layer.provide([RuntimeDirectory.layer(path), reader]), Layer.fresh)
    )
  )

const create = (name: string) => Effect.map(Store.IntentStore, (store) => store.create(name, begun))
const lost = Effect.flatMap(Store.IntentStore, (store) => store.lost)
const unreadable = Effect.flatMap(Store.IntentStore, (store) => store.unreadable)

it("a record that is cut or changed at any byte is an earlier intent", () => {
  const prefixes = new Set([JSON.stringify(undefined)])
  let intent: Intent.Intent | undefined
  for (const change of changes) {
    intent = Intent.fold(intent, change)
    prefixes.add(JSON.stringify(intent))
  }
  // The text of a new record begins with the header and the request.
  const [header = ""] = IntentRecord.textOf(begun).split("\n")
  const text = `${header}\n${changes.map(IntentRecord.lineOf).join("")}`
  assert.strictEqual(IntentRecord.read(text).intent?.ended, "exit 0")
  const found = new Set<string | undefined>()
  for (const part of damaged(text)) found.add(JSON.stringify(IntentRecord.read(part).intent))
  for (const one of found) assert.isTrue(prefixes.has(one ?? JSON.stringify(undefined)), one)
})

it.live("stored events that are cut or changed at any byte are the first of them", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const all = [1, 2, 3].map(event)
    yield* owner(
      path,
      Effect.map(create("default"), (record) => {
        for (const one of all) assert.isTrue(record.appendEvents([one]))
      })
    )
    const text = readFileSync(`${path}/events/default.jsonl`, "utf8")
    assert.deepStrictEqual(IntentRecord.readEvents(text), all)
    for (const part of damaged(text)) {
      const found = IntentRecord.readEvents(part)
      assert.deepStrictEqual(found, all.slice(0, found.length))
    }
  })
)

it.live("a change that cannot be written is reported, leaves no draft, and is stored when space returns", () =>
  Effect.gen(function* () {
    const path = yield* directory
    let isFull = false
    const write = (descriptor: number, bytes: Uint8Array) => {
      if (!isFull) return writeSync(descriptor, bytes)
      writeSync(descriptor, bytes.subarray(0, 5))
      throw new Error("no space left on device")
    }
    yield* owner(
      path,
      Effect.gen(function* () {
        const record = yield* create("default")
        assert.isUndefined(record.problem())
        isFull = true
        record.append({ _tag: "Stopped", stop: 1, next: 4, hits: [] })
        assert.strictEqual(record.problem(), "no space left on device")
        assert.deepStrictEqual(readdirSync(`${path}/intent`), ["default.jsonl"])
        isFull = false
        assert.isUndefined(record.problem())
        record.append({ _tag: "Stopped", stop: 2, next: 9, hits: [] })
      }),
      { write }
    )
    const [found] = yield* owner(path, lost)
    assert.deepInclude(found?.intent, { stop: 2, next: 9 })
  })
)

it.live("a record is removed with its session, and after seven days without a change", () =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* owner(
      path,
      Effect.gen(function* () {
        ;(yield* create("stopped")).remove()
        yield* create("old")
        yield* create("new")
      })
    )
    assert.isFalse(existsSync(`${path}/intent/stopped.jsonl`))
    const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 60 * 60
    utimesSync(`${path}/intent/old.jsonl`, eightDaysAgo, eightDaysAgo)
    const names = (yield* owner(path, lost)).map(({ name }) => name)
    assert.deepStrictEqual(names, ["new"])
    assert.deepStrictEqual(readdirSync(`${path}/intent`), ["new.jsonl"])
  })
)

it.live("records are readable by their user only", () =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* owner(
      path,
      Effect.map(create("default"), (record) => {
        record.appendEvents([event(1)])
        record.append({ _tag: "Stopped", stop: 1, next: 4, hits: [] })
      })
    )
    for (const name of ["intent", "events"]) {
      assert.strictEqual(statSync(`${path}/${name}`).mode & 0o777, 0o700, name)
      assert.strictEqual(statSync(`${path}/${name}/default.jsonl`).mode & 0o777, 0o600, name)
    }
  })
)

it.live("a record that cannot be used is named with the reason, stays, and does not keep others from being read", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const at = (name: string) => `${path}/intent/${name}.jsonl`
    yield* owner(
      path,
      Effect.gen(function* () {
        for (const name of ["good", "link", "large", "newer", "cut"]) yield* create(name)
      })
    )
    renameSync(at("link"), `${path}/elsewhere`)
    symlinkSync(`${path}/elsewhere`, at("link"))
    mkdirSync(at("folder"))
    writeFileSync(at("noise"), "not a record\n")
    writeFileSync(at("cut"), readFileSync(at("cut"), "utf8").split("\n")[0] ?? "")
    const header = JSON.stringify({ sigtrap: "intent", version: 99 })
    writeFileSync(at("newer"), `${createHash("sha256").update(header).digest("hex").slice(0, 16)} ${header}\n`)
    truncateSync(at("large"), 64 * 1024 * 1024 + 1)
    // A name that no session can have.
    writeFileSync(at("a b\u001b[2J"), readFileSync(at("good")))
    const [found, refused] = yield* owner(path, Effect.all([lost, unreadable]))
    assert.deepStrictEqual(
      found.map(({ name }) => name),
      ["good"]
    )
    const problems = new Map(refused.map(({ name, problem }) => [name, problem]))
    assert.sameMembers([...problems.keys()], ["link", "folder", "noise", "newer", "large", "cut"])
    assert.include(problems.get("link"), "symbolic link")
    assert.include(problems.get("folder"), "director")
    assert.strictEqual(problems.get("noise"), "it is damaged from its first line on")
    assert.include(problems.get("newer"), "version 99")
    assert.include(problems.get("large"), "64")
    assert.isTrue(existsSync(at("newer")))
    refused.find(({ name }) => name === "link")?.record.remove()
    assert.isFalse(existsSync(at("link")))
    assert.isTrue(existsSync(`${path}/elsewhere`))
  })
)

it.live("a record of another user is not used", () =>
  Effect.gen(function* () {
    const path = yield* directory
    yield* owner(path, create("default"))
    const user = process.getuid?.() ?? 0
    // Root can give the file away; another user reads it as a third one.
    if (user === 0) chownSync(`${path}/intent/default.jsonl`, 4242, 4242)
    const reader = Layer.succeed(Files.FileReader, FileReader.make(user === 0 ? 0 : user + 1))
    const [found, refused] = yield* owner(path, Effect.all([lost, unreadable]), {}, reader)
    assert.deepStrictEqual(found, [])
    assert.include(refused[0]?.problem, "it belongs to another user")
  })
)

it.live("a record whose later line was changed is used up to there, and says so; a cut-off line is not damage", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const file = `${path}/intent/default.jsonl`
    yield* owner(
      path,
      Effect.map(create("default"), (record) => {
        record.append({ _tag: "Stopped", stop: 1, next: 4, hits: [] })
        record.append({ _tag: "Stopped", stop: 2, next: 9, hits: [] })
      })
    )
    const text = readFileSync(file, "utf8")
    writeFileSync(file, text.slice(0, -3))
    const [cut] = yield* owner(path, lost)
    assert.strictEqual(cut?.intent.stop, 1)
    assert.notProperty(cut, "damage")
    writeFileSync(file, text.replace('"stop":2', '"stop":7'))
    const [changed] = yield* owner(path, lost)
    assert.strictEqual(changed?.intent.stop, 1)
    assert.include(changed?.damage, "the newest changes are missing")
  })
)

it.live("stored events take a bounded space, and the newest are kept", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const text = "x".repeat(64 * 1024)
    yield* owner(
      path,
      Effect.map(create("default"), (record) => {
        for (let seq = 1; seq <= 100; seq++) {
          record.appendEvents([{ ...event(seq), event: { _tag: "Output", channel: "stdout", text } }])
        }
      })
    )
    const [found] = yield* owner(path, lost)
    assert.strictEqual(found?.events.at(-1)?.seq, 100)
    const size = (found?.events.length ?? 0) * text.length
    assert.isAtLeast(size, 2 * 1024 * 1024 - text.length)
    assert.isAtMost(size, 4 * 1024 * 1024 + 2 * text.length)
  })
)

it.live("a directory that cannot be read has no sessions, and a record in it is not durable", () =>
  Effect.gen(function* () {
    const path = yield* directory
    writeFileSync(`${path}/intent`, "not a directory")
    const [found, problem] = yield* owner(
      path,
      Effect.all([lost, Effect.map(create("default"), (record) => record.problem())])
    )
    assert.deepStrictEqual(found, [])
    assert.isString(problem)
  })
)

it.live("a thousand changes take less than a second", () =>
  Effect.gen(function* () {
    const path = yield* directory
    const record = yield* owner(path, create("default"))
    const from = process.cpuUsage()
    for (let stop = 1; stop <= 1000; stop++) record.append({ _tag: "Stopped", stop, next: stop, hits: [] })
    const { system, user } = process.cpuUsage(from)
    assert.isBelow((system + user) / 1000, 1000)
    assert.isBelow(readFileSync(`${path}/intent/default.jsonl`).length, 300 * 1024)
  })
)
