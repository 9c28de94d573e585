/** Options of breakpoints that meet: two at one address, and limits, threads and the order of the messages of logpoints. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const counting = `#include <stdio.h>
static int sum;
__attribute__((noinline)) int work(int n) {
  sum += n;
  return sum;
}
int main(void) {
  int total = 0;
  for (int i = 0; i < 40; i++) {
    total += i;
    total ^= work(i);
  }
  printf("%d\\n", total);
  return 0;
}
`

const threads = `#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int seen[4];
static void *work(void *at) {
  for (int i = 0; i < 3; i++) {
    usleep(20000);
    seen[*(int *)at] = i;
  }
  return at;
}
int main(void) {
  pthread_t all[3];
  int numbers[3] = {1, 2, 3};
  for (int n = 0; n < 3; n++) pthread_create(&all[n], 0, work, &numbers[n]);
  puts("started");
  for (int n = 0; n < 3; n++) pthread_join(all[n], 0);
  return 0;
}
`

const lineOf = (source: string, text: string) => source.split("\n").findIndex((one) => one.includes(text)) + 1

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("breakpoints", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    const counted = (test: (client: Parameters<Parameters<typeof debugging>[0]>[0]) => Effect.Effect<void, unknown>) =>
      debugging((client) =>
        Effect.gen(function* () {
          const built = yield* build("counting.c", counting, "gcc", ["-O0"])
          yield* starting(client, built, backend, { break: ["main"] })
          yield* test(client)
        })
      )

    it.effect(`at one address are both named and counted, under ${backend}`, () =>
      counted(({ call }) =>
        Effect.gen(function* () {
          yield* call("break", { at: `counting.c:${lineOf(counting, "sum += n")}` })
          yield* call("break", { at: "work" })
          for (let time = 0; time < 2; time++) {
            assert.deepStrictEqual((yield* call("continue", {})).data.breakpoints, [2, 3])
          }
          const { breakpoints } = (yield* call("breakpoint.list", {})).data
          assert.deepStrictEqual(
            breakpoints.map((one) => one.hit_count),
            [1, 2, 2]
          )
        })
      )
    )

    it.effect(`write no message after their limit, under ${backend}`, () =>
      counted(({ call }) =>
        Effect.gen(function* () {
          const at = `counting.c:${lineOf(counting, "total += i")}`
          yield* call("logpoint", { at, message: "i={i}", max: 3 })
          assert.strictEqual((yield* call("continue", {})).data.event, "exited")
          assert.strictEqual((yield* call("output", { channel: ["log"] })).data.text, "i=0\ni=1\ni=2\n")
        })
      )
    )

    it.effect(`write their messages in the order of the hits, under ${backend}`, () =>
      counted(({ call }) =>
        Effect.gen(function* () {
          yield* call("logpoint", { at: `counting.c:${lineOf(counting, "total += i")}`, message: "line {i}" })
          yield* call("logpoint", { at: "work", message: "function {n}" })
          assert.strictEqual((yield* call("continue", {})).data.event, "exited")
          const expected = Array.from({ length: 40 }, (_, index) => `line ${index}\nfunction ${index}\n`).join("")
          assert.strictEqual((yield* call("output", { channel: ["log"] })).data.text, expected)
        })
      )
    )

    it.effect(`write the messages of one thread only, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("threads.c", threads, "gcc", ["-O0", "-pthread"])
          yield* starting(client, built, backend, { break: [`threads.c:${lineOf(threads, "started")}`] })
          const at = `threads.c:${lineOf(threads, "seen[*")}`
          yield* call("break", { at, log: "{*(int *)at} {i}", thread: 2 })
          assert.strictEqual((yield* call("continue", {})).data.event, "exited")
          assert.strictEqual((yield* call("output", { channel: ["log"] })).data.text, "1 0\n1 1\n1 2\n")
        })
      )
    )
  }
})
