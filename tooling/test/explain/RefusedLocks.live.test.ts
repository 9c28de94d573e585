/** Mutexes with priority inheritance: the kernel refuses the lock that closes a circle, so the system call does not name the mutex. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t salt, pepper;
static pthread_barrier_t both;
static void *cook(void *number) {
  pthread_mutex_lock(number == NULL ? &salt : &pepper);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(number == NULL ? &pepper : &salt);
  return NULL;
}
static void *leave(void *unused) {
  pthread_mutex_lock(&salt);
  return unused;
}
int main(int count, char **words) {
  pthread_t threads[2];
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&salt, &kind);
  pthread_mutex_init(&pepper, &kind);
  pthread_barrier_init(&both, NULL, 2);
  switch (count > 1 ? atoi(words[1]) : 2) {
  case 0:
    pthread_create(&threads[0], NULL, leave, NULL);
    pthread_join(threads[0], NULL);
    pthread_mutex_lock(&salt);
    break;
  case 1:
    pthread_mutex_lock(&pepper);
    pthread_mutex_lock(&pepper);
    break;
  default:
    pthread_create(&threads[0], NULL, cook, NULL);
    pthread_create(&threads[1], NULL, cook, &salt);
    pthread_join(threads[0], NULL);
  }
}
`

const cases = [
  { threads: "0", cycle: 0, texts: [/^waits for mutex salt, held by thread \d+, which has ended without an unlock$/] },
  { threads: "1", cycle: 1, texts: [/^waits for mutex pepper, held by thread 1 /] },
  {
    threads: "2",
    cycle: 2,
    texts: [/^waits for mutex pepper, held by thread 3 /, /^waits for mutex salt, held by thread 2 /]
  }
] as const

if (process.platform === "linux" && process.arch === "x64") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      for (const { cycle, texts, threads } of cases) {
        it.effect(`names a mutex whose lock the kernel refused (${threads} threads, ${backend})`, () =>
          debugging(({ call, environment }) =>
            Effect.gen(function* () {
              const files = { "refused.c": source }
              const program = `${yield* compiled(files, ["gcc", "-g", "-pthread", "-o", "refused", "refused.c"])}/refused`
              yield* call("start", { program, args: [threads], backend, environment, wait: false })
              const { cycles, waits } = yield* call("explain", {}).pipe(
                Effect.map(({ data }) => data),
                Effect.filterOrFail(
                  ({ waits }) =>
                    waits.filter(({ owner, kind }) => kind === "mutex" && owner !== undefined).length === texts.length
                ),
                Effect.retry({ times: 20, schedule: Schedule.spaced("200 millis") })
              )
              const told = waits.filter(({ kind }) => kind === "mutex").toSorted((a, b) => a.text.localeCompare(b.text))
              for (const [index, text] of texts.entries()) assert.match(told[index]?.text ?? "", text)
              assert.isTrue(told.some(({ by }) => by.includes("registers")))
              assert.strictEqual(cycles.flat().length, cycle)
            })
          )
        )
      }
    }
  })
}
