// One-time codes of the page: how long and how often they work, what a page gets for one, and what outlives the daemon.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import type { Action } from "../../../src/audit/OwnerRecord.ts"
import * as GrantStore from "../../../src/daemon/tokens/GrantStore.ts"
import * as PageCodes from "../../../src/daemon/tokens/PageCodes.ts"
import { directory } from "../../../src/testing/Children.ts"
import { reader } from "../plainReader.ts"

const request: PageCodes.Request = { tiers: ["observe", "control"] }

/** Starts the codes and the grants of a daemon; closing the scope is its end. */
const started = Effect.fnUntraced(function* (path: string, isOtherUser = false) {
  const scope = yield* Scope.make()
  const actions: Array<Action> = []
  const grants = yield* Scope.provide(GrantStore.make(join(path, "grants"), reader), scope)
  const codes = yield* PageCodes.make({
    grants,
    acted: (action) => void actions.push(action),
    // The real one waits for the system, and other requests run meanwhile.
    isOtherUser: () => Effect.as(Effect.yieldNow, isOtherUser)
  })
  return { actions, codes, grants, close: Scope.close(scope, Exit.void) }
})

/** Exchanges a code that must be valid. */
const opened = Effect.fnUntraced(function* (codes: PageCodes.PageCodes["Service"], code: string) {
  const answer = yield* codes.exchange({ code })
  if (!("opened" in answer)) return yield* Effect.die(`refused: ${answer.refused}`)
  return answer.opened
})

const refused = { refused: "page-code" } as const

describe("a page code", () => {
  it.effect("gives a page the token of a person with its tiers and its session, once", () =>
    Effect.gen(function* () {
      const { actions, codes, grants } = yield* started(yield* directory)
      const { code, expires } = yield* codes.create({ tiers: ["control", "observe"], session: "web", name: "ann" })
      assert.match(code, /^[0-9a-f]{32}$/)
      assert.strictEqual(expires, 60_000)
      const { token, ...page } = yield* opened(codes, code)
      assert.deepStrictEqual(page, {
        expires: 12 * 3_600_000,
        tiers: ["observe", "control"],
        session: "web",
        actor: { id: "page:ann", kind: "page", role: "person", name: "ann" }
      })
      assert.deepStrictEqual(yield* grants.verify(token), {
        id: "g1",
        kind: "page",
        name: "ann",
        session: "web",
        tiers: ["observe", "control"]
      })
      assert.deepStrictEqual(yield* codes.exchange({ code }), refused)
      assert.strictEqual((yield* grants.list).length, 1)
      assert.deepStrictEqual(
        actions.map(({ actor, args, operation }) => [operation, actor.kind, args["id"]]),
        [["page", "page", "g1"]]
      )
      assert.notInclude(JSON.stringify(actions), token)
    })
  )

  it.effect("of two requests at once opens one page", () =>
    Effect.gen(function* () {
      const { codes, grants } = yield* started(yield* directory)
      const { code } = yield* codes.create(request)
      const ends = { address: "127.0.0.1", port: 1, localPort: 2 }
      const answers = yield* Effect.all([codes.exchange({ code, ends }), codes.exchange({ code, ends })], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map((answer) => "opened" in answer).toSorted(), [false, true])
      assert.strictEqual((yield* grants.list).length, 1)
    })
  )

  it.effect("is valid for a minute", () =>
    Effect.gen(function* () {
      const { codes } = yield* started(yield* directory)
      const { code } = yield* codes.create(request)
      const late = yield* codes.create(request)
      yield* TestClock.adjust("59999 millis")
      assert.isString((yield* opened(codes, code)).token)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* codes.exchange({ code: late.code }), refused)
    })
  )

  it.effect("must be exact", () =>
    Effect.gen(function* () {
      const { codes } = yield* started(yield* directory)
      const { code } = yield* codes.create(request)
      for (const wrong of ["", code.slice(1), `${code}0`, code.toUpperCase().replace(/\d/g, "A"), "f".repeat(32)]) {
        assert.deepStrictEqual(yield* codes.exchange({ code: wrong }), refused, wrong)
      }
      assert.isString((yield* opened(codes, code)).token)
    })
  )

  it.effect("that a process of another user sends is refused, and still works for this user", () =>
    Effect.gen(function* () {
      const { codes, grants } = yield* started(yield* directory, true)
      const { code } = yield* codes.create(request)
      const ends = { address: "127.0.0.1", port: 40_000, localPort: 4711 }
      assert.deepStrictEqual(yield* codes.exchange({ code, ends }), { refused: "user" })
      assert.deepStrictEqual(yield* grants.list, [])
      assert.isString((yield* opened(codes, code)).token)
    })
  )

  it.effect("is one of at most 32 that wait; used and old ones do not count", () =>
    Effect.gen(function* () {
      const { codes } = yield* started(yield* directory)
      const [first] = yield* Effect.forEach(Array.from({ length: 32 }), () => codes.create(request))
      const error = yield* Effect.flip(codes.create(request))
      assert.strictEqual(error._tag, "InvalidState")
      yield* opened(codes, first?.code ?? "")
      yield* codes.create(request)
      assert.strictEqual((yield* Effect.flip(codes.create(request)))._tag, "InvalidState")
      yield* TestClock.adjust("1 minute")
      yield* codes.create(request)
    })
  )

  it.effect("ends with the daemon; the token of a page does not", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const first = yield* started(path)
      const waiting = yield* first.codes.create(request)
      const { token } = yield* opened(first.codes, (yield* first.codes.create(request)).code)
      yield* first.close
      const { codes, grants } = yield* started(path)
      assert.deepStrictEqual(yield* codes.exchange({ code: waiting.code }), refused)
      assert.strictEqual((yield* grants.verify(token))?.kind, "page")
      yield* TestClock.adjust("12 hours")
      assert.isUndefined(yield* grants.verify(token))
    })
  )

  it.effect("gives a token that the owner can revoke, which ends its streams", () =>
    Effect.gen(function* () {
      const { codes, grants } = yield* started(yield* directory)
      const { token } = yield* opened(codes, (yield* codes.create(request)).code)
      const stream = yield* Effect.forkChild(grants.ended("g1"), { startImmediately: true })
      assert.deepStrictEqual(yield* grants.revoke("g1"), { revoked: ["g1"], connections: 1 })
      yield* Fiber.join(stream)
      assert.isUndefined(yield* grants.verify(token))
    })
  )
})

it.effect("the least recently used page ends when there are too many", () =>
  Effect.gen(function* () {
    const { codes, grants } = yield* started(yield* directory)
    const kept = yield* grants.create({ tiers: ["observe"], millis: 3_600_000, print: true })
    const open = Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      return yield* opened(codes, (yield* codes.create(request)).code)
    })
    const [first, second] = yield* Effect.forEach(Array.from({ length: PageCodes.mostPages }), () => open)
    yield* TestClock.adjust("1 second")
    yield* grants.verify(first?.token ?? "")
    yield* open
    assert.isDefined(yield* grants.verify(first?.token ?? ""))
    assert.isUndefined(yield* grants.verify(second?.token ?? ""))
    assert.isDefined(yield* grants.verify(kept.token ?? ""))
    assert.strictEqual((yield* grants.list).filter(({ kind }) => kind === "page").length, PageCodes.mostPages)
  })
)
