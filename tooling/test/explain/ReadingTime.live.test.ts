/**
 * `explain` within its time, on both LLDB backends: a cycle of many threads is found, and what is not read in the time is said to be not read.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#define COUNT 120
struct cell { pthread_mutex_t lock; int value; } cells[COUNT];
pthread_barrier_t all;
void *hold(void *number) {
  long own = (long)number;
  struct cell *mine = &cells[own], *other = &cells[(own + 1) % COUNT];
  pthread_mutex_lock(&mine->lock);
  pthread_barrier_wait(&all);
  pthread_mutex_lock(&other->lock); // mark
  return 0;
}
int main(int count, char **words) {
  pthread_t threads[COUNT];
  if (count > 1) return *(volatile int *)(long)(count * 8);
  pthread_barrier_init(&all, 0, COUNT + 1);
  for (long i = 0; i < COUNT; i++) pthread_mutex_init(&cells[i].lock, 0);
  for (long i = 0; i < COUNT; i++) pthread_create(&threads[i], 0, hold, (void *)i);
  pthread_barrier_wait(&all);
  puts("held");
  fflush(stdout);
  pthread_join(threads[0], 0);
}
`

/** The line after which every thread has its lock. */
const held = source.split("\n").findIndex((line) => line.includes("puts(")) + 1

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("the time of explain", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`is enough for a cycle of many threads, and what is not read in it is said (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const folder = yield* compiled({ "ring.c": source }, ["gcc", "-pthread", "-o", "ring", "ring.c"])
            const start = { program: `${folder}/ring`, backend, environment, replace: true } as const
            yield* call("start", { ...start, break: [`ring.c:${held}`] })
            yield* call("continue", { wait: false })
            const whole = (yield* call("explain", { keep: true })).data
            assert.strictEqual(whole.cycles[0]?.length, 120)
            assert.match(whole.summary, /^threads \d+(?:, \d+){7} and 112 others of 121 wait for each other$/)
            const short = (yield* call("explain", { timeout: "1ms" })).data
            assert.isTrue(
              short.facts.some(({ kind, text }) => kind === "limit" && text.startsWith("who holds what was not read"))
            )
            assert.deepStrictEqual(short.cycles, [])
            assert.isUndefined(short.waits.find(({ owner }) => owner !== undefined))
            yield* call("start", { ...start, args: ["fault"] })
            const crash = (yield* call("explain", { timeout: "1ms" })).data
            assert.strictEqual(crash.what, "crash")
            assert.match(crash.summary, /^SIGSEGV/)
            assert.deepStrictEqual(
              crash.facts.map(({ kind, text }) => ({ kind, text })),
              [{ kind: "limit", text: "the cause was not read: the time of 1 ms was over" }]
            )
          })
        )
      )
    }
  })
}
