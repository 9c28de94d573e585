// Granted tokens: what is stored, until when they are valid, and who gets to know that they have ended.
import { assert, describe, it } from "@effect/vitest"
import { FileReader } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as GrantStore from "../../../src/daemon/tokens/GrantStore.ts"
import { directory } from "../../../src/testing/Children.ts"
import { reader } from "../plainReader.ts"

const hour = 3_600_000

const request: GrantStore.Request = { tiers: ["observe", "control"], millis: hour, print: true }

/** Opens the store of a directory; closing the scope is the end of its daemon. */
const opened = Effect.fnUntraced(function* (path: string, files = reader) {
  const scope = yield* Scope.make()
  const store = yield* Scope.provide(GrantStore.make(join(path, "grants"), files), scope)
  return { store, close: Scope.close(scope, Exit.void) }
})

const created = (store: GrantStore.GrantStore["Service"], change: Partial<GrantStore.Request> = {}) =>
  Effect.map(store.create({ ...request, ...change }), ({ grant, token = "" }) => ({ grant, token }))

describe("a granted token", () => {
  it.effect("is valid with its tiers and its session, until it expires", () =>
    Effect.gen(function* () {
      const { store } = yield* opened(yield* directory)
      const { grant, token } = yield* created(store, { session: "web", name: "review", tiers: ["control", "observe"] })
      assert.match(token, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(yield* store.verify(token), {
        id: "g1",
        name: "review",
        session: "web",
        tiers: ["observe", "control"]
      })
      assert.isUndefined(yield* store.verify(token.toUpperCase()))
      assert.isUndefined(yield* store.verify(token.slice(1)))
      assert.isUndefined(yield* store.verify(""))
      assert.strictEqual(grant.expires, hour)
      yield* TestClock.adjust(hour - 1)
      assert.isDefined(yield* store.verify(token))
      yield* TestClock.adjust(1)
      assert.isUndefined(yield* store.verify(token))
      assert.deepStrictEqual(yield* store.list, [])
    })
  )

  it.effect("is stored as a digest in private files, and outlives its daemon", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const first = yield* opened(path)
      const { token } = yield* created(first.store)
      const named = yield* first.store.create({ ...request, print: false })
      assert.isUndefined(named.token)
      const { file = "" } = named.grant
      const stored = readFileSync(join(path, "grants", "grants.json"), "utf8")
      assert.notInclude(stored, token)
      assert.notInclude(stored, readFileSync(file, "utf8"))
      assert.strictEqual(statSync(join(path, "grants")).mode & 0o777, 0o700)
      for (const name of readdirSync(join(path, "grants"))) {
        assert.strictEqual(statSync(join(path, "grants", name)).mode & 0o777, 0o600, name)
      }
      yield* first.close
      const { store } = yield* opened(path)
      assert.strictEqual((yield* store.verify(token))?.id, "g1")
      assert.strictEqual((yield* store.verify(readFileSync(file, "utf8")))?.id, "g2")
      yield* TestClock.adjust(hour)
      assert.isUndefined(yield* store.verify(token))
      assert.isFalse(existsSync(file), "its file is removed when it expires")
    })
  )

  it.effect("expires while no daemon runs, and its id is not used again", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const first = yield* opened(path)
      const { token } = yield* created(first.store)
      yield* first.close
      yield* TestClock.adjust(hour)
      const { store } = yield* opened(path)
      assert.isUndefined(yield* store.verify(token))
      assert.strictEqual((yield* created(store)).grant.id, "g2")
    })
  )

  it.effect("of a file that this version cannot read is refused, and the file stays as it is until it is removed", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const first = yield* opened(path)
      const { token } = yield* created(first.store)
      yield* first.close
      const file = join(path, "grants", "grants.json")
      const written = readFileSync(file, "utf8")
      const changed = (before: string, after: string) => written.replace(before, after)
      const unusable = [
        written.slice(0, -1),
        changed('"version":1', '"version":2'),
        changed('"control"', '"newer"'),
        changed('"id":"g1"', '"id":"g1","directories":["/src"]'),
        changed('"last":1', '"last":1,"narrowed":true')
      ]
      const slow = {
        ...reader,
        text: (name: string) =>
          Effect.fail(new FileReader.FileRefused({ file: name, rule: "deadline", detail: "it does not answer" }))
      }
      const cases = [...unusable.map((text) => ({ text, files: reader })), { text: written, files: slow }]
      for (const { files, text } of cases) {
        assert.isTrue(files === slow || text !== written)
        writeFileSync(file, text, { mode: 0o600 })
        const { close, store } = yield* opened(path, files)
        assert.isUndefined(yield* store.verify(token))
        const requests = [created(store), store.list, store.revoke("g1"), store.revoke("all")]
        for (const refused of requests.map((request) => Effect.asVoid<unknown, unknown, never>(request))) {
          const error = yield* Effect.flip(refused)
          assert.instanceOf(error, Errors.InvalidState)
          assert.include(error.message, file)
        }
        yield* close
        assert.strictEqual(readFileSync(file, "utf8"), text)
      }
      rmSync(file)
      const { store } = yield* opened(path)
      assert.isUndefined(yield* store.verify(token))
      yield* created(store)
    })
  )

  it.effect("of a file without a version is valid", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const first = yield* opened(path)
      const { token } = yield* created(first.store)
      yield* first.close
      const file = join(path, "grants", "grants.json")
      writeFileSync(file, readFileSync(file, "utf8").replace('"version":1,', ""), { mode: 0o600 })
      const { store } = yield* opened(path)
      assert.isDefined(yield* store.verify(token))
    })
  )

  it.effect("is revoked at once, for the next daemon too, with its open connections", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const first = yield* opened(path)
      const { store } = first
      const { token } = yield* created(store)
      const other = yield* created(store)
      const streams = yield* Effect.forEach([1, 2], () =>
        Effect.forkChild(store.ended("g1"), { startImmediately: true })
      )
      const gone = yield* Effect.forkChild(store.ended("g2"), { startImmediately: true })
      yield* Fiber.interrupt(gone)
      assert.deepStrictEqual(yield* store.revoke("g1"), { revoked: ["g1"], connections: 2 })
      yield* Effect.forEach(streams, Fiber.join)
      yield* store.ended("g1")
      assert.isUndefined(yield* store.verify(token))
      assert.isDefined(yield* store.verify(other.token))
      const error = yield* Effect.flip(store.revoke("g1"))
      assert.strictEqual(error.message, "no grant 'g1'; there are: g2")
      yield* first.close
      const next = yield* opened(path)
      assert.isUndefined(yield* next.store.verify(token))
      assert.deepStrictEqual(yield* next.store.revoke("all"), { revoked: ["g2"], connections: 0 })
    })
  )

  it.effect("ends after its lifetime if the clock was set back while no daemon ran", () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* TestClock.setTime(100 * hour)
      const first = yield* opened(path)
      const { token } = yield* created(first.store)
      yield* first.close
      yield* TestClock.setTime(0)
      const next = yield* opened(path)
      yield* TestClock.adjust(hour - 1)
      assert.isDefined(yield* next.store.verify(token))
      yield* TestClock.adjust(1)
      assert.isUndefined(yield* next.store.verify(token))
    })
  )

  it.effect("ends its connections when it expires", () =>
    Effect.gen(function* () {
      const { store } = yield* opened(yield* directory)
      yield* created(store)
      const stream = yield* Effect.forkChild(store.ended("g1"), { startImmediately: true })
      yield* TestClock.adjust(hour)
      yield* Fiber.join(stream)
    })
  )

  it.effect("that cannot be stored is not granted", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const { store } = yield* opened(path)
      yield* created(store)
      const folder = join(path, "grants")
      chmodSync(folder, 0o500)
      // The superuser may write everywhere.
      if (process.geteuid?.() === 0) writeFileSync(`${join(folder, "grants.json")}.draft`, "")
      const failure = yield* Effect.result(store.create(request))
      chmodSync(folder, 0o700)
      if (failure._tag === "Failure") assert.strictEqual((yield* store.list).length, 1)
    })
  )
})

it("a lifetime is at most 7 days", () => {
  assert.strictEqual(GrantStore.longest, 7 * 24 * hour)
})
