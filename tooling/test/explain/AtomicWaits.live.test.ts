/**
 * Waits of libc++ for atomics, on both LLDB backends. It waits at most 2 s for a word of its own, again and again: the program's wait has no
 * time limit, and the word is not its object.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <atomic>
#include <latch>
std::latch gate(1);
int main(int count, char **words) {
  std::atomic<long> turn{0};
  if (count > 1) turn.wait(0);
  gate.wait();
}
`

const flags = ["-std=c++20", "-stdlib=libc++"]

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a wait of libc++", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`for an atomic has no time limit and no other object (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            const line = `echo '#include <latch>' | clang++ -x c++ ${flags.join(" ")} -fsyntax-only -`
            // Not every installation has libc++.
            if ((yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line], { stderr: "ignore" }))) !== 0) return
            const folder = yield* compiled({ "gate.cpp": source }, ["clang++", ...flags, "-o", "gate", "gate.cpp"])
            const expected = [
              [[], "latch", "waits for latch", 7],
              [["atomic"], "futex", "waits for futex", 6]
            ] as const
            for (const [args, kind, text, number] of expected) {
              const start = { program: `${folder}/gate`, args, backend, environment, replace: true }
              yield* call("start", { ...start, break: ["main"] })
              yield* call("continue", { wait: false })
              const { data } = yield* Effect.repeat(call("explain", {}), {
                until: ({ data: { waits } }) => waits[0]?.kind === kind
              })
              const [wait] = data.waits
              assert.strictEqual(wait?.text, text)
              assert.isUndefined(wait?.limited)
              assert.isUndefined(wait?.object)
              assert.strictEqual(wait?.stack[0]?.line, number)
            }
          })
        )
      )
    }
  })
}
