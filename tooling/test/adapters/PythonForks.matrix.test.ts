/** Forked children of a Python program run as without the debugger: neither a breakpoint nor an exception of theirs holds them. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"

const source = `import multiprocessing, os, sys, threading
def double(n):
    return n * 2
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(double, range(3)))
    child = os.fork()
    if child == 0:
        os.close(2)
        thread = threading.Thread(target=double, args=(4,))
        thread.start()
        thread.join()
        raise ValueError("in the child")
    print(os.waitpid(child, 0)[1] >> 8)
    print(double(1))
`

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("forked children of a Python program", (it) => {
  it.effect("pass breakpoints, fail by their exceptions and write no warning", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-forks-" }))
        const program = `${directory}/forks.py`
        yield* fs.writeFileString(program, source)
        const { data: first } = yield* start(program, { break: ["forks.py:3"] })
        assert.deepInclude(first, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual((yield* call("print", { expressions: ["n"] })).data.values[0]?.value, "1")
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        assert.strictEqual((yield* call("output", {})).data.text, "[0, 2, 4]\n1\n2\n")
      })
    )
  )
})
