/** Projects of pytest without tests, with a file that cannot be imported, and with options that change what pytest prints. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { recorded } from "../support/tools.ts"

/** Most milliseconds of the test, which runs pytest about twenty times. */
const limit = 150_000

const suite = layer(platform, { excludeTestServices: true, timeout: "180 seconds" })

suite("a project of pytest", (it) => {
  it.effect(
    "without tests has no failed test, one with a file that cannot be imported stops there",
    () =>
      debugging((own) =>
        Effect.gen(function* () {
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const command = ChildProcess.make("python3", ["-c", "import debugpy, pytest"], { env: environment })
          if (!recorded("pytest", Number(yield* Effect.orElseSucceed(spawner.exitCode(command), () => 1)) === 0)) return
          const fs = yield* FileSystem.FileSystem
          const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
          const input = {
            runner: "pytest" as const,
            directory,
            environment: { ...environment, XDG_CACHE_HOME: `${own.temporary}/cache`, LC_MARK: own.temporary }
          }
          yield* fs.writeFileString(`${directory}/test_helper.py`, "def helper():\n    return 1\n")
          for (const which of [{ failing: true }, { test: "test_any" }, { test: "test_any.py" }] as const) {
            const none = yield* Effect.flip(own.call("run", { ...input, ...which }))
            assert.strictEqual(none.message, "pytest knows no tests here")
          }

          yield* fs.writeFileString(`${directory}/test_good.py`, "def test_good():\n    pass\n")
          yield* fs.writeFileString(`${directory}/test_bad.py`, "import json\nimport absent_module\n")
          const unread = yield* Effect.flip(own.call("run", { ...input, test: "test_bad.py::test_any" }))
          assert.include(unread.message, "the tests could not be listed and none was run: ")
          const passed = yield* own.call("run", { ...input, test: "test_good" })
          assert.deepInclude(passed.data, { event: "exited", exit_code: 0 })
          const { data } = yield* own.call("run", { ...input, failing: true })
          assert.deepInclude(data.run?.tests, { failed: 1, first: "test_bad.py" })
          assert.deepInclude(data.location, { function: "<module>", line: 2 })
          assert.include(JSON.stringify(data), "No module named 'absent_module'")
          yield* own.call("stop", {})

          yield* fs.remove(`${directory}/test_bad.py`)
          yield* fs.writeFileString(
            `${directory}/test_sum.py`,
            "def test_sum():\n    total = 1 + 1\n    assert total == 3\n"
          )
          for (const options of ["-q", "-v -v", "--no-header -rN"]) {
            yield* fs.writeFileString(`${directory}/pytest.ini`, `[pytest]\naddopts = ${options}\n`)
            const { data } = yield* own.call("run", { ...input, failing: true })
            assert.deepInclude(data.run?.tests, { failed: 1, first: "test_sum.py::test_sum" }, options)
            assert.strictEqual(data.location?.line, 3, options)
            // pytest adds variables to a function with an assertion.
            assert.deepEqual(
              data.locals?.map(({ name }) => name),
              ["total"]
            )
            yield* own.call("stop", {})
          }

          // The configuration decides pytest's root, which is not the working directory then.
          yield* fs.makeDirectory(`${directory}/sub`)
          yield* fs.writeFileString(`${directory}/sub/test_below.py`, "def test_below():\n    assert 1 == 2\n")
          const below = yield* own.call("run", { ...input, directory: `${directory}/sub`, failing: true })
          assert.deepInclude(below.data.run?.tests, { failed: 1, first: "test_below.py::test_below" })
          assert.strictEqual(below.data.location?.line, 2)
          yield* own.call("stop", {})
          yield* fs.remove(`${directory}/sub`, { recursive: true })

          // The arguments of the caller select tests of the run without a debugger too.
          const pair = "def test_first():\n    assert 1 == 2\ndef test_second():\n    assert 2 == 3\n"
          yield* fs.writeFileString(`${directory}/test_sum.py`, pair)
          const chosen = yield* own.call("run", { ...input, failing: true, args: ["-k", "test_second"] })
          assert.deepInclude(chosen.data.run?.tests, { failed: 1, first: "test_sum.py::test_second" })
          assert.strictEqual(chosen.data.location?.line, 4)
          yield* own.call("stop", {})

          const several = "items = []\ndef test_one():\n    items.append(1)\ndef test_two():\n    assert items == []\n"
          yield* fs.writeFileString(`${directory}/test_sum.py`, several)
          const second = yield* own.call("run", { ...input, failing: true })
          assert.deepInclude(second.data.run, { outcome: "failed", session: "failed" })
          assert.deepInclude(second.data.location, { function: "test_two", line: 5 })
          yield* own.call("stop", {})
        })
      ).pipe(Effect.scoped),
    limit
  )
})
