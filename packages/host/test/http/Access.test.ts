import { SteppedClock } from "@sigtrap/protocol/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Access from "../../src/http/Access.ts"
import * as AccessTable from "../../src/testing/AccessTable.ts"

const token = "0123456789abcdef".repeat(4)
const policy: Access.Policy = { authority: "127.0.0.1:4711", token: Redacted.make(token) }

const good = AccessTable.good({ authority: policy.authority, token })

const request = (headers: AccessTable.Headers, target = "/v1/status"): Access.Request => ({
  target,
  headers: (name) => [headers[name] ?? []].flat()
})

const check = (headers: AccessTable.Headers, target?: string): Access.Refusal | undefined => {
  const facts = request({ ...good, ...headers }, target)
  return Access.checkOrigin(facts, policy) ?? Access.checkToken(facts, policy) ?? Access.checkMediaType(facts)
}

describe("an accepted request", () => {
  for (const { headers, name } of AccessTable.accepted({ authority: policy.authority, token })) {
    it(name, () => assert.isUndefined(check(headers)))
  }
})

describe("a refused request", () => {
  for (const { headers, name, rule, target } of AccessTable.refused({ authority: policy.authority, token })) {
    it(`${rule}: ${name}`, () => {
      const refusal = check(headers, target)
      assert.strictEqual(refusal?.rule, rule)
      assert.strictEqual(refusal?.status, Access.rules[rule])
      assert.notInclude(JSON.stringify(refusal), token)
    })
  }

  it("fails the first check of several", () => {
    const wrong: ReadonlyArray<readonly [Access.Rule, AccessTable.Headers]> = [
      ["media-type", { "content-type": "text/plain" }],
      ["token", { authorization: undefined }],
      ["fetch-site", { "sec-fetch-site": "cross-site" }],
      ["origin", { origin: "null" }],
      ["host", { host: "evil.example" }],
      ["size", { "content-length": "9999999" }]
    ]
    let all: AccessTable.Headers = {}
    for (const [rule, headers] of wrong) {
      all = { ...all, ...headers }
      assert.strictEqual(check(all)?.rule, rule)
    }
    assert.strictEqual(wrong.length, Object.keys(Access.rules).length)
  })
})

describe("guessing the token", () => {
  it.effect("is delayed by a second after five failures within a second", () =>
    Effect.gen(function* () {
      const throttle = yield* Access.throttle
      for (let failure = 0; failure < 5; failure += 1) yield* throttle
      const sixth = yield* Effect.forkChild(throttle, { startImmediately: true })
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(sixth.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(sixth)
    })
  )

  it.effect("at a slow pace is not delayed", () =>
    Effect.gen(function* () {
      const throttle = yield* Access.throttle
      for (let failure = 0; failure < 20; failure += 1) {
        yield* throttle
        yield* TestClock.adjust("201 millis")
      }
    })
  )

  it.effect("is not delayed while the wall clock steps back", () =>
    Effect.gen(function* () {
      const stepped = yield* SteppedClock.make
      const throttle = yield* Access.throttle
      for (let failure = 0; failure < 20; failure += 1) {
        yield* stepped(throttle)
        yield* TestClock.adjust("201 millis")
      }
    })
  )
})
