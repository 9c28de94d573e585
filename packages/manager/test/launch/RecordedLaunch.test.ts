// Secret values of an environment are not stored. A caller of `recover` supplies them.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, fakeWith, over } from "../support.ts"
import { MemoryStore } from "../session/records/memoryStore.ts"
import { next } from "../session/recovery/lostSessions.ts"

const secret = "value-that-must-not-be-stored"

describe("a stored launch", () => {
  it.effect("has the names of secret variables and not their values, even when answers are not masked", () => {
    const store = new MemoryStore()
    return over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({
          break: ["main"],
          environment: { SAME: "here", HOME: "/home/me" },
          env: [`API_TOKEN=${secret}`, `PLAIN=ghp_${"a1B2".repeat(9)}`, "MODE=fast"],
          settings: { "redact.enabled": "false" }
        })
        const text = JSON.stringify([...store.intents])
        assert.notInclude(text, secret)
        assert.notInclude(text, "ghp_")
        const recorded = store.intents.get("default")?.request.launch.env
        assert.sameMembers([...(recorded?.masked ?? [])], ["API_TOKEN", "PLAIN"])
        assert.deepStrictEqual(recorded?.set, { HOME: "/home/me", MODE: "fast" })
        assert.deepStrictEqual(Object.keys(recorded?.same ?? {}), ["SAME"])
      }),
      undefined,
      store.layer
    )
  })

  it.effect("takes secret values from the caller of recover, and names those that are missing", () => {
    const found = Effect.suspend(() => {
      const store = new MemoryStore()
      const run = Effect.andThen(
        call.start({ break: ["main"], env: [`API_TOKEN=${secret}`, "OTHER_TOKEN=also"] }),
        Effect.sync(() => store.lose())
      )
      return over(fakeWith({}), run, undefined, store.layer)
    })
    return next(
      (_, fake) =>
        Effect.gen(function* () {
          const environment = { API_TOKEN: secret }
          const lost = [
            {
              what: "environment variable OTHER_TOKEN",
              why: "its value is not stored and the caller has none"
            }
          ]
          assert.deepStrictEqual((yield* call.recover({ environment })).data.plan?.[0]?.lost, lost)
          const { data } = yield* call.recover({ environment, yes: true })
          assert.deepStrictEqual(data.recovered?.lost, lost)
          const { env } = (yield* fake.newest).launch
          assert.strictEqual(env["API_TOKEN"], secret)
          assert.notProperty(env, "OTHER_TOKEN")
        }),
      found
    )
  })
})
