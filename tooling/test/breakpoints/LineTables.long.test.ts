/** A program whose debug information has lines and no variables, as that of `-g1`, is debugged on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a program with lines and no variables", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`stops and steps (${backend})`, () =>
      Effect.gen(function* () {
        const { directory, line, source } = yield* Programs
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const program = `${directory}/deep.lines`
        const options = ["-g1", "-O0", source("deep.c"), "-o", program]
        assert.strictEqual(yield* spawner.exitCode(ChildProcess.make("cc", options)), 0)
        yield* debugging(({ call, start }) =>
          Effect.gen(function* () {
            const place = { function: "leaf", line: line("deep.c", "leaf") }
            const stop = (yield* start(program, { backend, break: ["leaf"] })).data
            assert.deepInclude(stop.location, place)
            assert.deepStrictEqual((yield* call("args", {})).data.variables, [])
            assert.deepStrictEqual((yield* call("locals", {})).data.variables, [])
            const finished = (yield* call("finish", {})).data
            assert.deepInclude(finished.location, { function: "down" })
          })
        )
      })
    )
  }
})
