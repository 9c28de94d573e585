import { assert, describe, it } from "@effect/vitest"
import { Registry, Trials } from "../../src/index.ts"

const ways = ["launch", "attach", "core", "remote"] as const
const context = { name: "x", path: "/usr/bin/x", port: 4711, servers: [] }

describe("a way in which doctor does not test an adapter", () => {
  it.each(Registry.builtIn.flatMap(({ name, trials }) => (trials === undefined ? [] : [{ name, trials }])))(
    "has a reason: $name",
    ({ trials }) => {
      for (const way of ways.filter((one) => Trials.scenario(trials, one, context) === undefined)) {
        assert.notStrictEqual(Trials.untested(trials, way, context), "no trial exists for it", way)
      }
    }
  )

  it("has the path as its reason if a shell would need quotes for it", () => {
    const debugpy = Registry.builtIn.find(({ name }) => name === "debugpy")?.trials
    assert(debugpy !== undefined)
    assert.strictEqual(Trials.untested(debugpy, "core", context), "Python has no core files")
    assert.include(Trials.untested(debugpy, "attach", { ...context, path: "/a b/python3" }), "needs quoting")
  })
})
