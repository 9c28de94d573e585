/** A program that handles its faults. Its handler reads the same as without a debugger, whatever was evaluated at the stop. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
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

const sent = `#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void handler(int number) {
  printf("%d\\n", number);
  fflush(stdout);
}
int main(void) {
  int numbers[] = { SIGFPE, SIGILL, SIGBUS, SIGSEGV };
  for (int i = 0; i < 4; i++) signal(numbers[i], handler);
  for (int i = 0; i < 4; i++) {
    raise(numbers[i]);
    kill(getpid(), numbers[i]);
  }
  return 0;
}
`

suite("a handler of faults", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`reads what it reads without a debugger (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          if (process.platform !== "linux") return
          const directory = yield* compiled({ "faults.c": text }, ["gcc", "-pthread", "-o", "faults", "faults.c"])

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

    it.effect(`runs for each signal that was sent (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          if (process.platform !== "linux") return
          const directory = yield* compiled({ "sent.c": sent }, ["gcc", "-o", "sent", "sent.c"])
          yield* call("start", { program: `${directory}/sent`, backend, environment })
          for (let stop = 0; stop < 8; stop++) {
            yield* call("print", { expressions: ["1 + 1"] })
            yield* call("continue", {})
          }
          assert.strictEqual((yield* call("output", {})).data.text, "8\n8\n4\n4\n7\n7\n11\n11\n")
          assert.strictEqual((yield* call("status", {})).data.exit_code, 0)
        })
      ).pipe(Effect.scoped)
    )
  }
})
