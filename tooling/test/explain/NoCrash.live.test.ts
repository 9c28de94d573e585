/** `explain --what` of a stop that is something else: it says what the stop is, and calls it no crash, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <sys/resource.h>
#include <unistd.h>
static volatile unsigned long turns;
int main(int count, char **words) {
  struct rlimit cores = {RLIM_INFINITY, RLIM_INFINITY}, time = {1, 9};
  if (count < 2) pause();
  setrlimit(RLIMIT_CORE, &cores);
  setrlimit(RLIMIT_CPU, &time);
  for (;;) turns++;
}
`

const program = Effect.map(
  compiled({ "calm.c": source }, ["gcc", "-g", "-o", "calm", "calm.c"]),
  (folder) => `${folder}/calm`
)

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`calls neither a breakpoint nor a pause a crash (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const summaryOf = (what: "crash" | "sanitizer" | "exception") =>
              Effect.map(call("explain", { what }), ({ data }) => `${data.what}: ${data.summary}`)
            yield* call("start", { program: yield* program, backend, environment, break: ["main"] })
            assert.strictEqual(yield* summaryOf("crash"), "stop: no crash: breakpoint 1")
            assert.strictEqual(yield* summaryOf("sanitizer"), "stop: no report of a sanitizer: breakpoint 1")
            assert.strictEqual(yield* summaryOf("exception"), "stop: no exception: breakpoint 1")
            yield* call("continue", { wait: false })
            yield* call("pause", {})
            assert.match(yield* summaryOf("crash"), /^stop: no crash: pause/)
          })
        )
      )
    }

    it.effect("says what a core file of a program that did not crash is", () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const file = yield* program
          const cwd = file.replace(/\/calm$/, "")
          const child = yield* spawner.spawn(ChildProcess.make(file, [], { cwd }))
          const code = yield* spawner.exitCode(ChildProcess.make("gcore", ["-o", `${cwd}/alive`, String(child.pid)]))
          yield* Effect.ignore(child.kill({ killSignal: "SIGKILL" }))
          // Only an installation of GDB has the program that writes the core.
          if (code === 0) {
            yield* call("core", { file: `${cwd}/alive.${child.pid}`, program: file, environment })
            const { data } = yield* call("explain", { what: "crash" })
            assert.strictEqual(
              data.summary,
              "no crash: signal SIGSTOP: it ends no program, so the core file was written while the program lived"
            )
            assert.strictEqual((yield* call("explain", {})).data.what, "hang")
          }
          if ((yield* fs.readFileString("/proc/sys/kernel/core_pattern")).trim() !== "core") return
          yield* Effect.ignore(spawner.exitCode(ChildProcess.make(file, ["limit"], { cwd })))
          const left = (yield* fs.readDirectory(cwd)).find((name) => name.startsWith("core"))
          if (left === undefined) return
          yield* call("core", { file: `${cwd}/${left}`, program: file, environment, replace: true })
          const limit = (yield* call("explain", {})).data
          assert.strictEqual(limit.what, "stop")
          assert.match(limit.summary, /^signal SIGXCPU: the processor time of the program has reached its limit/)
        })
      ).pipe(Effect.scoped)
    )
  })
}
