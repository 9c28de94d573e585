/** A program that handles its faults. Its handler reads the same as without a debugger, whatever was evaluated at the stop. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static __thread sigjmp_buf before;
static void handler(int number, siginfo_t *info, void *context) {
  printf("signal %d code %d at %p\\n", number, info->si_code, number == SIGSEGV ? info->si_addr : 0);
  fflush(stdout);
  siglongjmp(before, 1);
}
static int touch(volatile int *p) { return *p; }
static int divide(int a, int b) { return a / b; }
static void *other(void *p) { if (sigsetjmp(before, 1) == 0) touch(p); return NULL; }
int main(void) {
  struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGFPE, &action, NULL);
  for (long n = 1; n < 3; n++) if (sigsetjmp(before, 1) == 0) touch((int *)(n * 0x100));
  if (sigsetjmp(before, 1) == 0) divide(4, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, other, (void *)0x999);
  pthread_join(thread, NULL);
  return 0;
}
`

const printed = [
  "signal 11 code 1 at 0x100",
  "signal 11 code 1 at 0x200",
  "signal 8 code 1 at (nil)",
  "signal 11 code 1 at 0x999"
]

suite("a handler of faults", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`reads what it reads without a debugger (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          if (process.platform !== "linux") return
          const fs = yield* FileSystem.FileSystem
          const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-faults-" })
          yield* fs.writeFileString(`${directory}/faults.c`, text)
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const compile = ChildProcess.make("gcc", ["-g", "-O0", "-pthread", "-o", "faults", "faults.c"], {
            cwd: directory
          })
          assert.strictEqual(yield* spawner.exitCode(compile), 0)

          yield* call("start", { program: `${directory}/faults`, backend, environment })
          for (const line of printed) {
            const { data } = yield* call("explain", {})
            assert.strictEqual(data.what, "crash")
            yield* call("print", { expressions: ["1 + 1"] })
            // A step enters the handler. A continue runs it.
            if (line.endsWith("0x200")) yield* call("step", {})
            yield* call("continue", {})
          }
          const { data } = yield* call("output", {})
          assert.deepStrictEqual(data.text.trim().split("\n"), printed)
          assert.strictEqual((yield* call("status", {})).data.exit_code, 0)
        })
      ).pipe(Effect.scoped)
    )
  }
})
