/** Hits of a breakpoint by threads that run while another thread steps. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int calls;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void bump(int id) {
  pthread_mutex_lock(&mutex);
  calls++;
  pthread_mutex_unlock(&mutex);
}
static void *worker(void *id) {
  for (int i = 0; i < 3; i++) {
    bump((int)(long)id);
    usleep(1000);
  }
  return NULL;
}
int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%d\\n", calls);
  return 0;
}
`

suite("a breakpoint of several threads", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`has as many hits as calls, also if a thread steps (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          // Only Linux tells whether a thread has run.
          if (process.platform !== "linux") return
          const cwd = yield* compiled({ "calls.c": text }, ["gcc", "-pthread", "-o", "calls", "calls.c"])
          for (let run = 0; run < 3; run++) {
            const session = `run-${run}`
            yield* call("start", { program: `${cwd}/calls`, backend, environment, session, break: ["bump"] })
            for (let step = 0; step < 6; step++) yield* call("next", { session })
            for (;;) if ((yield* call("continue", { session })).state !== "stopped") break
            const { data } = yield* call("breakpoint.info", { session, id: "1" })
            const output = yield* call("output", { session })
            assert.deepStrictEqual([data.hit_count, output.data.text], [9, "9\n"])
          }
        })
      ).pipe(Effect.scoped)
    )
  }
})
