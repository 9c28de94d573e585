/** Strings, containers and characters of libc++ have exactly the contents of the source, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { environment, platform, Programs } from "../support/fixturePrograms.ts"
import { recorded } from "../support/tools.ts"
import * as Tools from "../../tools.mjs"
import { contents } from "./contents.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("values of libc++", (it) => {
  const compiler = ["clang++", "clang++-19"].find((one) => Tools.runs(one, environment))
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`have their whole contents (${backend})`, ({ skip }) =>
      Effect.gen(function* () {
        if (!recorded("clang", compiler !== undefined) || compiler === undefined) return skip()
        const { directory, source } = yield* Programs
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const program = `${directory}/contents.libcxx`
        const options = ["-g", "-O0", "-std=c++17", "-stdlib=libc++", source("contents.cpp"), "-o", program]
        assert.strictEqual(yield* spawner.exitCode(ChildProcess.make(compiler, options)), 0, "libc++ is needed")
        yield* contents(program, backend, "a function")
      })
    )
  }
})
