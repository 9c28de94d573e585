/** Tests that do not end: the whole call has a time limit, with the run without a debugger. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Schedule } from "effect"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a run of tests", (it) => {
  it.effect("ends at the timeout of the call, and nothing remains", () =>
    debugging(({ alive, call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = `${temporary}/project`
        yield* fs.makeDirectory(directory)
        yield* fs.writeFileString(
          `${directory}/test_wait.py`,
          "import threading, unittest\nclass Wait(unittest.TestCase):\n    def test_wait(self):\n        threading.Event().wait()\n"
        )
        const late = yield* Effect.flip(
          call("run", {
            runner: "unittest",
            failing: true,
            timeout: "2s",
            directory,
            environment: { ...environment, LC_MARK: temporary, XDG_CACHE_HOME: `${temporary}/cache` }
          })
        )
        assert.deepInclude(late, { _tag: "RequestTimeout", by: "the tests of unittest", after_ms: 2000 })
        // The tests are ended in the background.
        yield* Effect.sync(alive).pipe(
          Effect.repeat({ until: (all) => all.length === 0, times: 100, schedule: Schedule.spaced("50 millis") })
        )
      })
    )
  )
})
