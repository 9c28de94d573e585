/** A mutex that was held when a process was forked: its owner is a thread of the parent, which may have unlocked it there. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option, Schedule, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static volatile int held, forked;
static void *write_journal(void *unused) {
  pthread_mutex_lock(&journal);
  held = 1;
  while (!forked) usleep(1000);
  pthread_mutex_unlock(&journal);
  return unused;
}
int main(void) {
  pthread_t writer;
  pthread_create(&writer, 0, write_journal, 0);
  while (!held) usleep(1000);
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pthread_mutex_lock(&journal);
    _exit(0);
  }
  forked = 1;
  pthread_join(writer, 0);
  printf("%d\\n", child);
  fflush(stdout);
  waitpid(child, 0, 0);
}
`

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`does not say that a thread of the parent ended without an unlock (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const cwd = yield* compiled({ "inherited.c": source }, [
              "gcc",
              "-pthread",
              "inherited.c",
              "-o",
              "inherited"
            ])
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            const running = yield* spawner.spawn(ChildProcess.make(`${cwd}/inherited`, [], { stdin: "ignore" }))
            const said = yield* running.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.runHead)
            yield* call("attach", { pid: Number(Option.getOrThrow(said)), backend, environment })
            const [wait] = yield* call("explain", {}).pipe(
              Effect.map(({ data }) => data.waits),
              Effect.filterOrFail(([first]) => first?.kind === "mutex"),
              Effect.retry({ times: 20, schedule: Schedule.spaced("200 millis") })
            )
            assert.match(
              wait?.text ?? "",
              /^waits for mutex journal, held by thread \d+, which ended without an unlock, or held it in the parent when/
            )
          })
        ).pipe(Effect.scoped)
      )
    }
  })
}
