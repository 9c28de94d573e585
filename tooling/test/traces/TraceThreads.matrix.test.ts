/** Records of values in threads that come to the places at the same time: each pass counts once, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <pthread.h>
static pthread_barrier_t together;
static int sums[4];
static void add(int *sum, int value) {
  *sum += value;
}
static void *work(void *argument) {
  int number = (int)(long)argument;
  pthread_barrier_wait(&together);
  for (int i = 0; i < 25; i++) {
    add(&sums[number], i);
    sums[number] ^= 1;
  }
  return 0;
}
int main(void) {
  pthread_t threads[4];
  pthread_barrier_init(&together, 0, 4);
  for (long n = 0; n < 4; n++) pthread_create(&threads[n], 0, work, (void *)n);
  for (int n = 0; n < 4; n++) pthread_join(threads[n], 0);
}
`

layer(platform, { excludeTestServices: true, timeout: "180 seconds" })("a trace", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`records each pass of several threads once (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const folder = yield* compiled({ "four.c": source }, ["gcc", "-pthread", "-o", "four", "four.c"])
          // The threads are at the places together in most runs.
          for (const _ of [1, 2, 3, 4, 5, 6]) {
            yield* call("start", { program: `${folder}/four`, backend, environment, break: ["main"], replace: true })
            const specs: [string, string] = ["four.c:12 :: {i} {number}", "four.c:5 :: {value}"]
            const { data } = yield* call("trace", { specs })
            assert.deepStrictEqual(
              data.points.map(({ hits }) => hits),
              [100, 100]
            )
            const { rows } = (yield* call("hits.list", { last: 300 })).data
            const passes = new Set(
              rows.map(({ point, thread, values }) => `${point} ${thread} ${JSON.stringify(values)}`)
            )
            assert.strictEqual(passes.size, 200)
          }
        })
      ).pipe(Effect.scoped)
    )
  }
})
