/** Threads that wake each other: at a stop each waits, so the explanation says which of them ran before, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <pthread.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t baton = PTHREAD_MUTEX_INITIALIZER, first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static int turn;
static void *player(void *number) {
  pthread_mutex_lock(&baton);
  for (;;) {
    while (turn != (number != NULL)) pthread_cond_wait(&changed, &baton);
    turn = number == NULL;
    pthread_cond_broadcast(&changed);
  }
}
static void *spectator(void *unused) {
  pthread_mutex_lock(&first);
  pthread_cond_wait(&never, &first);
  return unused;
}
static void *crossed(void *number) {
  pthread_mutex_lock(number == NULL ? &first : &second);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(number == NULL ? &second : &first);
  return NULL;
}
static void tick(void) { usleep(1000); }
static void *ticking(void *unused) {
  for (;;) tick();
  return unused;
}
int main(int count, char **words) {
  const char *kind = count > 1 ? words[1] : "players";
  pthread_t threads[3];
  pthread_barrier_init(&both, NULL, 2);
  int crosses = !strcmp(kind, "crossed"), plays = !strcmp(kind, "players");
  if (crosses || plays) {
    pthread_create(&threads[0], NULL, crosses ? crossed : player, NULL);
    pthread_create(&threads[1], NULL, crosses ? crossed : player, &turn);
  }
  if (!crosses) pthread_create(&threads[2], NULL, !strcmp(kind, "ticking") ? ticking : spectator, NULL);
  pthread_join(threads[crosses ? 0 : 2], NULL);
}
`

const program = Effect.map(
  compiled({ "activity.c": source }, ["gcc", "-g", "-pthread", "-o", "activity", "activity.c"]),
  (folder) => `${folder}/activity`
)

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`says that threads that wake each other ran before the pause (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            yield* call("start", { program: yield* program, backend, environment, wait: false })
            const { cycles, summary, waits, watched_ms } = yield* call("explain", {}).pipe(
              Effect.map(({ data }) => data),
              // On a busy machine a thread may not run for a tenth of a second.
              Effect.filterOrFail(({ threads, waits }) => {
                const players = waits.filter(({ stack }) => stack.some((frame) => frame.function === "player"))
                return threads === 4 && players.length > 0 && players.every(({ switches = 0 }) => switches > 2)
              }),
              Effect.retry({ times: 20, schedule: Schedule.spaced("200 millis") })
            )
            assert.match(summary, /^2 of 4 threads ran in the \d+ ms before the pause; no cycle of waiting threads$/)
            assert.isAtLeast(watched_ms ?? 0, 200)
            assert.deepStrictEqual(cycles, [])
            for (const { kind, stack, switches } of waits) {
              const plays = stack.some((frame) => frame.function === "player")
              if (kind !== "runs") assert.strictEqual(switches !== undefined, plays, kind)
            }
          })
        )
      )
    }

    it.effect("says that no thread ran, and at a stop that it does not show how long waits last", () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          yield* call("start", { program: yield* program, args: ["idle"], environment, wait: false })
          const idle = yield* call("explain", {}).pipe(
            Effect.map(({ data }) => data),
            Effect.filterOrFail(({ facts }) => facts.length > 0),
            Effect.retry({ times: 20, schedule: Schedule.spaced("200 millis") })
          )
          assert.match(idle.facts.map(({ text }) => text).join(), /^no thread ran in the \d+ ms before the pause$/)
          assert.match(idle.summary, /^thread 2: waits for condition never$/)
          yield* call("pause", {})
          const { data } = yield* call("explain", { what: "hang" })
          assert.strictEqual(data.facts.map(({ text }) => text).join(), "one stop does not show whether a wait lasts")
          assert.isUndefined(data.watched_ms)
        })
      )
    )

    it.effect("adds nothing to a deadlock", () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          yield* call("start", { program: yield* program, args: ["crossed"], environment, wait: false })
          const { facts, summary, waits } = yield* call("explain", {}).pipe(
            Effect.map(({ data }) => data),
            Effect.filterOrFail(({ cycles }) => cycles.length > 0),
            Effect.retry({ times: 20, schedule: Schedule.spaced("200 millis") })
          )
          assert.strictEqual(summary, "threads 2 and 3 of 3 wait for each other")
          assert.deepStrictEqual(facts, [])
          assert.isTrue(waits.every(({ switches }) => switches === undefined))
        })
      )
    )

    it.effect("claims nothing of threads that stops at a breakpoint with a condition move", () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const file = yield* program
          yield* call("start", {
            program: file,
            args: ["ticking"],
            environment,
            wait: false,
            break: ["tick if turn == 9"]
          })
          const { waits } = yield* call("explain", {}).pipe(
            Effect.map(({ data }) => data),
            Effect.filterOrFail(({ threads }) => threads === 2),
            Effect.retry({ times: 20, schedule: Schedule.spaced("200 millis") })
          )
          assert.isUndefined(waits.find(({ kind }) => kind === "join")?.switches)
        })
      )
    )
  })
}
