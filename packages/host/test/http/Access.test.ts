import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Access from "../../src/http/Access.ts"

const token = "0123456789abcdef".repeat(4)
const policy: Access.Policy = { authority: "127.0.0.1:4711", token: Redacted.make(token) }

type Headers = { readonly [name: string]: string | ReadonlyArray<string> | undefined }

const good: Headers = {
  host: "127.0.0.1:4711",
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  "content-length": "2"
}

const request = (headers: Headers, target = "/v1/status"): Access.Request => ({
  target,
  headers: (name) => [headers[name] ?? []].flat()
})

const check = (headers: Headers, target?: string): Access.Refusal | undefined => {
  const facts = request({ ...good, ...headers }, target)
  return Access.checkOrigin(facts, policy) ?? Access.checkToken(facts, policy) ?? Access.checkMediaType(facts)
}

describe("an accepted request", () => {
  const rows: ReadonlyArray<readonly [string, Headers]> = [
    ["with a token and nothing of a browser", {}],
    ["of our own page", { origin: "http://127.0.0.1:4711", "sec-fetch-site": "same-origin" }],
    ["that a user made by hand", { "sec-fetch-site": "none" }],
    ["with a charset", { "content-type": "application/json; charset=utf-8" }],
    ["without a length", { "content-length": undefined }],
    ["of the largest size", { "content-length": "1048576" }]
  ]
  for (const [name, headers] of rows) {
    it(name, () => assert.isUndefined(check(headers)))
  }
})

describe("a refused request", () => {
  const rows: ReadonlyArray<readonly [rule: Access.Rule, name: string, Headers, target?: string]> = [
    ["size", "one byte too long", { "content-length": "1048577" }],
    ["size", "with a length that is not a number", { "content-length": "-1" }],
    ["size", "with a length in hexadecimal", { "content-length": "0x10" }],
    ["host", "without a host", { host: undefined }],
    ["host", "with a rebound name", { host: "evil.example:4711" }],
    ["host", "to localhost", { host: "localhost:4711" }],
    ["host", "to every address", { host: "0.0.0.0:4711" }],
    ["host", "with a trailing dot", { host: "127.0.0.1.:4711" }],
    ["host", "without the port", { host: "127.0.0.1" }],
    ["host", "with another port", { host: "127.0.0.1:4712" }],
    ["host", "with blanks around", { host: " 127.0.0.1:4711" }],
    ["host", "with two hosts, the first one ours", { host: ["127.0.0.1:4711", "evil.example"] }],
    ["host", "with a whole address as its target", {}, "http://evil.example/v1/status"],
    ["origin", "of another site", { origin: "https://evil.example" }],
    ["origin", "of a page without an origin", { origin: "null" }],
    ["origin", "of another local port", { origin: "http://127.0.0.1:4712" }],
    ["origin", "of our port over https", { origin: "https://127.0.0.1:4711" }],
    ["origin", "with two origins", { origin: ["http://127.0.0.1:4711", "http://127.0.0.1:4711"] }],
    ["origin", "with an empty origin", { origin: "" }],
    ["fetch-site", "across sites", { "sec-fetch-site": "cross-site" }],
    ["fetch-site", "of a local neighbour", { "sec-fetch-site": "same-site" }],
    ["fetch-site", "of an unknown kind", { "sec-fetch-site": "new-kind" }],
    ["token", "without a token", { authorization: undefined }],
    ["token", "with an empty token", { authorization: "Bearer " }],
    ["token", "with another token", { authorization: `Bearer ${"f".repeat(64)}` }],
    ["token", "with the beginning of the token", { authorization: `Bearer ${token.slice(0, 63)}` }],
    ["token", "with more than the token", { authorization: `Bearer ${token}0` }],
    ["token", "with the token in upper case", { authorization: `Bearer ${token.toUpperCase()}` }],
    ["token", "with the token as a password", { authorization: `Basic ${token}` }],
    ["token", "with two tokens", { authorization: [`Bearer ${token}`, `Bearer ${token}`] }],
    ["media-type", "without a media type", { "content-type": undefined }],
    ["media-type", "as a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["media-type", "as plain text", { "content-type": "text/plain" }],
    ["media-type", "as plain text that mentions JSON", { "content-type": "text/plain; application/json" }],
    ["media-type", "in parts", { "content-type": "multipart/form-data; boundary=x" }],
    ["media-type", "compressed", { "content-encoding": "gzip" }]
  ]
  for (const [rule, name, headers, target] of rows) {
    it(`${rule}: ${name}`, () => {
      const refusal = check(headers, target)
      assert.strictEqual(refusal?.rule, rule)
      assert.strictEqual(refusal?.status, Access.rules[rule])
      assert.notInclude(JSON.stringify(refusal), token)
    })
  }

  it("fails the first check of several", () => {
    const wrong: ReadonlyArray<readonly [Access.Rule, Headers]> = [
      ["media-type", { "content-type": "text/plain" }],
      ["token", { authorization: undefined }],
      ["fetch-site", { "sec-fetch-site": "cross-site" }],
      ["origin", { origin: "null" }],
      ["host", { host: "evil.example" }],
      ["size", { "content-length": "9999999" }]
    ]
    let all: Headers = {}
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
})
