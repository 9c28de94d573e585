/** A program that forks twice, as daemons do. The debugger follows the second child, whose parents end meanwhile. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int work(int n) { return n + 1; }
int main(void) {
  pid_t first = fork();
  if (first == 0) {
    pid_t second = fork();
    if (second != 0) _exit(0);
    usleep(200000);
    _exit(work(getpid() > 0 ? 4 : 0));
  }
  waitpid(first, NULL, 0);
  puts("parent ends");
  return 0;
}
`

/**
 * LLDB 19 does not follow the second fork if the pids are below 4096: lets other processes have those, also if the next pids would be the
 * last ones, after which the kernel begins again.
 */
const withoutLowPids = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const isLow = '[ "$last" -lt 4096 ] || [ "$last" -gt $((most - 2000)) ]'
  const line = `most=$(cat /proc/sys/kernel/pid_max); while read -r a b c d last < /proc/loadavg && { ${isLow}; }; do (:); done`
  assert.strictEqual(yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line])), 0)
})

suite("a child that the debugger follows", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`is the process of the session, also when its parents have ended (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          if (process.platform !== "linux") return
          const fs = yield* FileSystem.FileSystem
          const directory = yield* compiled({ "twice.c": text }, ["gcc", "-o", "twice", "twice.c"])
          const program = `${directory}/twice`
          yield* withoutLowPids
          const stop = yield* call("start", { program, backend, environment, follow_fork: "child", break: ["work"] })
          assert.strictEqual(stop.state, "stopped")
          const { data } = yield* call("status", {})
          const status = yield* fs.readFileString(`/proc/${data.pid ?? 0}/status`)
          // A process that a debugger has stopped.
          assert.match(status, /^State:\tt /m)
          const { data: n } = yield* call("print", { expressions: ["n"] })
          assert.strictEqual(n.values[0]?.value, "4")
          const end = yield* call("continue", {})
          assert.strictEqual(end.data.exit_code, 5)
        })
      ).pipe(Effect.scoped)
    )
  }
})
