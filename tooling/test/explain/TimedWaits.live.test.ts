/** Threads that wait for each other with a time limit: the explanation says that the waits end by themselves, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static struct timespec in_an_hour(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 3600;
  return time;
}
static void *one(void *unused) {
  pthread_mutex_lock(&first);
  pthread_barrier_wait(&both);
  struct timespec end = in_an_hour(CLOCK_REALTIME);
  pthread_mutex_timedlock(&second, &end);
  return unused;
}
static void *other(void *unused) {
  pthread_mutex_lock(&second);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&first);
  return unused;
}
static void *idle(void *unused) {
  struct pollfd descriptor = {0, POLLPRI, 0};
  poll(&descriptor, 1, 3600000);
  return unused;
}
int main(void) {
  pthread_t threads[3];
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  pthread_create(&threads[2], NULL, idle, NULL);
  struct timespec end = in_an_hour(CLOCK_MONOTONIC);
  pthread_clockjoin_np(threads[0], NULL, CLOCK_MONOTONIC, &end);
}
`

/** True if each thread has come to its wait. */
const isWhole = (waits: ReadonlyArray<{ readonly kind: string }>) =>
  ["join", "mutex", "poll"].every((kind) => waits.some((wait) => wait.kind === kind))

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`says which waits have a time limit (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const program = `${yield* compiled({ "timed.c": source }, ["gcc", "-pthread", "-o", "timed", "timed.c"])}/timed`
            yield* call("start", { program, backend, environment, wait: false })
            const { summary, waits } = yield* call("explain", {}).pipe(
              Effect.map(({ data }) => data),
              Effect.repeat({
                until: (data) => data.cycles.length > 0 && isWhole(data.waits),
                schedule: Schedule.spaced("50 millis")
              }),
              Effect.timeout("30 seconds")
            )
            assert.match(summary, /^threads \d and \d of 4 wait for each other, with a time limit$/)
            const said = waits.map(({ kind, limited = false, text }) => [kind, limited, text.endsWith("a time limit")])
            assert.deepStrictEqual(said.toSorted(), [
              ["join", true, true],
              ["mutex", false, false],
              ["mutex", true, true],
              ["poll", true, true]
            ])
          })
        ).pipe(Effect.scoped)
      )
    }
  })
}
