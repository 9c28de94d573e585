/** The directory into which runners write what they need. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("the directory of a runner", (it) => {
  it.effect("is not in a home that does not exist, which is not made", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = `${temporary}/project`
        yield* fs.makeDirectory(directory)
        yield* fs.writeFileString(
          `${directory}/test_sum.py`,
          "import unittest\nclass Sum(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(1 + 1, 2)\n"
        )
        const { XDG_CACHE_HOME: _, ...rest } = environment
        const home = `${temporary}/nobody`
        const { data } = yield* call("run", {
          runner: "unittest",
          failing: true,
          directory,
          environment: { ...rest, HOME: home, TMPDIR: temporary }
        })
        assert.deepInclude(data.run, { outcome: "passed" })
        assert.isFalse(yield* fs.exists(home))
        assert.isTrue(yield* fs.exists(`${temporary}/sigtrap/tests`))
      })
    )
  )
})
