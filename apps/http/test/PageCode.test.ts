// The exchange of a page code for a token.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Errors } from "@sigtrap/protocol"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { authority, code, once, onPlatform, opened, served } from "./servedPage.ts"

describe("a page code", () => {
  it.effect("is exchanged for a token, whose calls come from a person with its tiers", () =>
    onPlatform(
      Effect.gen(function* () {
        const { callers, enter, send } = yield* served(once())
        const { headers, status, text } = yield* enter(JSON.stringify({ code }), {
          origin: `http://${authority}`,
          "sec-fetch-site": "same-origin"
        })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(JSON.parse(text), { ok: true, data: opened })
        assert.strictEqual(headers.get("cache-control"), "no-store")
        const authorization = `Bearer ${opened.token}`
        yield* send("/v1/sessions", {
          method: "POST",
          headers: { authorization, "content-type": "application/json", "sigtrap-as": "someone" },
          body: "{}"
        })
        assert.deepStrictEqual(callers, [
          {
            actor: { kind: "page", name: "ann", project: "/src" },
            allowance: { effects: ["observe", "read-file", "control"], destructive: false, uses: [] },
            grant: "g1"
          }
        ])
        assert.strictEqual(Caller.role(callers[0]?.actor ?? { kind: "http" }), "person")
      })
    )
  )

  it.effect("that is used again, wrong or too long is 401 and in the audit log", () =>
    onPlatform(
      Effect.gen(function* () {
        const { enter, refusals } = yield* served(once())
        assert.strictEqual((yield* enter(JSON.stringify({ code }))).status, 200)
        const again = yield* enter(JSON.stringify({ code }))
        assert.strictEqual(again.status, 401)
        assert.strictEqual(JSON.parse(again.text).error.details.rule, "page-code")
        assert.notInclude(again.text, code)
        assert.strictEqual((yield* enter(JSON.stringify({ code: "x" }))).status, 401)
        assert.deepStrictEqual(refusals, [
          { actor: { kind: "http" }, operation: "POST /v1/page", code: "ACCESS_DENIED", rule: "page-code" },
          { actor: { kind: "http" }, operation: "POST /v1/page", code: "ACCESS_DENIED", rule: "page-code" }
        ])
        for (const body of ["{}", `{"code":7}`, `"${code}"`, "[]", "{", JSON.stringify({ code: "x".repeat(200) })]) {
          assert.strictEqual((yield* enter(body)).status, 400, body)
        }
      })
    )
  )

  it.effect("that is guessed is delayed like a token", () =>
    onPlatform(
      Effect.gen(function* () {
        const { enterHere } = yield* served(once())
        for (let guess = 0; guess < 5; guess += 1) assert.strictEqual((yield* enterHere("x")).status, 401)
        const sixth = yield* Effect.forkChild(enterHere("x"))
        // The server reads the body with promises, which the clock of the test does not wait for.
        const exchanged = yield* Effect.forkChild(enterHere(code))
        assert.strictEqual((yield* Fiber.join(exchanged)).status, 200)
        yield* TestClock.adjust("999 millis")
        assert.isUndefined(sixth.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(sixth)).status, 401)
      })
    )
  )

  it.effect("of a process of another user is refused", () =>
    onPlatform(
      Effect.gen(function* () {
        const { enter, refusals } = yield* served(() => Effect.succeed({ refused: "user" }))
        assert.strictEqual((yield* enter(JSON.stringify({ code }))).status, 403)
        assert.deepStrictEqual(
          refusals.map(({ rule }) => rule),
          ["user"]
        )
      })
    )
  )

  it.effect("is not sent by a form, another origin, another site or with another host", () =>
    onPlatform(
      Effect.gen(function* () {
        let exchanged = 0
        const { enter } = yield* served(() =>
          Effect.sync(() => {
            exchanged++
            return { opened }
          })
        )
        const body = JSON.stringify({ code })
        const rows: ReadonlyArray<readonly [status: number, headers: { readonly [name: string]: string }]> = [
          [421, { host: "evil.example" }],
          [421, { host: "localhost:4711" }],
          [403, { origin: "https://evil.example" }],
          [403, { origin: "null" }],
          [403, { origin: "http://127.0.0.1:4712" }],
          [403, { "sec-fetch-site": "cross-site" }],
          [403, { "sec-fetch-site": "same-site" }],
          [415, { "content-type": "text/plain" }],
          [415, { "content-type": "application/x-www-form-urlencoded" }]
        ]
        for (const [status, headers] of rows) {
          assert.strictEqual((yield* enter(body, headers)).status, status, JSON.stringify(headers))
        }
        const large = yield* enter(JSON.stringify({ code, more: "x".repeat(2000) }))
        assert.strictEqual(large.status, 413)
        assert.include(large.text, "the body has more than 1024 bytes")
        assert.strictEqual(exchanged, 0)
      })
    )
  )

  it.effect("does not exist without a daemon, and a daemon that cannot store the token says so", () =>
    onPlatform(
      Effect.gen(function* () {
        const isolated = yield* served()
        const { status, text } = yield* isolated.enter(JSON.stringify({ code }))
        assert.strictEqual(status, 409)
        assert.include(text, "has no page codes")
        const full = yield* served(() => Effect.fail(new Errors.InvalidState({ problem: "there are 100 grants" })))
        assert.strictEqual((yield* full.enter(JSON.stringify({ code }))).status, 409)
      })
    )
  )
})
