/** Sessions of debugpy are recovered after a kill of the daemon. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { platform } from "../support/fixturePrograms.ts"
import { asked, counts, machine, record } from "./recoverTests.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("after a kill of the daemon, debugpy", (it) => {
  it.effect("starts a Python program again with its breakpoints and exception filters", () =>
    Effect.gen(function* () {
      const { breakpoints, data, kill } = yield* machine
      const program = fileURLToPath(new URL("../../fixtures/python/app.py", import.meta.url))
      yield* data("start", program, "--break", `${program}:13 if i > 0`, "--catch", "raised", "--", "raise")
      const before = yield* breakpoints
      assert.deepStrictEqual(counts(before), [1, 0])
      yield* kill
      const recovered = yield* data("recover", "--yes")
      assert.deepInclude(record(recovered["recovered"]), { how: "start", lost: [] })
      assert.deepStrictEqual(asked(yield* breakpoints), asked(before))
      assert.deepStrictEqual(counts(yield* breakpoints), [2, 0])
      yield* data("continue")
      assert.strictEqual((yield* data("continue"))["reason"], "exception")
    })
  )
})
