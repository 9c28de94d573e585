/** A program whose timer rings while it is stopped, so that a signal waits for it at each resume. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
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

const fault = `#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile int ticks, called;
static int *volatile null;
static sigjmp_buf before;
static void on_tick(int number) { ticks++; }
static void on_fault(int number, siginfo_t *info, void *context) {
  printf("code %d\\n", info->si_code);
  fflush(stdout);
  siglongjmp(before, 1);
}
__attribute__((naked)) static void touch(int *p) { __asm__("movl $1, (%rdi)\\n ret"); }
static void callee(void) {
  called++;
}
int main(void) {
  struct sigaction tick = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
  sigaction(SIGALRM, &tick, NULL);
  struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
  sigaction(SIGSEGV, &fault, NULL);
  struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
  setitimer(ITIMER_REAL, &every, NULL);
  for (int i = 0; i < 2; i++) {
    if (sigsetjmp(before, 1) == 0) touch(null);
  }
  callee();
  callee();
  printf("called %d\\n", called);
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
          const cwd = yield* compiled({ "timer.c": text }, ["gcc", "-o", "timer", "timer.c"])

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

    it.effect(`hides no fault, and no breakpoint of the called function (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          if (process.platform !== "linux" || process.arch !== "x64") return
          const cwd = yield* compiled({ "fault.c": fault }, ["gcc", "-o", "fault", "fault.c"])
          const line = fault.split("\n").findIndex((one) => one === "  callee();") + 1
          const places = ["touch", `fault.c:${line}`, "callee"]
          const { data: first } = yield* call("start", { program: `${cwd}/fault`, backend, environment, break: places })
          const stops = [`${first.reason} ${first.location?.function} ${first.hit_counts?.join(",")}`]
          for (;;) {
            const { data, state } = yield* call("continue", {})
            if (state !== "stopped") break
            stops.push(`${data.reason} ${data.location?.function} ${data.hit_counts?.join(",") ?? ""}`)
          }
          assert.deepStrictEqual(stops, [
            "breakpoint touch 1",
            "signal touch ",
            "breakpoint touch 2",
            "signal touch ",
            "breakpoint main 1",
            "breakpoint callee 1",
            "breakpoint callee 2"
          ])
          assert.strictEqual((yield* call("output", {})).data.text, "code 1\ncode 1\ncalled 2\n")
        })
      ).pipe(Effect.scoped)
    )
  }
})
