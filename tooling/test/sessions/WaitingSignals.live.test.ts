/** A program whose timer rings while it is stopped, so that a signal waits for it at each resume. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile int ticks;
static void on_tick(int number) { ticks++; }
static int work(int n) {
  int total = 0;
  for (int i = 0; i < n; i++) total += i;
  return total;
}
int main(void) {
  struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
  setitimer(ITIMER_REAL, &every, NULL);
  int x = work(10);
  int y = work(20);
  int z = work(30);
  printf("%d %d %d %s\\n", x, y, z, ticks > 3 ? "ticked" : "silent");
  return 0;
}
`

const lineOf = (part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1

suite("a signal that waits at a breakpoint", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`does not hold the program there, and reaches it (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          if (process.platform !== "linux") return
          const fs = yield* FileSystem.FileSystem
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const cwd = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-waiting-" })
          yield* fs.writeFileString(`${cwd}/timer.c`, text)
          const compile = ChildProcess.make("gcc", ["-g", "-O0", "-o", "timer", "timer.c"], { cwd })
          assert.strictEqual(yield* spawner.exitCode(compile), 0)

          const first = lineOf("work(10)")
          yield* call("start", { program: `${cwd}/timer`, backend, environment, break: [`timer.c:${first}`, "work"] })
          const stops: Array<string> = []
          for (let stop = 0; stop < 3; stop++) {
            const { data } = yield* call("continue", {})
            stops.push(`${data.location?.function} ${data.hit_counts?.join(",")}`)
          }
          assert.deepStrictEqual(stops, ["work 1", "work 2", "work 3"])
          const end = yield* call("continue", {})
          assert.strictEqual(end.data.exit_code, 0)
          assert.strictEqual((yield* call("output", {})).data.text, "45 190 435 ticked\n")
          const { data } = yield* call("breakpoint.info", { id: "1" })
          assert.strictEqual(data.hit_count, 1)
        })
      ).pipe(Effect.scoped)
    )
  }
})
