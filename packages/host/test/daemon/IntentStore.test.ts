import { FileReader, IntentRecord, IntentStore, RuntimeDirectory } from "@sigtrap/host"
import { Intent, IntentStore as Store } from "@sigtrap/manager"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { existsSync, readdirSync, readFileSync, utimesSync, writeSync } from "node:fs"
import { directory } from "../../src/testing/Children.ts"

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
  { _tag: "Stopped", stop: 2, next: 9, hits: [] },
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
const owner = <A, E>(path: string, effect: Effect.Effect<A, E, Store.IntentStore>, options: IntentStore.Options = {}) =>
  effect.pipe(
    Effect.provide(
      IntentStore.layerWith(options).pipe(Layer.provide([RuntimeDirectory.layer(path), FileReader.layer]), Layer.fresh)
    )
  )

const create = (name: string) => Effect.map(Store.IntentStore, (store) => store.create(name, begun))
const lost = Effect.flatMap(Store.IntentStore, (store) => store.lost)

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
