// Environments in records: variables whose names are those of properties of every object.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { RecordedEnvironment as Stored } from "../../src/ports/Intent.ts"
import * as RecordedEnvironment from "../../src/launch/RecordedEnvironment.ts"
import * as Secrets from "../../src/model/secrets/Secrets.ts"

const store = (environment: RecordedEnvironment.Environment): RecordedEnvironment.Store => ({
  environment,
  salt: () => "salt",
  digest: (text) => text
})

const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "PLAIN"]
const environmentOf = (value: string) => Object.fromEntries(names.map((name) => [name, value]))

const json = Schema.fromJsonString(Stored)
const encode = Schema.encodeSync(json)
const decode = Schema.decodeSync(json)

describe("a stored environment", () => {
  const restoredOf = (
    env: RecordedEnvironment.Environment,
    daemon: RecordedEnvironment.Environment,
    caller: RecordedEnvironment.Environment
  ) => {
    const recorded = RecordedEnvironment.record(env, store(daemon), Secrets.make(undefined))
    return RecordedEnvironment.restore(decode(encode(recorded)), caller, store({}))
  }

  it("keeps values of variables that are named like properties", () => {
    const env = environmentOf("1")
    for (const daemon of [{}, environmentOf("other")]) {
      const { changed, env: found, missing } = restoredOf(env, daemon, {})
      assert.deepStrictEqual(Object.entries(found), Object.entries(env))
      assert.deepStrictEqual([changed, missing], [[], []])
    }
  })

  it("takes values that are not stored from the caller, and no property of the object instead", () => {
    const tokens = environmentOf(`ghp_${"a1B2".repeat(9)}`)
    for (const [env, daemon] of [
      [environmentOf("1"), environmentOf("1")],
      [tokens, {}]
    ] as const) {
      const given = restoredOf(env, daemon, env)
      assert.sameDeepMembers(Object.entries(given.env), Object.entries(env))
      assert.deepStrictEqual([given.changed, given.missing], [[], []])
      const without = restoredOf(env, daemon, {})
      assert.deepStrictEqual(Object.entries(without.env), [])
      assert.deepStrictEqual(without.missing, names.toSorted())
    }
  })
})
