/** A lock in shared memory whose owner is in another PID namespace and has the id of a thread here: that thread is not its owner. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>
struct ledger { pthread_mutex_t seal; int taken, refused; };
static void hold(struct ledger *ledger, int id) {
  FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
  if (last == NULL || fprintf(last, "%d", id - 1) < 0 || fclose(last) != 0) ledger->refused = 1;
  if (fork() == 0) {
    pthread_mutex_lock(&ledger->seal);
    ledger->refused |= getpid() != id;
    ledger->taken = 1;
  }
  for (;;) pause();
}
int main(int count, char **words) {
  struct ledger *ledger = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&ledger->seal, &kind);
  int own = getpid();
  if (count > 1) pthread_mutex_lock(&ledger->seal);
  else if (unshare(CLONE_NEWPID) != 0) return 3;
  else if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    hold(ledger, own);
  } else {
    while (!ledger->taken && !ledger->refused) usleep(1000);
    if (ledger->refused) return 3;
  }
  pthread_mutex_lock(&ledger->seal);
}
`

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
    for (const isOwn of [false, true]) {
      it.effect(
        `${isOwn ? "names" : "does not name"} the thread with the id in a lock that ${isOwn ? "no" : "another"} namespace has`,
        () =>
          debugging(({ call, environment }) =>
            Effect.gen(function* () {
              const folder = yield* compiled({ "ledger.c": source }, [
                "gcc",
                "-g",
                "-pthread",
                "-o",
                "ledger",
                "ledger.c"
              ])
              const args = isOwn ? ["own"] : []
              yield* call("start", { program: `${folder}/ledger`, args, environment, wait: false })
              const found = yield* call("explain", {}).pipe(
                Effect.map(({ data }) => data),
                Effect.filterOrFail(({ waits, what }) => what === "exit" || waits[0]?.owner !== undefined),
                Effect.retry({ times: 20, schedule: Schedule.spaced("200 millis") })
              )
              // Only root may make a namespace and choose the ids in it.
              if (!isOwn && found.what === "exit") return
              const [wait] = found.waits
              assert.strictEqual(wait?.kind, "mutex")
              assert.strictEqual(found.cycles.length, isOwn ? 1 : 0)
              assert.strictEqual(wait?.owner?.state, isOwn ? "alive" : "unknown")
              if (!isOwn) assert.match(wait?.text ?? "", /a thread of this process or of another PID namespace$/)
            })
          )
      )
    }
  })
}
